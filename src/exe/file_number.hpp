// Numbers at positions that come from the file itself: what lies outside of it reads as 0.
#pragma once

#include "base/bytes.hpp"
#include "base/checked.hpp"

namespace bdelta::exe {

template <class T>
[[nodiscard]] inline T number_at(ByteSpan file, std::uint64_t pos) noexcept {
  return range_fits(pos, sizeof(T), file.size()) ? load_le<T>(file.data() + pos) : T{0};
}

// Bytes [pos, pos + size), or none of them if not all are there.
[[nodiscard]] inline ByteSpan bytes_at(ByteSpan file, std::uint64_t pos, std::uint64_t size) noexcept {
  if (!range_fits(pos, size, file.size())) return {};
  return file.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(size));
}

}  // namespace bdelta::exe
