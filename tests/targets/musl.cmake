# One static binary with the C library musl.
set(CMAKE_C_COMPILER musl-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -no-pie")
