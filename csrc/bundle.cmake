# A wheel with the CUDA libraries that were harvested from a vendor's torch. It has them only if someone asks for them by the
# vendor's name: whether they may be passed on is for a person to decide.
#
#   pip wheel . -C cmake.define.FLAGOS_BUNDLE=<vendor>
set(FLAGOS_BUNDLE "" CACHE STRING "Vendor whose harvested CUDA libraries go into the wheel")

if(FLAGOS_BUNDLE)
  set(bundle "$ENV{FLAGOS_CUDA_ASSETS_DIR}")
  if(NOT bundle)
    set(bundle "${CMAKE_CURRENT_LIST_DIR}/../torch_fl/assets/${FLAGOS_BUNDLE}")
  endif()
  if(NOT EXISTS "${bundle}/provenance.json")
    message(FATAL_ERROR "FLAGOS_BUNDLE=${FLAGOS_BUNDLE}: no provenance.json in ${bundle}. Make it: "
                        "python -m generators.harvest --vendor ${FLAGOS_BUNDLE} --vendor-torch DIR_OR_WHEEL")
  endif()
  file(READ "${bundle}/provenance.json" provenance)
  string(JSON bundle_vendor GET "${provenance}" vendor)
  if(NOT bundle_vendor STREQUAL FLAGOS_BUNDLE)
    message(FATAL_ERROR "FLAGOS_BUNDLE=${FLAGOS_BUNDLE}: ${bundle} holds the libraries of ${bundle_vendor}")
  endif()
  string(JSON count LENGTH "${provenance}" files)
  math(EXPR last "${count} - 1")
  foreach(index RANGE ${last})
    string(JSON file MEMBER "${provenance}" files ${index})
    if(NOT EXISTS "${bundle}/${file}")
      message(FATAL_ERROR "FLAGOS_BUNDLE=${FLAGOS_BUNDLE}: ${bundle}/${file} is missing; harvest again")
    endif()
    install(FILES "${bundle}/${file}" DESTINATION "torch_fl/assets/${FLAGOS_BUNDLE}")
  endforeach()
  install(FILES "${bundle}/provenance.json" DESTINATION "torch_fl/assets/${FLAGOS_BUNDLE}")
endif()
