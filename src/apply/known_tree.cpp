#include "apply/known_tree.hpp"

#include <algorithm>
#include <chrono>

#include "apply/tree_update.hpp"
#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "io/open.hpp"

namespace bdelta {
namespace {

constexpr std::uint8_t kStateMagic[] = {'B', 'D', 'T', 'S', 1};  // the last byte is its version
constexpr const char* kStateName = "state";
constexpr std::uint64_t kMostStateBytes = std::uint64_t{1} << 32;
constexpr std::uint32_t kStateAreaMode = 0700;
constexpr std::int64_t kSettledNs = 2'000'000'000;  // that a file has to be older than its state, as clocks of disks are coarse
constexpr std::size_t kStampBytes = 32;

Bytes read_all(const std::filesystem::path& place) {
  const auto reader = open_random(place, {});
  if (!reader || (*reader)->size() > kMostStateBytes) return {};
  Bytes bytes(static_cast<std::size_t>((*reader)->size()));
  return (*reader)->read_at(0, bytes) ? bytes : Bytes();
}

// The manifest, and its entries' digests and stamps, of which a list has none. False if it is not that.
bool take_entries(ByteCursor& cursor, bool has_stamps, KnownTree& tree) {
  const ByteSpan bytes = cursor.bytes(cursor.varint());
  auto manifest = view::Manifest::decode(Bytes(bytes.begin(), bytes.end()), view::NameRules::kAny);
  const std::size_t entry_bytes = sizeof(Digest128) + (has_stamps ? kStampBytes : 0);
  if (!cursor.ok() || !manifest || cursor.available() != manifest->file_count() * entry_bytes) return false;
  tree.manifest = std::move(*manifest);
  tree.digests.resize(tree.manifest.entries().size());
  if (has_stamps) tree.stamps.resize(tree.digests.size());
  for (std::size_t i = 0; i < tree.digests.size(); ++i) {
    if (tree.manifest.entries()[i].kind != view::EntryKind::kFile) continue;
    const ByteSpan digest = cursor.bytes(sizeof(Digest128));
    std::copy(digest.begin(), digest.end(), tree.digests[i].begin());
    if (!has_stamps) continue;
    tree.stamps[i].device = cursor.le<std::uint64_t>();
    tree.stamps[i].inode = cursor.le<std::uint64_t>();
    tree.stamps[i].mtime_ns = static_cast<std::int64_t>(cursor.le<std::uint64_t>());
    tree.stamps[i].ctime_ns = static_cast<std::int64_t>(cursor.le<std::uint64_t>());
  }
  return true;
}

}  // namespace

std::optional<KnownTree> KnownTree::read(const std::filesystem::path& place) {
  const Bytes bytes = read_all(place);
  if (bytes.size() < std::size(kStateMagic) + sizeof(std::uint64_t) + sizeof(Digest128)) return {};
  const ByteSpan checked = ByteSpan(bytes).first(bytes.size() - sizeof(Digest128));
  const Digest128 digest = xxh3_128(checked);
  const bool is_whole = std::equal(digest.begin(), digest.end(), bytes.end() - sizeof(Digest128)) &&
                        std::equal(std::begin(kStateMagic), std::end(kStateMagic), bytes.begin());
  if (!is_whole) return {};
  ByteCursor cursor(checked.subspan(std::size(kStateMagic)));
  KnownTree tree;
  tree.kept_ns = static_cast<std::int64_t>(cursor.le<std::uint64_t>());
  if (!take_entries(cursor, true, tree)) return {};
  return tree;
}

std::optional<KnownTree> KnownTree::of_list(ByteSpan list) {
  ByteCursor cursor(list);
  KnownTree tree;
  if (!take_entries(cursor, false, tree)) return {};
  return tree;
}

Status KnownTree::write(const std::filesystem::path& place, const view::ScannedTree& tree, const std::vector<Digest128>& digests,
                        std::int64_t now_ns, const FileOptions& options) {
  Bytes bytes(std::begin(kStateMagic), std::end(kStateMagic));
  append_le(bytes, static_cast<std::uint64_t>(now_ns));
  append_varint(bytes, tree.manifest().bytes().size());
  append(bytes, tree.manifest().bytes());
  for (std::size_t i = 0; i < digests.size(); ++i) {
    if (tree.manifest().entries()[i].kind != view::EntryKind::kFile) continue;
    append(bytes, digests[i]);
    const view::ScannedTree::Stamp stamp = tree.stamp(i);
    append_le(bytes, stamp.device);
    append_le(bytes, stamp.inode);
    append_le(bytes, static_cast<std::uint64_t>(stamp.mtime_ns));
    append_le(bytes, static_cast<std::uint64_t>(stamp.ctime_ns));
  }
  append(bytes, xxh3_128(bytes));
  if (place == tree.name_of_root() / kUpdateArea / kStateName) {
    BDELTA_ASSIGN(const auto area, tree.directory().find(kUpdateArea));
    if (!area) BDELTA_TRY(tree.directory().make_directory(kUpdateArea, kStateAreaMode));
  }
  FileOptions how;
  how.sync = options.sync;
  how.overwrite = true;
  BDELTA_ASSIGN(const auto output, open_output(place, how));
  BDELTA_TRY(output->write(bytes));
  return output->finish();
}

std::int64_t KnownTree::clock_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::vector<std::optional<Digest128>> KnownTree::trusted(const view::ScannedTree& tree) const {
  const std::vector<std::uint32_t> counterparts = view::counterparts_of(manifest, tree.manifest());
  std::vector<std::optional<Digest128>> found(counterparts.size());
  for (std::size_t i = 0; i < counterparts.size(); ++i) {
    if (counterparts[i] == view::kNoEntry) continue;
    const view::TreeEntry& before = manifest.entries()[counterparts[i]];
    const view::ScannedTree::Stamp& stamp = stamps[counterparts[i]];
    const bool is_settled = stamp.mtime_ns <= kept_ns - kSettledNs && stamp.ctime_ns <= kept_ns - kSettledNs;
    const bool is_same = before.kind == view::EntryKind::kFile && tree.manifest().entries()[i].kind == before.kind &&
                         tree.manifest().entries()[i].bytes == before.bytes && tree.stamp(i) == stamp;
    if (is_same && is_settled) found[i] = digests[counterparts[i]];
  }
  return found;
}

std::filesystem::path state_place(const std::filesystem::path& directory, const ApplyOptions& options) {
  return options.state_file ? *options.state_file : directory / kUpdateArea / kStateName;
}

void forget_state(io::Directory& directory) {
  const std::string name = std::string(kUpdateArea) + '/' + kStateName;
  if (!directory.remove(name, false)) return;
  (void)directory.remove(kUpdateArea, true);  // unless something else is in it
}

}  // namespace bdelta
