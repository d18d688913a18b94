// The streams of a zip archive that could be unpacked.
#pragma once

#include <algorithm>

#include "view/find_streams.hpp"

namespace bdelta::test {

// In the order of the file, none overlapping; empty for a file that is no archive.
inline std::vector<view::FoundStream> zip_streams(ByteSpan file) {
  std::vector<view::FoundStream> found;
  for (const view::ZipEntry& entry : view::find_zip_entries(file)) {
    if (!view::is_unpackable(entry)) continue;
    found.push_back({entry.data_pos, entry.packed_bytes, entry.raw_bytes, std::string(entry.name)});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const view::FoundStream& a, const view::FoundStream& b) { return a.file_pos < b.file_pos; });
  std::uint64_t end = 0;
  std::erase_if(found, [&](const view::FoundStream& stream) {
    if (stream.file_pos < end) return true;
    end = stream.file_pos + stream.packed_bytes;
    return false;
  });
  return found;
}

}  // namespace bdelta::test
