# The libraries that are installed, each made of rooms:
#   bdelta_archive(TARGET FILE_NAME EXPORT_NAME ROOMS …)   static; what the programs and the tests link as well
#   bdelta_shared(TARGET FILE_NAME EXPORT_NAME ROOMS …)    shared; exports the public API alone
# Both use the same object files, compiled with -fPIC. Applying a patch of level 6 between two programs of 2 MB took
# bpatch 145.30 million instructions so, and 145.29 million with -fPIE (x86-64, g++ 12): not worth other objects.

# SONAMEs and the CMake package's version file name the interface: while the version is 0.x, by its second number too.
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(BDELTA_SOVERSION "0.${PROJECT_VERSION_MINOR}")
  set(BDELTA_COMPATIBILITY SameMinorVersion)
else()
  set(BDELTA_SOVERSION "${PROJECT_VERSION_MAJOR}")
  set(BDELTA_COMPATIBILITY SameMajorVersion)
endif()

option(BDELTA_SHARED "Build the shared libraries as well" ON)

function(bdelta_archive target file_name export_name)
  add_library(${target} STATIC)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file_name} EXPORT_NAME ${export_name})
  # Rooms are for this tree; who uses an installed archive gets its headers and system libraries.
  foreach(room IN LISTS ARGN)
    target_link_libraries(${target} PUBLIC $<BUILD_INTERFACE:bdelta_${room}>)
  endforeach()
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} INTERFACE $<INSTALL_INTERFACE:bdelta::needs>)  # of bdelta-config.cmake
endfunction()

function(bdelta_shared target file_name export_name)
  if(NOT BDELTA_SHARED)
    return()
  endif()
  add_library(${target} SHARED)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${file_name} EXPORT_NAME ${export_name}
    VERSION ${PROJECT_VERSION} SOVERSION ${BDELTA_SOVERSION})
  target_compile_features(${target} INTERFACE cxx_std_20)
  foreach(room IN LISTS ARGN)
    target_link_libraries(${target} PRIVATE bdelta_${room})
  endforeach()
  if(BDELTA_HAVE_GC_SECTIONS)
    target_link_options(${target} PRIVATE LINKER:--gc-sections)
  endif()
  # Hidden visibility keeps our own names in; the script also keeps in what the templates of the standard library add.
  if(BDELTA_HAVE_VERSION_SCRIPT)
    set(script "${PROJECT_SOURCE_DIR}/src/exports.map")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${script}")
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${script}")
  endif()
endfunction()

include(CheckLinkerFlag)
set(CMAKE_REQUIRED_QUIET ON)
check_linker_flag(CXX "LINKER:--version-script=${PROJECT_SOURCE_DIR}/src/exports.map" BDELTA_HAVE_VERSION_SCRIPT)
unset(CMAKE_REQUIRED_QUIET)
