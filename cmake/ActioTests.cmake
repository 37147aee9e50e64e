# Tests, found by their place:
#   tests/<folder>/test_<name>.c     one program each, linked with the static library, may include src/
#   tests/<folder>/test_<name>.cpp   the same in C++, public headers only
#   tests/<folder>/<name>.sh         run by bash; exit status 77 means skipped, which is a failure with ACTIO_SKIP=OFF; one with
#                                    a line "# Not instrumented: ..." is run by builds without sanitizers and coverage only
#   tests/support/*.c                helpers linked into every test program
#   tests/targets/                   the same bits on other targets: make test-targets
#   tests/long/                      as above, label "long": make test-long
#   tests/fuzz/fuzz_<name>.c         libFuzzer targets, with ACTIO_FUZZ
#   examples/reproduce/<id>.yaml     run by `actio reproduce`; studies of minutes have the label "long"
#   examples/c/<name>.c              a program with the public API and the shared library, run as a test
#
# Every test runs in the source folder with these variables:
#   ACTIO          the command             ACTIO_SANITIZE      1 under the sanitizers, else 0
#   ACTIO_SOURCE   the source folder       ACTIO_BUILD         the build folder
enable_testing()

set(test_timeout 1200) # for what hangs: a busy machine takes many times as long as an idle one
set(long_timeout 3600)
if(ACTIO_SANITIZE)
    set(test_timeout 2400)
endif()

set(test_environment
    "ACTIO=${PROJECT_BINARY_DIR}/actio"
    "ACTIO_SOURCE=${PROJECT_SOURCE_DIR}"
    "ACTIO_BUILD=${PROJECT_BINARY_DIR}"
    "ACTIO_SANITIZE=$<BOOL:${ACTIO_SANITIZE}>"
    "OMP_NUM_THREADS=1"
    "OPENBLAS_NUM_THREADS=1"
    "LC_ALL=C.UTF-8"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "LSAN_OPTIONS=print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tests/leaks-of-others.txt")

# actio_register(name label command...): a test with our working directory, environment and time limit.
function(actio_register name label)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set(timeout ${test_timeout})
    if(label STREQUAL "long")
        set(timeout ${long_timeout})
    endif()
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "${test_environment}" LABELS "${label}" TIMEOUT ${timeout})
    if(ACTIO_SKIP)
        set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
    endif()
endfunction()

# The folder and the bare name of a file, without "test_" and ending: tests/problem/test_units.c -> problem, units.
macro(actio_split file)
    get_filename_component(folder "${file}" DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    get_filename_component(base "${file}" NAME_WE)
    string(REGEX REPLACE "^(test|fuzz)_" "" base "${base}")
endmacro()

file(GLOB support_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/support/*.c")
add_library(test_support INTERFACE)
target_include_directories(test_support INTERFACE
    "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
target_link_libraries(test_support INTERFACE actio_flags actio_static m)
if(support_sources)
    add_library(test_support_objects STATIC ${support_sources})
    target_link_libraries(test_support_objects PUBLIC test_support)
endif()

function(actio_link_test target)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    if(TARGET test_support_objects)
        target_link_libraries(${target} PRIVATE test_support_objects)
    endif()
    target_link_libraries(${target} PRIVATE test_support)
endfunction()

find_library(MPFR_LIBRARY mpfr) # exact values of mathematics
mark_as_advanced(MPFR_LIBRARY)

file(GLOB test_programs CONFIGURE_DEPENDS
    "${PROJECT_SOURCE_DIR}/tests/*/test_*.c" "${PROJECT_SOURCE_DIR}/tests/*/test_*.cpp")
foreach(file IN LISTS test_programs)
    actio_split("${file}")
    if(folder MATCHES "^(support|fuzz)$")
        continue()
    endif()
    set(target "test_${folder}_${base}")
    if(file MATCHES "\\.cpp$")
        enable_language(CXX)
        string(APPEND target "_cpp")
    endif()
    add_executable(${target} "${file}")
    actio_link_test(${target})
    if(base STREQUAL "accuracy" AND MPFR_LIBRARY)
        target_link_libraries(${target} PRIVATE "${MPFR_LIBRARY}" gmp)
    endif()
    actio_register(${target} "${folder}" ${target})
endforeach()

# Checksums of runs: scripts/test-targets compares them with those of other compilers, C libraries and processors.
add_executable(checksum tests/targets/checksum.c)
set_target_properties(checksum PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
target_link_libraries(checksum PRIVATE test_support)

find_program(BASH_PROGRAM bash REQUIRED)
mark_as_advanced(BASH_PROGRAM)
file(GLOB test_scripts CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*/*.sh")
foreach(file IN LISTS test_scripts)
    actio_split("${file}")
    file(STRINGS "${file}" plain REGEX "^# Not instrumented: ")
    if(NOT folder MATCHES "^(support|fuzz)$" AND NOT (plain AND (ACTIO_SANITIZE OR ACTIO_COVERAGE)))
        actio_register(shell_${folder}_${base} "${folder}" "${BASH_PROGRAM}" "${file}")
    endif()
endforeach()

# Every published experiment again; under the sanitizers, which are slow, only the short ones.
set(studies three-bar-swing-speeds knee-placement-transport beam-rigid-published)
file(GLOB experiments CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/reproduce/*.yaml")
foreach(file IN LISTS experiments)
    get_filename_component(base "${file}" NAME_WE)
    if(NOT ACTIO_SANITIZE OR base MATCHES "^pendulum-(circle|gravity)$")
        set(label "reproduce")
        if(base IN_LIST studies)
            set(label "long")
        endif()
        actio_register(reproduce_${base} "${label}" actio reproduce ${base})
        set_property(TEST reproduce_${base} APPEND PROPERTY ENVIRONMENT "ACTIO_DATA=${PROJECT_SOURCE_DIR}")
    endif()
endforeach()

# Values of other programs, not published: experiments of bench/.
file(GLOB compared CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/examples/reproduce/*.yaml")
foreach(file IN LISTS compared)
    get_filename_component(base "${file}" NAME_WE)
    if(NOT ACTIO_SANITIZE)
        actio_register(compare_${base} "reproduce" actio reproduce ${base})
        set_property(TEST compare_${base} APPEND PROPERTY ENVIRONMENT "ACTIO_DATA=${PROJECT_SOURCE_DIR}/bench")
    endif()
endforeach()

file(GLOB example_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/c/*.c")
foreach(file IN LISTS example_sources)
    actio_split("${file}")
    string(MAKE_C_IDENTIFIER "${base}" base)
    add_executable(example_${base} "${file}")
    set_target_properties(example_${base} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/examples" INSTALL_RPATH "\$ORIGIN/..;${CMAKE_INSTALL_RPATH}")
    target_link_libraries(example_${base} PRIVATE actio_flags actio_shared m)
    actio_register(example_${base} "example" example_${base})
endforeach()

# The slowest first, so that no processor waits for the last one; about their seconds in the release build.
set(slow_tests
    reproduce_six-body-linkage=67 reproduce_two-link-pendulum=57 reproduce_three-bar-swing-stiff=51
    reproduce_satellite-three-rotors=31 reproduce_satellite-two-rotors=28 shell_app_large=28 shell_viewer_report=28
    shell_docs_pages=25 test_optimize_solve=23 reproduce_comoc-geometry=19 reproduce_beam-flexible=18
    reproduce_three-bar-swing=15 reproduce_compass-gait=15 shell_viewer_live=13 reproduce_knee-placement=12
    test_optimize_beam_design=11 test_optimize_beam_parameters=11 shell_app_live=10)
foreach(entry IN LISTS slow_tests)
    string(REGEX MATCH "^(.*)=(.*)$" entry "${entry}")
    if(TEST "${CMAKE_MATCH_1}")
        set_tests_properties("${CMAKE_MATCH_1}" PROPERTIES COST ${CMAKE_MATCH_2})
    endif()
endforeach()

if(ACTIO_FUZZ)
    file(GLOB fuzz_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.c")
    foreach(file IN LISTS fuzz_sources)
        actio_split("${file}")
        add_executable(fuzz_${base} "${file}")
        actio_link_test(fuzz_${base})
        set_target_properties(fuzz_${base} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
        target_link_options(fuzz_${base} PRIVATE -fsanitize=fuzzer)
    endforeach()
endif()
