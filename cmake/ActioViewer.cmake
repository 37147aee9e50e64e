# The pages of `actio report` and `actio live`: viewer/dist/*.html, built by viewer/build.mjs and kept in the repository, so
# that nobody needs Node to build actio. Here they become C arrays in the library.
function(actio_embed_page name header)
    set(page "${PROJECT_SOURCE_DIR}/viewer/dist/${name}.html")
    set(source "${PROJECT_BINARY_DIR}/${name}_page.c")
    add_custom_command(OUTPUT "${source}"
        COMMAND "${CMAKE_COMMAND}" -DINPUT=${page} -DOUTPUT=${source} -DNAME=viewer/dist/${name}.html
                -DARRAY=ac_${name}_page -DHEADER=${header} -P "${PROJECT_SOURCE_DIR}/cmake/ActioEmbed.cmake"
        DEPENDS "${page}" "${PROJECT_SOURCE_DIR}/cmake/ActioEmbed.cmake"
        VERBATIM)
    target_sources(actio_objects PRIVATE "${source}")
endfunction()

actio_embed_page(report show/report/page.h)
actio_embed_page(live live/page.h)
