# What BdeltaPackage.cmake packs for Debian: a package for each component of the installation, but for `documents`, of
# which each package has its own.
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL tools development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${BDELTA_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SOURCE bdelta)
# Sorts before the revisions of distributions, whose packages take the place of these.
set(CPACK_DEBIAN_PACKAGE_RELEASE 0local1)
set(debian_version "${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME bdelta)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "small, fast and safe binary patches
bdelta compares two versions of a file and writes a small patch; bpatch
rebuilds the new version from the old one and the patch.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbdelta-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "library for binary patches, development files
Headers for C and C++, archives, and what CMake and pkg-config need to find
them: of libbdelta, which makes and applies patches between two versions of
a file, and of libbdelta-apply, which only applies and inspects them.")

set(development_needs ${BDELTA_DEBIAN_NEEDS})
if(BDELTA_SHARED)
  set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "library for binary patches
libbdelta makes, applies and inspects patches between two versions of a
file.")
  set(CPACK_COMPONENT_RUNTIME_APPLY_DESCRIPTION "library that applies binary patches
libbdelta-apply applies and inspects patches between two versions of a
file, for programs that make none.")
  foreach(half "" _apply)
    string(TOUPPER "RUNTIME${half}" component)
    string(REPLACE "_" "-" runtime${half}_package "libbdelta${half}${BDELTA_SOVERSION}")
    set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${runtime${half}_package})
    set(CPACK_DEBIAN_${component}_PACKAGE_SECTION libs)
    set(CPACK_DEBIAN_${component}_PACKAGE_SHLIBDEPS ON)
    set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/packaging/triggers")
    list(APPEND CPACK_COMPONENTS_ALL runtime${half})
    list(APPEND development_needs "${runtime${half}_package} (= ${debian_version})")
  endforeach()
  set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
endif()
list(JOIN development_needs ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)

# What Debian wants otherwise than `cmake --install` does it.
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_BINARY_DIR}/package/debian_files.cmake")
configure_file("${PROJECT_SOURCE_DIR}/packaging/debian_files.cmake.in"
  "${PROJECT_BINARY_DIR}/package/debian_files.cmake" @ONLY)
set(CPACK_POST_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/packaging/debian_scripts.cmake")
