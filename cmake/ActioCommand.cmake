# The command, build/actio. It uses the public headers only and carries the library inside, so that the
# one file can be copied about.
file(GLOB ACTIO_COMMAND_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/app/*.c")

if(ACTIO_COMMAND_SOURCES)
    add_executable(actio ${ACTIO_COMMAND_SOURCES})
    set_target_properties(actio PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
    target_include_directories(actio PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_compile_definitions(actio PRIVATE
        ACTIO_DATA_DIR="${CMAKE_INSTALL_FULL_DATADIR}/actio"
        ACTIO_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    target_link_libraries(actio PRIVATE actio_flags actio_static)
    target_link_options(actio PRIVATE LINKER:--as-needed)
else()
    message(STATUS "src/app is empty: the command is not built")
endif()
