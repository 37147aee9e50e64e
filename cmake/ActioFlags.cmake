# One interface target carries what every compilation of ours shares.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
mark_as_advanced(CCACHE_PROGRAM)
if(CCACHE_PROGRAM AND NOT CMAKE_C_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

set(CMAKE_C_FLAGS_RELEASE "-O3")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g -fno-omit-frame-pointer")
if(ACTIO_COVERAGE)
    set(CMAKE_C_FLAGS_DEBUG "-O0 -g")
endif()

add_library(actio_flags INTERFACE)
target_compile_definitions(actio_flags INTERFACE _DEFAULT_SOURCE=)
target_compile_options(actio_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow
    $<$<COMPILE_LANGUAGE:C>:-Wconversion>
    $<$<BOOL:${ACTIO_WERROR}>:-Werror>
    # The same bits on every machine: no fused operations behind our back, no reordering.
    -ffp-contract=off
    -fno-math-errno)

if(ACTIO_SANITIZE)
    set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
    target_compile_options(actio_flags INTERFACE ${sanitizers})
    target_link_options(actio_flags INTERFACE ${sanitizers})
    target_compile_definitions(actio_flags INTERFACE ACTIO_SANITIZED)
endif()

if(ACTIO_COVERAGE)
    target_compile_options(actio_flags INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(actio_flags INTERFACE --coverage)
endif()

if(ACTIO_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "ACTIO_FUZZ needs clang: cmake --preset fuzz")
    endif()
    target_compile_options(actio_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
