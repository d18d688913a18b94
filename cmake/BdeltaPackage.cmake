# `cpack` in a build directory makes three Debian packages: bdelta, libbdelta0 and libbdelta-dev.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()

set(BDELTA_MAINTAINER "bdelta maintainers <bdelta@users.noreply.invalid>" CACHE STRING
  "Maintainer named in the Debian packages, with an address")
set(runtime_package "libbdelta${PROJECT_VERSION_MAJOR}")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bdelta)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL tools development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${BDELTA_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME bdelta)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "small, fast and safe binary patches
bdelta compares two versions of a file and writes a small patch; bpatch
rebuilds the new version from the old one and the patch.")

set(development_needs "${BDELTA_DEBIAN_NEEDS}")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbdelta-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "library for binary patches, development files
Headers, archives, and what CMake and pkg-config need to find them.")

if(BDELTA_SHARED)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
  string(PREPEND development_needs "${runtime_package} (= ${PROJECT_VERSION}), ")
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME ${runtime_package})
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/triggers")
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
  set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "library for binary patches
libbdelta makes and applies patches between two versions of a file;
libbdelta-apply holds only what applying and inspecting them needs.")
endif()
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${development_needs}")

# What Debian wants otherwise than `cmake --install` does it.
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_BINARY_DIR}/package/debian_files.cmake")
configure_file("${PROJECT_SOURCE_DIR}/packaging/debian_files.cmake.in"
  "${PROJECT_BINARY_DIR}/package/debian_files.cmake" @ONLY)
include(CPack)
