# Building for another processor with Debian's cross compilers. A file beside this one names the processor and includes
# it after setting
#   foreign_arch      Debian's name of the architecture; its libraries lie in build/sysroot/<name>, where
#                     tools/foreign.sh unpacks them
#   foreign_compiler  prefix of the compiler's programs
#   foreign_libraries name of the architecture's directory of libraries
#   foreign_emulator  the program of qemu-user that runs what was built
# Programs are linked statically, so that they run without the other system's loader and libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_C_COMPILER "${foreign_compiler}-gcc")
set(CMAKE_CXX_COMPILER "${foreign_compiler}-g++")
set(CMAKE_CROSSCOMPILING_EMULATOR "${foreign_emulator}")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static")

get_filename_component(foreign_root "${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot/${foreign_arch}" ABSOLUTE)
if(NOT EXISTS "${foreign_root}/usr/include/zstd.h")
  message(FATAL_ERROR "The libraries for ${foreign_arch} are not in ${foreign_root}; "
    "`tools/foreign.sh ${foreign_arch}` gets them")
endif()
# Headers without code (CLI11, JSON) come from this machine, whatever is linked from the other one's packages alone.
set(CMAKE_FIND_ROOT_PATH "${foreign_root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(ENV{PKG_CONFIG_LIBDIR} "${foreign_root}/usr/lib/${foreign_libraries}/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${foreign_root}")
# The compiler does not know these directories, so they have to be named although they end like the system's.
set(ENV{PKG_CONFIG_ALLOW_SYSTEM_CFLAGS} 1)
set(ENV{PKG_CONFIG_ALLOW_SYSTEM_LIBS} 1)
