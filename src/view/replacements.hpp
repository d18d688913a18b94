// What the view of a file replaces: streams by what they unpack to, directories of zip archives by a shorter description.
#pragma once

#include "view/packed_streams.hpp"

namespace bdelta::view {

// The entries of an archive's central directory. Positions are those of the file.
struct ZipDirectory {
  std::uint64_t file_pos = 0;
  std::uint64_t bytes = 0;        // of all entries, at least 1
  std::uint64_t archive_pos = 0;  // positions in the directory count from there; no more than file_pos
  std::uint64_t description_bytes = 0;   // of the description

  [[nodiscard]] std::uint64_t file_end() const noexcept { return file_pos + bytes; }
};

// In the order of the file.
using ZipDirectories = std::vector<ZipDirectory>;

// None inside another.
struct Replacements {
  PackedStreams streams;
  ZipDirectories directories;

  // Both, in the order of the file: a directory as a stream of as many raw bytes as its description has.
  [[nodiscard]] PackedStreams all() const;
};

// Calls on_directory and on_stream for each, in the order of the file.
template <class OnStream, class OnDirectory>
void visit(const Replacements& replaced, const OnStream& on_stream, const OnDirectory& on_directory) {
  std::size_t next = 0;
  const ZipDirectories& directories = replaced.directories;
  for (const PackedStream& stream : replaced.streams) {
    for (; next < directories.size() && directories[next].file_pos < stream.file_pos; ++next) on_directory(directories[next]);
    on_stream(stream);
  }
  for (; next < directories.size(); ++next) on_directory(directories[next]);
}

// Entries of all of them, in bytes.
[[nodiscard]] std::uint64_t entry_bytes_of(const ZipDirectories& directories) noexcept;

}  // namespace bdelta::view
