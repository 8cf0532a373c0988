# @generated from docs/vendors/opencl/runtime-api-map.yaml by generators.runtime; do not edit.
target_compile_definitions(${target} PRIVATE CL_TARGET_OPENCL_VERSION=300)
