# Benchmarks: bench/<name>.c is the program build/bench/bench_<name>, built by the target bench_all only.
# Helpers shared by them are in bench/support/. MuJoCo is the measure for some, where it is installed.
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.c")
file(GLOB bench_support CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/support/*.c")

add_custom_target(bench_all)

find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
mark_as_advanced(MUJOCO_INCLUDE_DIR MUJOCO_LIBRARY)

foreach(file IN LISTS bench_sources)
    get_filename_component(base "${file}" NAME_WE)
    string(REGEX REPLACE "^bench_" "" base "${base}")
    set(target "bench_${base}")
    add_executable(${target} EXCLUDE_FROM_ALL "${file}" ${bench_support})
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/bench")
    target_link_libraries(${target} PRIVATE actio_flags actio_static m)
    if(MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY)
        target_include_directories(${target} SYSTEM PRIVATE "${MUJOCO_INCLUDE_DIR}")
        target_compile_definitions(${target} PRIVATE BENCH_HAVE_MUJOCO=1)
        target_link_libraries(${target} PRIVATE "${MUJOCO_LIBRARY}")
    endif()
    add_dependencies(bench_all ${target})
endforeach()
