// The central directory of a zip archive, and how a view tells it: by the local headers that it repeats. A member that moves
// or changes leaves no trace in it then.
#pragma once

#include <optional>

#include "view/packed_streams.hpp"
#include "view/zip_headers.hpp"

namespace bdelta::view {

// Where one stands.
struct ZipDirectory {
  std::uint64_t bytes = 0;         // of its entries; 0: there is none
  std::uint64_t behind_bytes = 0;  // of the file, behind them
  std::uint64_t shift = 0;         // positions in it are too small by that

  // Whether it may stand in a file.
  [[nodiscard]] bool fits(std::uint64_t file_bytes) const noexcept {
    return bytes <= file_bytes && behind_bytes <= file_bytes - bytes && shift <= pos_in(file_bytes);
  }
  [[nodiscard]] std::uint64_t pos_in(std::uint64_t file_bytes) const noexcept { return file_bytes - behind_bytes - bytes; }
};

// Of what is told of entries.
[[nodiscard]] constexpr std::uint64_t most_told_bytes(const ZipDirectory& directory) noexcept {
  return directory.bytes + directory.bytes / 8;
}

// What both directories take beside the views, with the headers that they are told by.
[[nodiscard]] constexpr std::uint64_t directory_memory_bytes(const ZipDirectory& source, const ZipDirectory& target) noexcept {
  return 5 * (source.bytes > target.bytes ? source.bytes : target.bytes);
}

// Of the directory in `file`: what is told of it. Nothing if it stands elsewhere than inside, behind all streams, or is not of
// whole entries.
[[nodiscard]] std::optional<Bytes> tell_directory(ByteSpan file, const PackedStreams& streams, const ZipDirectory& directory);

// The entries, by the headers in front of them; nothing if `told` can't be said of so many bytes.
[[nodiscard]] std::optional<Bytes> make_directory(ByteSpan told, const ZipHeaders& headers, const ZipDirectory& directory);

}  // namespace bdelta::view
