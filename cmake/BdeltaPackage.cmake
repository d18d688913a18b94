# `cpack` in a build directory makes Debian packages: bdelta; one for each shared library, named after its SONAME; and
# libbdelta-dev for both, as headers and CMake package are those of both.
# `cpack -G TGZ --config CPackSourceConfig.cmake` makes the source package.
set(BDELTA_MAINTAINER "bdelta maintainers <bdelta@users.noreply.invalid>" CACHE STRING
  "Maintainer named in the Debian packages, with an address")

set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME bdelta)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
set(CPACK_RESOURCE_FILE_LICENSE "${PROJECT_SOURCE_DIR}/LICENSE")
set(CPACK_RESOURCE_FILE_README "${PROJECT_SOURCE_DIR}/README.md")

# Everything in the source tree but the repository itself, what .gitignore lists and build directories of any name.
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_SOURCE_PACKAGE_FILE_NAME "bdelta-${PROJECT_VERSION}")
set(CPACK_SOURCE_IGNORE_FILES "/__pycache__/" "/\\.mypy_cache/" "/bindings/python/dist/" "/tests/bench/runs/[^/]*/report\\.html$")
function(leave_out directory names)
  string(REGEX REPLACE "([][+.*()^$?{}|\\])" "\\\\\\1" directory "${directory}")
  set(CPACK_SOURCE_IGNORE_FILES ${CPACK_SOURCE_IGNORE_FILES} "^${directory}/${names}" PARENT_SCOPE)
endfunction()
leave_out("${PROJECT_SOURCE_DIR}" "(\\.git$|compile_commands\\.json$|(\\.git|\\.cache|out|build[^/]*)/)")
file(GLOB builds "${PROJECT_SOURCE_DIR}/*/CMakeCache.txt" "${PROJECT_SOURCE_DIR}/*/*/CMakeCache.txt")
foreach(cache IN LISTS builds)
  get_filename_component(directory "${cache}" DIRECTORY)
  leave_out("${directory}" "")
endforeach()
leave_out("${PROJECT_BINARY_DIR}" "")

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  include(BdeltaDebian)
endif()
include(CPack)
