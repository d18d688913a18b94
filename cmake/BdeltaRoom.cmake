# bdelta_room(NAME SOURCES … [LINKS …] [COMPACT])
# One room of the architecture is one object library `bdelta_NAME`; it sees the public headers and `src/`.
# LINKS names system libraries. COMPACT rooms have no loops over bytes: they are compiled for size, as updaters carry
# them. Which room may include which is checked by tests/rooms.
include(CheckCXXSymbolExists)

set(BDELTA_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor
    -Woverloaded-virtual -Wcast-align -Wundef)
# Positions in files have 64 bits everywhere; where addresses have 32, each that becomes an index would be warned of.
if(CMAKE_SIZEOF_VOID_P LESS 8)
  list(APPEND BDELTA_WARNINGS -Wno-conversion)
endif()

function(bdelta_compile_options target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  if(MSVC)
    target_compile_options(${target} PRIVATE /W4 /permissive-)
    target_compile_definitions(${target} PRIVATE NOMINMAX UNICODE _UNICODE _CRT_SECURE_NO_WARNINGS)
  else()
    target_compile_options(${target} PRIVATE ${BDELTA_WARNINGS} $<$<BOOL:${BDELTA_DEVELOPER}>:-Werror>)
    target_compile_definitions(${target} PRIVATE _FILE_OFFSET_BITS=64)
  endif()
  if(BDELTA_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${BDELTA_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${BDELTA_SANITIZE})
  endif()
endfunction()

function(bdelta_room name)
  cmake_parse_arguments(room "COMPACT" "" "SOURCES;LINKS" ${ARGN})
  add_library(bdelta_${name} OBJECT ${room_SOURCES})
  target_include_directories(bdelta_${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  bdelta_compile_options(bdelta_${name})
  if(room_COMPACT AND NOT MSVC)
    target_compile_options(bdelta_${name} PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()
  if(room_LINKS)
    target_link_libraries(bdelta_${name} PUBLIC ${room_LINKS})
  endif()
endfunction()
