# bdelta_room(NAME SOURCES … [LINKS …] [COMPACT] [CALM])
# One room of the architecture is one object library `bdelta_NAME`; it sees the public headers and `src/`.
# LINKS names system libraries. COMPACT rooms have no loops over bytes: they are compiled for size, as updaters carry
# them. CALM rooms spend little time themselves: they, and COMPACT ones, are compiled as BDELTA_CALM_OPTIMISATION says.
# Which room may include which is checked by tests/rooms.
include(CheckCXXSymbolExists)

# With CMAKE_UNITY_BUILD, which the presets of the gate and of the sanitizers set too, a room's files are compiled
# together; src/CMakeLists.txt says which are not.
option(BDELTA_PRECOMPILE "Compile the standard library's headers once; off, each file has to include what it needs" OFF)
set(BDELTA_CALM_OPTIMISATION "" CACHE STRING "Options for what spends little time itself, to compile it sooner")

set(BDELTA_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wcast-align -Wundef)
# Positions in files have 64 bits everywhere; where addresses have 32, each that becomes an index would be warned of.
if(CMAKE_SIZEOF_VOID_P LESS 8)
  list(APPEND BDELTA_WARNINGS -Wno-conversion)
endif()

# What sanitizers need makes each of the many programs of tests slow to link.
if(BDELTA_SANITIZE AND NOT DEFINED BDELTA_FAST_LINKER)
  include(CheckLinkerFlag)
  set(BDELTA_FAST_LINKER "")
  foreach(linker lld gold)
    check_linker_flag(CXX "-fuse-ld=${linker}" BDELTA_HAVE_${linker})
    if(BDELTA_HAVE_${linker})
      set(BDELTA_FAST_LINKER "-fuse-ld=${linker}")
      break()
    endif()
  endforeach()
endif()

function(bdelta_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /permissive-)
    target_compile_definitions(${target} PRIVATE NOMINMAX UNICODE _UNICODE _CRT_SECURE_NO_WARNINGS)
  else()
    target_compile_options(${target} PRIVATE ${BDELTA_WARNINGS} $<$<BOOL:${BDELTA_DEVELOPER}>:-Werror>)
    target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
    if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # a file among others looks like a header
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
    endif()
  endif()
  if(BDELTA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${BDELTA_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # its checks of bounds are wrong about instrumented code
      target_compile_options(${target} PRIVATE -w)
    endif()
    target_link_options(${target} PUBLIC -fsanitize=${BDELTA_SANITIZE} ${BDELTA_FAST_LINKER})
  endif()
endfunction()

# bdelta_precompiled(NAME HEADERS …): an object library of precompiled headers that bdelta_precompile lets others use.
function(bdelta_precompiled name)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" "")
  add_library(${name} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  bdelta_compile_options(${name})
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

if(BDELTA_PRECOMPILE)
  set(headers <algorithm> <array> <cstdint> <cstring> <functional> <map> <memory> <optional> <span> <string> <thread>
    <unordered_map> <variant> <vector>)
  bdelta_precompiled(bdelta_precompiled_rooms ${headers})
  if(BDELTA_CALM_OPTIMISATION)
    bdelta_precompiled(bdelta_precompiled_calm ${headers})
    target_compile_options(bdelta_precompiled_calm PRIVATE ${BDELTA_CALM_OPTIMISATION})
  endif()
endif()

# bdelta_precompile(TARGET NAME): the target's files see the headers of bdelta_precompiled(NAME), if there are such.
function(bdelta_precompile target name)
  if(TARGET ${name})
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()

# bdelta_calm(TARGET): it spends little time itself.
function(bdelta_calm target)
  if(BDELTA_CALM_OPTIMISATION)
    target_compile_options(${target} PRIVATE ${BDELTA_CALM_OPTIMISATION})
    bdelta_precompile(${target} bdelta_precompiled_calm)
  else()
    bdelta_precompile(${target} bdelta_precompiled_rooms)
  endif()
endfunction()

# bdelta_compile_for_size(TARGET): it has no loops over bytes. It compiles faster, too. Precompiled headers, which have
# to be compiled as what uses them, take its place.
function(bdelta_compile_for_size target)
  if(NOT MSVC AND NOT BDELTA_PRECOMPILE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()
endfunction()

# bdelta_compile_files_for_size(FILES…): likewise files of a room of which others have such loops. From the room's folder.
function(bdelta_compile_files_for_size)
  if(NOT MSVC AND NOT BDELTA_PRECOMPILE)
    set_source_files_properties(${ARGN} DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
      PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-Os>")
  endif()
endfunction()

function(bdelta_room name)
  cmake_parse_arguments(room "COMPACT;CALM" "" "SOURCES;LINKS" ${ARGN})
  add_library(bdelta_${name} OBJECT ${room_SOURCES})
  target_include_directories(bdelta_${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  bdelta_compile_options(bdelta_${name})
  if(room_COMPACT OR room_CALM)
    bdelta_calm(bdelta_${name})
  else()
    bdelta_precompile(bdelta_${name} bdelta_precompiled_rooms)
  endif()
  if(room_COMPACT)
    bdelta_compile_for_size(bdelta_${name})
  endif()
  if(room_LINKS)
    target_link_libraries(bdelta_${name} PUBLIC ${room_LINKS})
  endif()
endfunction()
