# 32 bits, little-endian, plain char unsigned; no SIMD in Debian's baseline.
set(CMAKE_SYSTEM_PROCESSOR armv7l)
set(foreign_arch armhf)
set(foreign_compiler arm-linux-gnueabihf)
set(foreign_libraries arm-linux-gnueabihf)
set(foreign_emulator qemu-arm)
set(CMAKE_CXX_FLAGS_INIT "-Wno-psabi")  # notes about compilers before GCC 7
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
