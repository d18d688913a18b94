#include "view/replacements.hpp"

namespace bdelta::view {

PackedStreams Replacements::all() const {
  PackedStreams parts;
  parts.reserve(streams.size() + directories.size());
  visit(*this, [&](const PackedStream& stream) { parts.push_back(stream); },
        [&](const ZipDirectory& directory) { parts.push_back({directory.file_pos, directory.bytes, directory.description_bytes}); });
  return parts;
}

std::uint64_t entry_bytes_of(const ZipDirectories& directories) noexcept {
  std::uint64_t bytes = 0;
  for (const ZipDirectory& directory : directories) bytes += directory.bytes;
  return bytes;
}

}  // namespace bdelta::view
