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
inline constexpr std::uint64_t kMostManifestBytes = (std::uint64_t{1} << 31) - 1;
inline constexpr std::uint64_t kLeastEntryBytes = 3;                           // that an entry has in a manifest
inline constexpr std::uint64_t kEntryHeldBytes = 128;                          // more that one takes when it is read, at most
inline constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

class Manifest;

// The entries of a manifest by their numbers. Each is read from its bytes when it is asked for, as lists of them would take more.
class TreeEntries {
 public:
  class Iterator {
   public:
    Iterator(const Manifest& manifest, std::size_t at) noexcept : manifest_(&manifest), at_(at) {}
    TreeEntry operator*() const noexcept;
    Iterator& operator++() noexcept {
      ++at_;
      return *this;
    }
    friend bool operator!=(const Iterator& a, const Iterator& b) noexcept { return a.at_ != b.at_; }

   private:
    const Manifest* manifest_;
    std::size_t at_;
  };

  explicit TreeEntries(const Manifest& manifest) noexcept : manifest_(manifest) {}
  [[nodiscard]] std::size_t size() const noexcept;
  TreeEntry operator[](std::size_t entry) const noexcept;
  [[nodiscard]] Iterator begin() const noexcept { return {manifest_, 0}; }
  [[nodiscard]] Iterator end() const noexcept { return {manifest_, size()}; }

 private:
  const Manifest& manifest_;
};

class Manifest {
 public:
  // What stands in a manifest, proven: names by the rules of `rules`, strictly ascending, each directory above an entry in front
  // of it, sizes within kMostTreeBytes, all within kMostManifestBytes. kUnsafeName for a name, kPatchCorrupt for all else.
  static Result<Manifest> decode(Bytes bytes, NameRules rules);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] ByteSpan bytes() const noexcept { return bytes_; }  // once they are shared, those of its own
  [[nodiscard]] TreeEntries entries() const noexcept { return TreeEntries(*this); }
  [[nodiscard]] TreeEntry entry(std::size_t number) const noexcept;
  [[nodiscard]] std::uint32_t find(std::string_view path) const noexcept;  // its number, kNoEntry without
  [[nodiscard]] std::uint64_t file_bytes() const noexcept { return file_bytes_; }  // of all files
  [[nodiscard]] std::size_t file_count() const noexcept { return file_count_; }
  [[nodiscard]] std::size_t entry_count() const noexcept { return starts_.size(); }

  // Of the tree's stream, which has the manifest and all files.
  [[nodiscard]] std::uint64_t stream_bytes() const noexcept { return size_ + file_bytes_; }

  // From now on the bytes of entries that `source` has too are held there alone. It must outlive this, and stay where it is.
  void share(const Manifest& source, const std::vector<std::uint32_t>& counterparts);

  // Bytes of the manifest, shared or not; the range lies within size().
  void read(std::uint64_t pos, MutableByteSpan out) const;

  // Of memory; the same on every system.
  [[nodiscard]] std::uint64_t held_bytes() const noexcept {
    return bytes_.size() + starts_.size() * sizeof(starts_[0]) + pieces_.size() * sizeof(Piece);
  }

 private:
  // Where bytes of a shared manifest are held. They end where the next piece begins.
  struct Piece {
    std::uint32_t pos;    // in the manifest
    std::uint32_t place;  // as `starts_` has it
  };

  [[nodiscard]] const std::uint8_t* held(std::uint32_t place) const noexcept;
  [[nodiscard]] std::uint32_t end_of(std::size_t entry) const noexcept;

  Bytes bytes_;      // all of them; once they are shared, those that the other manifest has not
  ByteSpan shared_;  // what it has, nothing before
  std::size_t size_ = 0;
  std::vector<std::uint32_t> starts_;  // of each entry, in shared_ and behind it bytes_
  std::vector<Piece> pieces_;          // nothing before
  std::uint64_t file_bytes_ = 0;
  std::size_t file_count_ = 0;
};

inline TreeEntry TreeEntries::Iterator::operator*() const noexcept { return manifest_->entry(at_); }
inline std::size_t TreeEntries::size() const noexcept { return manifest_.entry_count(); }
inline TreeEntry TreeEntries::operator[](std::size_t entry) const noexcept { return manifest_.entry(entry); }

// Appends what a manifest has of an entry.
void append_entry(Bytes& manifest, const TreeEntry& entry);

// For each entry of `target` the number of the one of `source` with the same path, else kNoEntry.
[[nodiscard]] std::vector<std::uint32_t> counterparts_of(const Manifest& source, const Manifest& target);

// The digest of a tree: XXH3-128 over the manifest and the digests of its files, which stand at the numbers of their entries.
[[nodiscard]] Digest128 tree_digest(const Manifest& manifest, const std::vector<Digest128>& digests);

}  // namespace bdelta::view
