# What `cmake --install` puts where. Components:
#   tools          programs, manual pages, completions
#   runtime        the shared library that makes and applies patches
#   runtime_apply  the one that only applies them
#   development    headers, archives, CMake package, pkg-config files, manual pages of the C interface
#   documents      licence, README, docs/, security, what changed, and the pages and figures of the tree that these lead to
include(CMakePackageConfigHelpers)

# Manual pages and completions are made by running the programs that were built, with Python.
find_package(Python3 3.9 COMPONENTS Interpreter)
if(Python3_FOUND AND NOT CMAKE_CROSSCOMPILING AND NOT WIN32 AND NOT BDELTA_SANITIZE)
  set(BDELTA_GENERATED_DOCS ON)
  add_subdirectory(man)
  add_subdirectory(tools/completions)
else()
  set(BDELTA_GENERATED_DOCS OFF)
  message(STATUS "Manual pages and completions are left out: they need Python 3.9 and programs that run here unguarded")
endif()

install(TARGETS bdelta bpatch RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
if(BDELTA_GENERATED_DOCS)
  install(FILES "${PROJECT_BINARY_DIR}/man/bdelta.1" "${PROJECT_BINARY_DIR}/man/bpatch.1"
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
  install(FILES "${PROJECT_BINARY_DIR}/man/bdelta-format.5" DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT tools)
  install(DIRECTORY "${PROJECT_BINARY_DIR}/man/man3" DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT development)
  set(completions "${PROJECT_BINARY_DIR}/completions")
  set(share "${CMAKE_INSTALL_DATADIR}")
  install(DIRECTORY "${completions}/bash/" DESTINATION "${share}/bash-completion/completions" COMPONENT tools)
  install(DIRECTORY "${completions}/zsh/" DESTINATION "${share}/zsh/site-functions" COMPONENT tools)
  install(DIRECTORY "${completions}/fish/" DESTINATION "${share}/fish/vendor_completions.d" COMPONENT tools)
endif()

install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/SECURITY.md"
              "${PROJECT_SOURCE_DIR}/CHANGELOG.md" DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs" DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documents)
# Pages keep their places below share/doc, so that links between them hold.
file(GLOB_RECURSE BDELTA_LINKED_PAGES RELATIVE "${PROJECT_SOURCE_DIR}" CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/src/*.md" "${PROJECT_SOURCE_DIR}/tests/*.md" "${PROJECT_SOURCE_DIR}/tools/*.md"
  "${PROJECT_SOURCE_DIR}/tests/bench/runs/*.svg" "${PROJECT_SOURCE_DIR}/tests/bench/runs/summary.csv"
  "${PROJECT_SOURCE_DIR}/tools/*.svg")
foreach(page IN LISTS BDELTA_LINKED_PAGES)
  get_filename_component(place "${page}" DIRECTORY)
  install(FILES "${PROJECT_SOURCE_DIR}/${page}" DESTINATION "${CMAKE_INSTALL_DOCDIR}/${place}" COMPONENT documents)
endforeach()

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/bdelta" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "*.def")

# Archives and shared libraries are two sets of targets of the same names; the package includes one of them.
install(TARGETS bdelta_apply_only bdelta_full EXPORT bdelta-static
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/bdelta")
install(EXPORT bdelta-static NAMESPACE bdelta:: DESTINATION "${package_dir}" COMPONENT development)
if(BDELTA_SHARED)
  foreach(half "" _apply)
    install(TARGETS bdelta${half}_shared EXPORT bdelta-shared
      RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime${half}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime${half} NAMELINK_COMPONENT development
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
      INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  endforeach()
  install(EXPORT bdelta-shared NAMESPACE bdelta:: DESTINATION "${package_dir}" COMPONENT development)
endif()

list(JOIN BDELTA_MODULES "\" \"" BDELTA_MODULES_QUOTED)
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/bdelta-config.cmake.in"
  "${PROJECT_BINARY_DIR}/package/bdelta-config.cmake" INSTALL_DESTINATION "${package_dir}"
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/bdelta-config-version.cmake"
  COMPATIBILITY ${BDELTA_COMPATIBILITY})
install(FILES "${PROJECT_BINARY_DIR}/package/bdelta-config.cmake"
              "${PROJECT_BINARY_DIR}/package/bdelta-config-version.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

# pkg-config files find their prefix from where they lie, so the tree may be moved.
file(RELATIVE_PATH pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
# Programs in C have to name the library of C++ (and of mathematics, which compilers of C++ add) beside the archives.
if("stdc++" IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
  set(pc_cxx_library "-lstdc++ -lm")
elseif("c++" IN_LIST CMAKE_CXX_IMPLICIT_LINK_LIBRARIES)
  set(pc_cxx_library "-lc++ -lm")
endif()
foreach(name bdelta bdelta-apply)
  if(name STREQUAL bdelta)
    set(pc_what "Makes and applies binary patches")
    set(pc_archives -lbdelta-apply)
  else()
    set(pc_what "Applies and inspects binary patches")
    set(pc_archives)
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/cmake/bdelta.pc.in" "${PROJECT_BINARY_DIR}/package/${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/package/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig"
    COMPONENT development)
endforeach()
