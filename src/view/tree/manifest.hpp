// The manifest of a tree: which entries it has, in the order of their paths, as bytes that a patch codes against those of OLD.
// FORMAT.md, "Trees".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "hash/xxh3.hpp"
#include "view/tree/names.hpp"

namespace bdelta::view {

enum class EntryKind : std::uint8_t { kDirectory = 'd', kFile = 'f', kLink = 'l' };

struct TreeEntry {
  EntryKind kind = EntryKind::kFile;
  std::string_view path;    // "/" between its parts
  std::uint64_t bytes = 0;  // of a file
  std::string_view target;  // of a link
};

inline constexpr std::uint64_t kMostTreeBytes = (std::uint64_t{1} << 48) - 1;  // of a file, and of all together
inline constexpr std::uint64_t kLeastEntryBytes = 3;                           // that an entry has in a manifest
inline constexpr std::uint64_t kEntryHeldBytes = 128;                          // more that one takes when it is read, at most
inline constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

class Manifest {
 public:
  // What stands in a manifest, proven: names by the rules of `rules`, strictly ascending, each directory above an entry in front
  // of it, sizes within kMostTreeBytes. kUnsafeName for a name, kPatchCorrupt for all else.
  static Result<Manifest> decode(Bytes bytes, NameRules rules);

  [[nodiscard]] ByteSpan bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::vector<TreeEntry>& entries() const noexcept { return entries_; }
  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return file_bytes_; }  // of all files
  [[nodiscard]] std::size_t file_count() const noexcept { return file_count_; }

  // Of the tree's stream, which has the manifest and all files.
  [[nodiscard]] std::uint64_t stream_bytes() const noexcept { return bytes_.size() + file_bytes_; }

 private:
  Bytes bytes_;
  std::vector<TreeEntry> entries_;  // which point into bytes_
  std::uint64_t file_bytes_ = 0;
  std::size_t file_count_ = 0;
};

// Appends what a manifest has of an entry.
void append_entry(Bytes& manifest, const TreeEntry& entry);

// For each entry of `target` the number of the one of `source` with the same path, else kNoEntry.
[[nodiscard]] std::vector<std::uint32_t> counterparts_of(const Manifest& source, const Manifest& target);

// The digest of a tree: XXH3-128 over the manifest and the digests of its files, which stand at the numbers of their entries.
[[nodiscard]] Digest128 tree_digest(const Manifest& manifest, const std::vector<Digest128>& digests);

}  // namespace bdelta::view
