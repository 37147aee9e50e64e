# ACTIO_SOURCES: the files of the library. A new folder of the library is one word here.
set(ACTIO_FOLDERS
    math base linalg model tree assembly action ensemble integrate observe equilibrium optimize adjoint certify design track
    problem task result show experiment live)

get_filename_component(ACTIO_ROOT "${CMAKE_CURRENT_LIST_DIR}" DIRECTORY)
set(patterns "")
foreach(folder IN LISTS ACTIO_FOLDERS)
    list(APPEND patterns "${ACTIO_ROOT}/src/${folder}/*.c")
endforeach()
file(GLOB_RECURSE ACTIO_SOURCES CONFIGURE_DEPENDS ${patterns})
