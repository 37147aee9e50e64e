# 64-bit ARM, static, so that qemu needs nothing else.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_C_FLAGS_INIT -fno-tree-vectorize) # gcc 12 breaks off: "vect_transform_reduction"
