// Hashes in names of Rust. A mangled name has one of every crate that it mentions, which changes with that crate's version,
// so that names which are the same in both files hardly look so. Matching looks past them.
//
// Source: RFC 2603, "Symbol name mangling v0": _R, and where a crate is named C, s, a number of up to 64 bits in base 62, _.
#pragma once

#include <cstdint>

#include "bdelta/io.hpp"

namespace bdelta::exe {

// Whether the name that begins there may have hashes. Names on macOS have an underscore more.
[[nodiscard]] inline bool is_rust_name(ByteSpan file, std::size_t begin) noexcept {
  if (begin >= file.size()) return false;
  const ByteSpan rest = file.subspan(begin);
  const std::size_t at = rest.size() > 2 && rest[1] == '_' ? 1 : 0;
  return rest.size() >= at + 2 && rest[at] == '_' && rest[at + 1] == 'R';
}

// Where the hash ends that begins at `at`, with its C and s; `at` itself if none does. Short numbers are no hashes.
[[nodiscard]] inline std::size_t crate_hash_end(ByteSpan file, std::size_t at) noexcept {
  constexpr std::size_t kLeastDigits = 8, kMostDigits = 11;
  const auto is_digit = [](std::uint8_t c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  if (file.size() - at < 3 || file[at] != 'C' || file[at + 1] != 's') return at;
  std::size_t end = at + 2;
  while (end < file.size() && end - at <= 2 + kMostDigits && is_digit(file[end])) ++end;
  const std::size_t digits = end - (at + 2);
  return digits >= kLeastDigits && digits <= kMostDigits && end < file.size() && file[end] == '_' ? end : at;
}

}  // namespace bdelta::exe
