# 64 bits, big-endian, plain char unsigned; no SIMD is used.
set(CMAKE_SYSTEM_PROCESSOR s390x)
set(foreign_arch s390x)
set(foreign_compiler s390x-linux-gnu)
set(foreign_libraries s390x-linux-gnu)
set(foreign_emulator qemu-s390x)
include("${CMAKE_CURRENT_LIST_DIR}/debian.cmake")
