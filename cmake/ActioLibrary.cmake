# The library, compiled once, as libactio.a and libactio.so.
add_library(actio_objects OBJECT ${ACTIO_SOURCES})
target_include_directories(actio_objects PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
target_compile_definitions(actio_objects PRIVATE ACTIO_VERSION="${PROJECT_VERSION}")
target_compile_options(actio_objects PRIVATE -Wstrict-prototypes -Wmissing-prototypes)
target_link_libraries(actio_objects PRIVATE actio_flags actio_dependencies)

set(public_includes
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

add_library(actio_shared SHARED $<TARGET_OBJECTS:actio_objects>)
set_target_properties(actio_shared PROPERTIES
    OUTPUT_NAME actio EXPORT_NAME actio
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
target_include_directories(actio_shared PUBLIC ${public_includes})
target_link_libraries(actio_shared PRIVATE
    $<BUILD_INTERFACE:actio_flags> $<BUILD_INTERFACE:actio_dependencies>)
target_link_options(actio_shared PRIVATE LINKER:--as-needed
    $<$<NOT:$<BOOL:${ACTIO_SANITIZE}>>:LINKER:--no-undefined>)

add_library(actio_static STATIC $<TARGET_OBJECTS:actio_objects>)
set_target_properties(actio_static PROPERTIES OUTPUT_NAME actio)
target_include_directories(actio_static PUBLIC ${public_includes})
target_link_libraries(actio_static INTERFACE
    $<BUILD_INTERFACE:actio_dependencies> "$<INSTALL_INTERFACE:${ACTIO_STATIC_LIBRARIES}>")

add_library(actio::actio ALIAS actio_shared)
add_library(actio::actio_static ALIAS actio_static)
