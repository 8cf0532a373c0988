# @generated from docs/vendors/dcu/runtime-api-map.yaml by generators.runtime; do not edit.
target_compile_definitions(${target} PRIVATE __HIP_PLATFORM_AMD__)
