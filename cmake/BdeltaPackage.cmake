# `cpack` in a build directory makes Debian packages: bdelta; one for each shared library, named after its SONAME; and
# libbdelta-dev for both, as headers and CMake package are those of both.
set(BDELTA_MAINTAINER "bdelta maintainers <bdelta@users.noreply.invalid>" CACHE STRING
  "Maintainer named in the Debian packages, with an address")

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME bdelta)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_RESOURCE_FILE_README "${PROJECT_SOURCE_DIR}/README.md")

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  include(BdeltaDebian)
endif()
include(CPack)
