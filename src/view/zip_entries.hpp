// What the central directory of a zip archive says of its members.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "view/replacements.hpp"

namespace bdelta::view {

// Positions are those of the file.
struct ZipEntry {
  std::string_view name;           // in the file, which must outlive it
  std::uint16_t method = 0;        // how it is packed
  bool is_encrypted = false;
  std::uint64_t begin = 0;         // of its local header
  std::uint64_t data_pos = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t raw_bytes = 0;     // as the directory says

  [[nodiscard]] std::uint64_t data_end() const noexcept { return data_pos + packed_bytes; }
  [[nodiscard]] bool is_folder() const noexcept { return name.empty() || name.back() == '/'; }
};

// Where the end record of an archive begins, if these bytes end with one and its comment.
[[nodiscard]] std::optional<std::uint64_t> find_zip_end(ByteSpan file);

// In the order of the directory: entries whose member is inside the file, in front of the directory. They may overlap. Empty
// for a file that is no archive, or whose directory is not of whole entries.
[[nodiscard]] std::vector<ZipEntry> find_zip_entries(ByteSpan file);

// The same in the order of the file, without those that overlap one in front of them.
[[nodiscard]] std::vector<ZipEntry> find_zip_entries_apart(ByteSpan file);

// The directory that find_zip_entries goes through, as far as it is of whole entries.
[[nodiscard]] std::optional<ZipDirectory> find_zip_directory(ByteSpan file);

}  // namespace bdelta::view
