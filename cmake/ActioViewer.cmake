# The page of `actio report`: viewer/dist/report.html, built by viewer/build.mjs and kept in the repository, so
# that nobody needs Node to build actio. Here it becomes a C array in the library.
set(viewer_page "${PROJECT_SOURCE_DIR}/viewer/dist/report.html")
set(viewer_source "${PROJECT_BINARY_DIR}/report_page.c")

add_custom_command(OUTPUT "${viewer_source}"
    COMMAND "${CMAKE_COMMAND}" -DINPUT=${viewer_page} -DOUTPUT=${viewer_source} -DNAME=viewer/dist/report.html
            -P "${PROJECT_SOURCE_DIR}/cmake/ActioEmbed.cmake"
    DEPENDS "${viewer_page}" "${PROJECT_SOURCE_DIR}/cmake/ActioEmbed.cmake"
    VERBATIM)
target_sources(actio_objects PRIVATE "${viewer_source}")
