# 64 bits, little-endian, plain char unsigned; NEON.
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(foreign_arch arm64)
set(foreign_compiler aarch64-linux-gnu)
set(foreign_libraries aarch64-linux-gnu)
set(foreign_emulator qemu-aarch64)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
