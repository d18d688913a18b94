#include "view/tree/manifest.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta::view {
namespace {

Error corrupt_manifest(const char* what) {
  return {ErrorCode::kPatchCorrupt, std::string("the manifest of its tree ") + what + "; fetch the patch again"};
}

Error unsafe_name(std::string_view name, const char* what, const char* problem) {
  return {.code = ErrorCode::kUnsafeName, .detail = '"' + io::escaped(name) + "\": " + what + " " + problem};
}

// Up to the zero byte that ends it, which there has to be.
bool take_text(ByteCursor& cursor, std::string_view& text) noexcept {
  const auto* const begin = reinterpret_cast<const char*>(cursor.position());
  const std::size_t length = std::string_view(begin, cursor.available()).find('\0');
  if (length == std::string_view::npos) return false;
  text = {begin, length};
  (void)cursor.bytes(length + 1);
  return true;
}

class Decoder {
 public:
  Decoder(std::vector<TreeEntry>& entries, NameRules rules) : entries_(entries), rules_(rules) {}

  Status add(ByteCursor& cursor) {
    TreeEntry entry;
    entry.kind = static_cast<EntryKind>(cursor.u8());
    if (!take_text(cursor, entry.path)) return corrupt_manifest("ends inside an entry");
    if (const char* const problem = path_problem(entry.path, rules_)) return unsafe_name(entry.path, "its name", problem);
    switch (entry.kind) {
      case EntryKind::kDirectory: break;
      case EntryKind::kFile: entry.bytes = cursor.varint(); break;
      case EntryKind::kLink:
        if (!take_text(cursor, entry.target)) return corrupt_manifest("ends inside an entry");
        if (const char* const problem = link_problem(entry.target)) return unsafe_name(entry.path, "its target", problem);
        break;
      default: return corrupt_manifest("has an entry of no known kind");
    }
    if (!cursor.ok()) return corrupt_manifest("ends inside an entry");
    if (!entries_.empty() && entry.path <= entries_.back().path) return corrupt_manifest("is out of order");
    if (!has_parent(entry.path)) return corrupt_manifest("has an entry below what is no directory");
    entries_.push_back(entry);
    return {};
  }

 private:
  // Neighbours mostly have the same one.
  bool has_parent(std::string_view path) {
    const std::size_t end = path.rfind('/');
    if (end == path.npos) return true;
    const std::string_view parent = path.substr(0, end);
    if (parent == last_parent_) return true;
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), parent,
                                        [](const TreeEntry& entry, std::string_view name) { return entry.path < name; });
    if (found == entries_.end() || found->path != parent || found->kind != EntryKind::kDirectory) return false;
    last_parent_ = parent;
    return true;
  }

  std::vector<TreeEntry>& entries_;
  const NameRules rules_;
  std::string_view last_parent_;
};

void append_text(Bytes& to, std::string_view text) {
  append(to, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  to.push_back(0);
}

}  // namespace

Result<Manifest> Manifest::decode(Bytes bytes, NameRules rules) {
  Manifest manifest;
  manifest.bytes_ = std::move(bytes);
  ByteCursor cursor(manifest.bytes_);
  Decoder decoder(manifest.entries_, rules);
  while (cursor.available() > 0) {
    BDELTA_TRY(decoder.add(cursor));
    const TreeEntry& entry = manifest.entries_.back();
    if (entry.bytes > kMostTreeBytes - manifest.file_bytes_) return corrupt_manifest("has an impossible size");
    manifest.file_bytes_ += entry.bytes;
    manifest.file_count_ += entry.kind == EntryKind::kFile ? 1 : 0;
  }
  return manifest;
}

void append_entry(Bytes& manifest, const TreeEntry& entry) {
  manifest.push_back(static_cast<std::uint8_t>(entry.kind));
  append_text(manifest, entry.path);
  if (entry.kind == EntryKind::kFile) append_varint(manifest, entry.bytes);
  if (entry.kind == EntryKind::kLink) append_text(manifest, entry.target);
}

std::vector<std::uint32_t> counterparts_of(const Manifest& source, const Manifest& target) {
  const std::vector<TreeEntry>& of_source = source.entries();
  std::vector<std::uint32_t> counterparts;
  counterparts.reserve(target.entries().size());
  std::size_t at = 0;
  for (const TreeEntry& entry : target.entries()) {
    while (at < of_source.size() && of_source[at].path < entry.path) ++at;
    const bool is_same = at < of_source.size() && of_source[at].path == entry.path;
    counterparts.push_back(is_same ? static_cast<std::uint32_t>(at) : kNoEntry);
  }
  return counterparts;
}

Digest128 tree_digest(const Manifest& manifest, const std::vector<Digest128>& digests) {
  Xxh3Hasher hasher;
  hasher.update(manifest.bytes());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    if (manifest.entries()[i].kind == EntryKind::kFile) hasher.update(digests[i]);
  }
  return hasher.digest();
}

}  // namespace bdelta::view
