# The libraries of the system that bdelta stands on. Each is looked for by its CMake package or by pkg-config.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash>=0.8.0)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd>=1.5.0)
pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma>=5.2.5)
pkg_check_modules(LIBMD REQUIRED IMPORTED_TARGET libmd>=1.0.0)
find_package(CLI11 2.1 REQUIRED)
find_package(nlohmann_json 3.10 REQUIRED)
