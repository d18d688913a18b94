# bdelta_room(NAME SOURCES … [LINKS …] [COMPACT] [COLD])
# One room of the architecture is one object library `bdelta_NAME`; it sees the public headers and `src/`.
# LINKS names system libraries. COMPACT rooms have no loops over bytes: they are compiled for size, as updaters carry
# them. COLD rooms leave most of the loops over bytes to others: see bdelta_precompile. COMPACT rooms are cold, too.
# Which room may include which is checked by tests/rooms.
include(CheckCXXSymbolExists)

# With CMAKE_UNITY_BUILD, which the presets of the gate and of the sanitizers set too, a room's files are compiled
# together; src/CMakeLists.txt says which are not.
option(BDELTA_PRECOMPILE "Compile the standard library's headers once; off, each file has to include what it needs" OFF)

set(BDELTA_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wcast-align -Wundef)
# Positions in files have 64 bits everywhere; where addresses have 32, each that becomes an index would be warned of.
if(CMAKE_SIZEOF_VOID_P LESS 8)
  list(APPEND BDELTA_WARNINGS -Wno-conversion)
endif()

include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:--gc-sections BDELTA_HAVE_GC_SECTIONS)

function(bdelta_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /permissive-)
    target_compile_definitions(${target} PRIVATE NOMINMAX UNICODE _UNICODE _CRT_SECURE_NO_WARNINGS)
  else()
    target_compile_options(${target} PRIVATE ${BDELTA_WARNINGS} $<$<BOOL:${BDELTA_DEVELOPER}>:-Werror>)
    target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
    if(BDELTA_HAVE_GC_SECTIONS)  # what nothing calls takes no room, in programs that link the archives neither
      target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
      target_link_options(${target} PRIVATE LINKER:--gc-sections)
    endif()
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
    target_link_options(${target} PUBLIC -fsanitize=${BDELTA_SANITIZE})
  endif()
endfunction()

# bdelta_unoptimised(TARGET): for what takes longer to compile than to run.
function(bdelta_unoptimised target)
  target_compile_options(${target} PRIVATE -O0 -fno-function-sections -fno-data-sections)
endfunction()

# What is COLD compiles for AddressSanitizer in a third of the time without optimising. Quick builds do so.
set(BDELTA_COLD_UNOPTIMISED OFF)
if(BDELTA_PRECOMPILE AND BDELTA_SANITIZE MATCHES address)
  set(BDELTA_COLD_UNOPTIMISED ON)
endif()

# bdelta_precompiled(NAME HEADERS …): an object library of precompiled headers, for REUSE_FROM. Those that use NAME_cold
# are not optimised.
function(bdelta_precompiled name)
  file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" "")
  foreach(precompiled ${name} ${name}_cold)
    add_library(${precompiled} OBJECT EXCLUDE_FROM_ALL "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
    bdelta_compile_options(${precompiled})
    target_precompile_headers(${precompiled} PRIVATE ${ARGN})
  endforeach()
  if(NOT MSVC)
    bdelta_unoptimised(${name}_cold)
  endif()
endfunction()

if(BDELTA_PRECOMPILE)
  bdelta_precompiled(bdelta_precompiled_rooms <algorithm> <array> <cstdint> <cstring> <functional> <map> <memory> <optional>
    <span> <string> <thread> <unordered_map> <variant> <vector>)
endif()

# bdelta_precompile(TARGET [COLD]): its files see the standard library's headers that are compiled once, if
# BDELTA_PRECOMPILE is set. COLD: see BDELTA_COLD_UNOPTIMISED.
function(bdelta_precompile target)
  if("COLD" IN_LIST ARGN AND BDELTA_COLD_UNOPTIMISED)
    bdelta_unoptimised(${target})
    target_precompile_headers(${target} REUSE_FROM bdelta_precompiled_rooms_cold)
  elseif(BDELTA_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM bdelta_precompiled_rooms)
  endif()
endfunction()

# bdelta_compile_for_size(TARGET): it has no loops over bytes. It compiles faster, too. Precompiled headers, which have
# to be compiled as what uses them, take its place.
function(bdelta_compile_for_size target)
  if(NOT MSVC AND NOT BDELTA_PRECOMPILE)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()
endfunction()

# bdelta_compile_files(FLAG FILES…): files of a room with another optimisation than the others, from the room's folder. -Os
# where there are no loops over bytes; -O2 where loops are the same speed without what makes them several times as large.
function(bdelta_compile_files flag)
  if(NOT MSVC AND NOT BDELTA_PRECOMPILE)
    set_source_files_properties(${ARGN} DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
      PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:${flag}>")
  endif()
endfunction()

function(bdelta_room name)
  cmake_parse_arguments(room "COMPACT;COLD" "" "SOURCES;LINKS" ${ARGN})
  add_library(bdelta_${name} OBJECT ${room_SOURCES})
  target_include_directories(bdelta_${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  bdelta_compile_options(bdelta_${name})
  set(heat "")
  if(room_COLD OR room_COMPACT)
    set(heat COLD)
  endif()
  bdelta_precompile(bdelta_${name} ${heat})
  if(room_COMPACT)
    bdelta_compile_for_size(bdelta_${name})
  endif()
  if(room_LINKS)
    target_link_libraries(bdelta_${name} PUBLIC ${room_LINKS})
  endif()
endfunction()
