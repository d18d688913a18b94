// What the parts of make_seeds share.
#pragma once

#include <initializer_list>
#include <string>

#include "base/bytes.hpp"

namespace bdelta::fuzz {

// Writes a seed of a target. The first one of each target takes the place of all that were there.
void save(const std::string& target, const std::string& name, const Bytes& bytes);

inline Bytes joined(std::initializer_list<ByteSpan> parts) {
  Bytes bytes;
  for (const ByteSpan part : parts) append(bytes, part);
  return bytes;
}

template <class T>
Bytes number(T value) {
  Bytes bytes;
  append_le(bytes, value);
  return bytes;
}

// Images and code.
void save_programs();
void save_code();

// Directories; containers as their views show them, with streams unpacked, and packed; streams, and views of archives.
void save_trees();
void save_members();
void save_deflate();
void save_views();

// Inputs whose shapes are those of the targets, and programs of calls of the C interface.
void save_structured();
void save_calls();

}  // namespace bdelta::fuzz
