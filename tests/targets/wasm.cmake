# WebAssembly with WASI. The folder wasi/ has what wasi-libc lacks.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_SYSROOT /usr)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(wasi "${CMAKE_CURRENT_LIST_DIR}/wasi")
set(CMAKE_C_FLAGS_INIT "-isystem ${wasi} -include ${wasi}/missing.h -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS -D_WASI_EMULATED_GETPID")
# Memory from the start: node 20 crashes where it grows.
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,--initial-memory=536870912 -lwasi-emulated-signal -lwasi-emulated-process-clocks -lwasi-emulated-getpid -Wl,-z,stack-size=8388608 -Wl,--stack-first")
