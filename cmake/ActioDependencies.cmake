# Foreign libraries. None of their types is in a public header, so they are private: a program that uses
# the shared library needs none of them, one that links the static library gets them from actio.pc
# (--static) or from the CMake package.
find_package(PkgConfig REQUIRED)

# Reading problem files.
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)

# Plots as PNG, SVG and PDF.
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo-pdf cairo-svg)

# Results. Always the serial build: plain "hdf5" may name the MPI build.
pkg_check_modules(HDF5 IMPORTED_TARGET hdf5-serial)
if(HDF5_FOUND)
    set(ACTIO_HDF5_MODULE hdf5-serial)
else()
    pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5)
    if("${HDF5_LINK_LIBRARIES} ${HDF5_INCLUDE_DIRS}" MATCHES "mpi")
        message(FATAL_ERROR "Found only an MPI build of HDF5 (${HDF5_LINK_LIBRARIES}); actio needs the serial one.")
    endif()
    set(ACTIO_HDF5_MODULE hdf5)
endif()

# Sparse linear algebra. KLU and what it is built on; no pkg-config file, no CMake package.
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse REQUIRED)
set(ACTIO_PLAIN_LIBRARIES klu btf amd colamd suitesparseconfig)

# The live page. Without it `actio live` says so. Only libmicrohttpd itself on the link line: its pkg-config file adds what its own
# static library needs, of which the development files are mostly not there.
find_path(MICROHTTPD_INCLUDE_DIR microhttpd.h)
find_library(MICROHTTPD_LIBRARY microhttpd)
mark_as_advanced(MICROHTTPD_INCLUDE_DIR MICROHTTPD_LIBRARY)
set(ACTIO_HAVE_MICROHTTPD OFF)
if(MICROHTTPD_INCLUDE_DIR AND MICROHTTPD_LIBRARY)
    set(ACTIO_HAVE_MICROHTTPD ON)
endif()

# Nonlinear programming. Only libipopt itself on the link line: its pkg-config file adds the sequential
# MUMPS, whose dummy MPI functions would hide the real ones.
set(ACTIO_HAVE_IPOPT OFF)
if(ACTIO_IPOPT)
    find_path(IPOPT_INCLUDE_DIR IpStdCInterface.h PATH_SUFFIXES coin-or coin)
    find_library(IPOPT_LIBRARY ipopt)
    if(IPOPT_INCLUDE_DIR AND IPOPT_LIBRARY)
        set(ACTIO_HAVE_IPOPT ON)
    endif()
endif()

set(ACTIO_PLAIN_PATHS "")
foreach(name IN LISTS ACTIO_PLAIN_LIBRARIES)
    string(TOUPPER "${name}_LIBRARY" variable)
    find_library(${variable} ${name} REQUIRED)
    mark_as_advanced(${variable})
    list(APPEND ACTIO_PLAIN_PATHS "${${variable}}")
endforeach()
if(ACTIO_HAVE_IPOPT)
    list(APPEND ACTIO_PLAIN_LIBRARIES ipopt)
    list(APPEND ACTIO_PLAIN_PATHS "${IPOPT_LIBRARY}")
endif()
if(ACTIO_HAVE_MICROHTTPD)
    list(APPEND ACTIO_PLAIN_LIBRARIES microhttpd)
    list(APPEND ACTIO_PLAIN_PATHS "${MICROHTTPD_LIBRARY}")
endif()
list(APPEND ACTIO_PLAIN_LIBRARIES m)
list(APPEND ACTIO_PLAIN_PATHS m)

add_library(actio_dependencies INTERFACE)
target_include_directories(actio_dependencies SYSTEM INTERFACE "${KLU_INCLUDE_DIR}")
target_link_libraries(actio_dependencies INTERFACE PkgConfig::YAML PkgConfig::CAIRO PkgConfig::HDF5 ${ACTIO_PLAIN_PATHS})
if(ACTIO_HAVE_IPOPT)
    target_include_directories(actio_dependencies SYSTEM INTERFACE "${IPOPT_INCLUDE_DIR}")
    target_compile_definitions(actio_dependencies INTERFACE AC_HAVE_IPOPT=1)
endif()
if(ACTIO_HAVE_MICROHTTPD)
    target_include_directories(actio_dependencies SYSTEM INTERFACE "${MICROHTTPD_INCLUDE_DIR}")
    target_compile_definitions(actio_dependencies INTERFACE AC_HAVE_MICROHTTPD=1)
endif()

# What the installed static library names.
set(ACTIO_STATIC_LIBRARIES ${YAML_LINK_LIBRARIES} ${CAIRO_LINK_LIBRARIES} ${HDF5_LINK_LIBRARIES} ${ACTIO_PLAIN_PATHS})
