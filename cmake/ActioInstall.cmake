# make install: command, libraries, headers, pkg-config file, CMake package, examples and documents.
include(CMakePackageConfigHelpers)

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/actio")

if(TARGET actio)
    install(TARGETS actio RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()
install(TARGETS actio_shared actio_static EXPORT actioTargets
    LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY include/actio DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")

# The CMake package: find_package(actio), then actio::actio or actio::actio_static.
install(EXPORT actioTargets NAMESPACE actio:: DESTINATION "${package_folder}")
configure_package_config_file(cmake/actioConfig.cmake.in actioConfig.cmake INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file(actioConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/actioConfig.cmake" "${PROJECT_BINARY_DIR}/actioConfigVersion.cmake"
    DESTINATION "${package_folder}")

# The pkg-config file.
set(ACTIO_PC_LIBRARIES "")
foreach(name IN LISTS ACTIO_PLAIN_LIBRARIES)
    string(APPEND ACTIO_PC_LIBRARIES " -l${name}")
endforeach()
string(STRIP "${ACTIO_PC_LIBRARIES}" ACTIO_PC_LIBRARIES)
configure_file(cmake/actio.pc.in actio.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/actio.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Examples and documents, those that are there.
install(DIRECTORY examples DESTINATION "${CMAKE_INSTALL_DATADIR}/actio" OPTIONAL)
# The documents stand as in the source, README beside docs/ and examples/, so that their links hold.
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL PATTERN man EXCLUDE PATTERN site EXCLUDE)
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" OPTIONAL)
file(RELATIVE_PATH examples_link "/${CMAKE_INSTALL_DOCDIR}" "/${CMAKE_INSTALL_DATADIR}/actio/examples")
install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK \"${examples_link}\" \"\${folder}/examples\" SYMBOLIC)")
install(DIRECTORY docs/man/ DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" OPTIONAL FILES_MATCHING PATTERN "*.1")
# The page names folders as they are below /usr; another prefix is filled in.
install(CODE "
    set(page \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/actio.1\")
    if(EXISTS \"\${page}\")
        file(READ \"\${page}\" text)
        string(REPLACE \"/usr/share/actio/\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/actio/\" text \"\${text}\")
        string(REPLACE \"/usr/share/doc/actio/\" \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}/\" text \"\${text}\")
        file(WRITE \"\${page}\" \"\${text}\")
    endif()")
install(FILES share/completions/actio.bash RENAME actio OPTIONAL
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
install(FILES share/completions/_actio OPTIONAL DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
