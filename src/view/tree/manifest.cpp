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

// False if it ends before its end.
bool take_entry(ByteCursor& cursor, TreeEntry& entry) noexcept {
  entry.kind = static_cast<EntryKind>(cursor.u8());
  if (!take_text(cursor, entry.path)) return false;
  if (entry.kind == EntryKind::kFile) entry.bytes = cursor.varint();
  if (entry.kind == EntryKind::kLink && !take_text(cursor, entry.target)) return false;
  return cursor.ok();
}

// Of bytes that were proven.
std::string_view path_at(const std::uint8_t* entry) noexcept { return reinterpret_cast<const char*>(entry + 1); }

Status check_entry(const TreeEntry& entry, NameRules rules) {
  if (const char* const problem = path_problem(entry.path, rules)) return unsafe_name(entry.path, "its name", problem);
  const bool is_known = entry.kind == EntryKind::kDirectory || entry.kind == EntryKind::kFile || entry.kind == EntryKind::kLink;
  if (!is_known) return corrupt_manifest("has an entry of no known kind");
  const char* const problem = entry.kind == EntryKind::kLink ? link_problem(entry.target) : nullptr;
  return problem ? unsafe_name(entry.path, "its target", problem) : Status();
}

// The directories that the next entry may be in. The path of each begins the next one's.
class OpenDirectories {
 public:
  // Whether one is there that the entry is in. What is below a directory comes behind others that begin like it, such as "a-b"
  // between "a" and "a/b".
  bool add(const TreeEntry& entry) {
    while (!paths_.empty() && has_ended(paths_.back(), entry.path)) paths_.pop_back();
    const std::size_t end = entry.path.rfind('/');
    const bool has_parent = end == entry.path.npos || std::find(paths_.rbegin(), paths_.rend(), entry.path.substr(0, end)) != paths_.rend();
    if (entry.kind == EntryKind::kDirectory) paths_.push_back(entry.path);
    return has_parent;
  }

 private:
  // Nothing below `directory` comes any more where `path` does.
  static bool has_ended(std::string_view directory, std::string_view path) noexcept {
    const int order = path.substr(0, directory.size()).compare(directory);
    return order > 0 || (order == 0 && path.size() > directory.size() && path[directory.size()] > '/');
  }

  std::vector<std::string_view> paths_;
};

void append_text(Bytes& to, std::string_view text) {
  append(to, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  to.push_back(0);
}

}  // namespace

Result<Manifest> Manifest::decode(Bytes bytes, NameRules rules) {
  if (bytes.size() > kMostManifestBytes) return corrupt_manifest("has more than 2 GiB");
  Manifest manifest;
  manifest.bytes_ = std::move(bytes);
  manifest.size_ = manifest.bytes_.size();
  ByteCursor cursor(manifest.bytes_);
  OpenDirectories directories;
  std::string_view last;
  while (cursor.available() > 0) {
    const auto start = static_cast<std::uint32_t>(manifest.size_ - cursor.available());
    TreeEntry entry;
    const bool is_whole = take_entry(cursor, entry);
    BDELTA_TRY(is_whole ? check_entry(entry, rules) : Status(corrupt_manifest("ends inside an entry")));
    if (entry.path <= last) return corrupt_manifest("is out of order");
    last = entry.path;
    if (!directories.add(entry)) return corrupt_manifest("has an entry below what is no directory");
    if (entry.bytes > kMostTreeBytes - manifest.file_bytes_) return corrupt_manifest("has an impossible size");
    manifest.starts_.push_back(start);
    manifest.file_bytes_ += entry.bytes;
    manifest.file_count_ += entry.kind == EntryKind::kFile ? 1 : 0;
  }
  return manifest;
}

const std::uint8_t* Manifest::held(std::uint32_t place) const noexcept {
  return place < shared_.size() ? shared_.data() + place : bytes_.data() + (place - shared_.size());
}

TreeEntry Manifest::entry(std::size_t number) const noexcept {
  const std::uint32_t place = starts_[number];
  const ByteSpan whole = place < shared_.size() ? shared_ : ByteSpan(bytes_);
  const std::uint8_t* const begin = held(place);
  ByteCursor cursor({begin, static_cast<std::size_t>(whole.data() + whole.size() - begin)});
  TreeEntry entry;
  (void)take_entry(cursor, entry);
  return entry;
}

std::uint32_t Manifest::find(std::string_view path) const noexcept {
  const auto is_before = [this](std::uint32_t start, std::string_view name) { return path_at(held(start)) < name; };
  const auto found = std::lower_bound(starts_.begin(), starts_.end(), path, is_before);
  return found != starts_.end() && path_at(held(*found)) == path ? static_cast<std::uint32_t>(found - starts_.begin()) : kNoEntry;
}

std::uint32_t Manifest::end_of(std::size_t entry) const noexcept {
  return entry + 1 < starts_.size() ? starts_[entry + 1] : static_cast<std::uint32_t>(size_);
}

void Manifest::share(const Manifest& source, const std::vector<std::uint32_t>& counterparts) {
  if (starts_.empty() || !pieces_.empty() || !source.pieces_.empty()) return;
  Bytes own;
  std::vector<std::uint32_t> places;
  places.reserve(starts_.size());
  std::uint32_t next = ~std::uint32_t{0};  // where the piece at hand goes on
  for (std::size_t i = 0; i < starts_.size(); ++i) {
    const ByteSpan bytes = ByteSpan(bytes_).subspan(starts_[i], end_of(i) - starts_[i]);
    const std::uint32_t of_source = counterparts[i];
    const bool is_shared = of_source != kNoEntry && source.end_of(of_source) - source.starts_[of_source] == bytes.size() &&
                           std::equal(bytes.begin(), bytes.end(), source.bytes_.begin() + source.starts_[of_source]);
    places.push_back(is_shared ? source.starts_[of_source] : static_cast<std::uint32_t>(source.size_ + own.size()));
    if (!is_shared) append(own, bytes);
    // Where one has its end and the other its begin, the number goes on and the memory does not.
    if (places.back() != next || next == source.size_) pieces_.push_back({starts_[i], places.back()});
    next = places.back() + static_cast<std::uint32_t>(bytes.size());
  }
  shared_ = source.bytes_;
  starts_ = std::move(places);
  bytes_ = std::move(own);
}

void Manifest::read(std::uint64_t pos, MutableByteSpan out) const {
  const auto take = [&out](const std::uint8_t* from, std::size_t count) {
    std::copy_n(from, count, out.begin());
    out = out.subspan(count);
  };
  if (pieces_.empty()) return take(bytes_.data() + pos, out.size());
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), pos, [](std::uint64_t at, const Piece& of) { return at < of.pos; }) - 1;
  for (; !out.empty(); ++piece) {
    const std::uint64_t end = piece + 1 == pieces_.end() ? size_ : (piece + 1)->pos;
    const auto skipped = static_cast<std::uint32_t>(pos - piece->pos);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), end - pos));
    take(held(piece->place + skipped), count);
    pos += count;
  }
}

void append_entry(Bytes& manifest, const TreeEntry& entry) {
  manifest.push_back(static_cast<std::uint8_t>(entry.kind));
  append_text(manifest, entry.path);
  if (entry.kind == EntryKind::kFile) append_varint(manifest, entry.bytes);
  if (entry.kind == EntryKind::kLink) append_text(manifest, entry.target);
}

std::vector<std::uint32_t> counterparts_of(const Manifest& source, const Manifest& target) {
  const TreeEntries of_source = source.entries();
  std::vector<std::uint32_t> counterparts;
  counterparts.reserve(target.entries().size());
  std::size_t at = 0;
  std::string_view path = of_source.size() > 0 ? of_source[0].path : std::string_view();  // of the one at hand
  const auto advance = [&] { path = ++at < of_source.size() ? of_source[at].path : std::string_view(); };
  for (const TreeEntry& entry : target.entries()) {
    while (at < of_source.size() && path < entry.path) advance();
    const bool is_same = at < of_source.size() && path == entry.path;
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
