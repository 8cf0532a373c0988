# The installed torch, asked of torch itself. Its own package file for CMake wants the CUDA toolkit where torch was built with
# it; we link with the CPU's libraries alone. An installed torch_fl that cannot be imported must not break its own rebuild,
# hence no autoload here.
#
# Sets torch_version and torch_dir, and defines torch_cpu, c10 and torch_python.
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env TORCH_DEVICE_BACKEND_AUTOLOAD=0 ${Python_EXECUTABLE} -c
    "import torch; print(torch.__file__, torch.__version__, int(torch.compiled_with_cxx11_abi()), sep=';', end='')"
  OUTPUT_VARIABLE torch_facts
  ERROR_VARIABLE torch_error
  RESULT_VARIABLE torch_missing)
if(torch_missing)
  message(FATAL_ERROR "No torch in ${Python_EXECUTABLE}; choose another Python with -DPython_EXECUTABLE=...\n${torch_error}")
endif()
list(GET torch_facts 0 torch_file)
list(GET torch_facts 1 torch_version)
list(GET torch_facts 2 torch_abi)
get_filename_component(torch_dir ${torch_file} DIRECTORY)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${torch_dir}/version.py)
foreach(name torch_cpu c10 torch_python)
  add_library(${name} SHARED IMPORTED)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION ${torch_dir}/lib/lib${name}.so
    INTERFACE_INCLUDE_DIRECTORIES "${torch_dir}/include;${torch_dir}/include/torch/csrc/api/include"
    INTERFACE_COMPILE_DEFINITIONS _GLIBCXX_USE_CXX11_ABI=${torch_abi})
endforeach()
message(STATUS "torch ${torch_version} at ${torch_dir}")
