#include "view/tree/files.hpp"

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta::view {
namespace {

constexpr std::size_t kDigestPieceBytes = std::size_t{256} << 10;
constexpr std::size_t kTaskFiles = 64;  // digested by one task, of small ones
constexpr std::uint64_t kTaskFileBytes = std::uint64_t{4} << 20;
constexpr const char* kRunAgain = "run again when nothing writes to the directory";

Error unsupported(const std::filesystem::path& name, const char* what) {
  return io::file_error(ErrorCode::kUnsupportedEntry, name, what, "take it away, or leave it out by a pattern of `exclude`");
}

}  // namespace

// Goes through the directories, in no order that matters.
class ScannedTree::Scan {
 public:
  Scan(ScannedTree& tree, const std::vector<std::string>& excluded, Watch* watch, const Manifest* listed)
      : tree_(tree), excluded_(excluded), watch_(watch), listed_(listed) {}

  Status run() {
    pending_.emplace_back();
    while (!pending_.empty()) {
      const std::string path = std::move(pending_.back());
      pending_.pop_back();
      BDELTA_TRY(list(path));
    }
    std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.path < b.path; });
    std::sort(tree_.passed_over_.begin(), tree_.passed_over_.end());
    Bytes manifest;
    for (const Found& found : found_) {
      append_entry(manifest, {found.kind, found.path, found.bytes, found.target});
      tree_.seen_.push_back(found.seen);
    }
    auto decoded = Manifest::decode(std::move(manifest), NameRules::kAny);
    if (!decoded) return io::file_error(ErrorCode::kFileTooLarge, tree_.directory_->name_of({}), decoded.error().detail);
    tree_.manifest_ = std::move(*decoded);
    return {};
  }

 private:
  struct Found {
    EntryKind kind;
    std::string path;
    std::uint64_t bytes;
    std::string target;
    Seen seen;
  };

  [[nodiscard]] bool is_excluded(const std::string& path, const std::string& part) const {
    return is_own_name(part) || !is_listed(path) || std::any_of(excluded_.begin(), excluded_.end(),
                                            [&](const std::string& pattern) { return fits_pattern(path, pattern); });
  }

  [[nodiscard]] bool is_listed(const std::string& path) const {
    if (!listed_) return true;
    const auto found = std::lower_bound(listed_->entries().begin(), listed_->entries().end(), std::string_view(path),
                                        [](const TreeEntry& entry, std::string_view name) { return entry.path < name; });
    return found != listed_->entries().end() && found->path == path;
  }

  Status list(const std::string& path) {
    io::Directory& directory = *tree_.directory_;
    const std::filesystem::path name = directory.name_of(path);
    BDELTA_ASSIGN(const io::FileHandle handle, directory.open_entry(path, io::OpenAtKind::kDirectory));
    if (path.empty()) {
      BDELTA_ASSIGN(const io::FileInfo root, io::info_of(handle, name));
      tree_.root_ = seen(root);
    }
    BDELTA_ASSIGN(const std::vector<std::string> parts, io::Directory::list(handle, name));
    for (const std::string& part : parts) {
      std::string inner = path.empty() ? part : path + '/' + part;
      if (!is_excluded(inner, part)) {
        BDELTA_TRY(add(std::move(inner)));
      } else if (!path.empty() || !is_own_name(part)) {
        tree_.passed_over_.push_back(std::move(inner));
      }
    }
    return watch_ ? watch_->check() : Status();
  }

  Status add(std::string path) {
    io::Directory& directory = *tree_.directory_;
    if (const char* const problem = path_problem(path, NameRules::kAny)) {
      return unsupported(directory.name_of(path), (std::string("its name ") + problem).c_str());
    }
    BDELTA_ASSIGN(const io::FileInfo info, directory.info(path));
    Found found{EntryKind::kFile, {}, 0, {}, seen(info)};
    if (info.is_directory) {
      found.kind = EntryKind::kDirectory;
      pending_.push_back(path);
    } else if (info.is_symlink) {
      found.kind = EntryKind::kLink;
      BDELTA_ASSIGN(found.target, directory.read_link(path));
      if (link_problem(found.target)) return unsupported(directory.name_of(path), "a link to a name that is too long");
    } else if (info.is_regular) {
      found.bytes = info.size;
    } else {
      return unsupported(directory.name_of(path), "it is no file, no directory and no symbolic link (a device, a socket, a fifo)");
    }
    found.path = std::move(path);
    found_.push_back(std::move(found));
    return {};
  }

  ScannedTree& tree_;
  const std::vector<std::string>& excluded_;
  Watch* const watch_;
  const Manifest* const listed_;  // null: all are
  std::vector<std::string> pending_;
  std::vector<Found> found_;
};

ScannedTree::Seen ScannedTree::seen(const io::FileInfo& info) noexcept {
  return {{info.device, info.inode, info.mtime_ns, info.ctime_ns}, info.mode};
}

Result<std::unique_ptr<ScannedTree>> ScannedTree::scan(const std::filesystem::path& path, const std::vector<std::string>& excluded,
                                                       Watch* watch, const Manifest* listed) {
  std::unique_ptr<ScannedTree> tree(new ScannedTree);
  BDELTA_ASSIGN(tree->directory_, io::Directory::open(path));
  BDELTA_TRY(Scan(*tree, excluded, watch, listed).run());
  return tree;
}

Status ScannedTree::check_same(std::size_t entry, const io::FileInfo& now) const {
  const Seen& before = seen_[entry];
  const TreeEntry& of = manifest_.entries()[entry];
  const bool is_kind = of.kind == EntryKind::kFile   ? now.is_regular
                       : of.kind == EntryKind::kLink ? now.is_symlink
                                                     : now.is_directory;
  const bool is_same = is_kind && (of.kind != EntryKind::kFile || now.size == of.bytes) && seen(now).stamp == before.stamp;
  if (is_same) return {};
  return io::file_error(ErrorCode::kInputChanged, name_of(entry), "it is not as it was when the directory was read", kRunAgain);
}

Result<io::FileHandle> ScannedTree::open_file(std::size_t entry) const {
  BDELTA_ASSIGN(io::FileHandle file, directory_->open_entry(manifest_.entries()[entry].path, io::OpenAtKind::kRead));
  BDELTA_ASSIGN(const io::FileInfo info, io::info_of(file, name_of(entry)));
  BDELTA_TRY(check_same(entry, info));
  return file;
}

Status ScannedTree::read(const io::FileHandle& file, std::size_t entry, std::uint64_t pos, MutableByteSpan out) const {
  return io::read_fully(file, pos, out, name_of(entry), nullptr);
}

Status ScannedTree::note_own_change() {
  BDELTA_ASSIGN(const io::FileInfo root, io::info_of(directory_->handle(), directory_->name_of({})));
  root_ = seen(root);
  return {};
}

Status ScannedTree::check_unchanged() const {
  BDELTA_ASSIGN(const io::FileInfo root, io::info_of(directory_->handle(), directory_->name_of({})));
  if (!(seen(root).stamp == root_.stamp)) {
    return io::file_error(ErrorCode::kInputChanged, directory_->name_of({}), "entries came, went or were renamed in it", kRunAgain);
  }
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const auto now = directory_->info(manifest_.entries()[i].path);
    if (!now && exit_class(now.error().code) == 2) {
      return io::file_error(ErrorCode::kInputChanged, name_of(i), "it is gone", kRunAgain);
    }
    if (!now) return now.error();
    BDELTA_TRY(check_same(i, *now));
  }
  return {};
}

Result<std::vector<Digest128>> ScannedTree::digests(WorkerPool& pool, const std::vector<std::optional<Digest128>>& known) const {
  std::vector<Digest128> digests(seen_.size());
  std::vector<std::pair<std::size_t, std::size_t>> tasks;  // of about as many files, or bytes
  std::uint64_t bytes = 0;
  for (std::size_t i = 0, begin = 0; i < seen_.size(); ++i) {
    bytes += manifest_.entries()[i].bytes;
    if (i + 1 - begin < kTaskFiles && bytes < kTaskFileBytes && i + 1 < seen_.size()) continue;
    tasks.emplace_back(begin, i + 1);
    begin = i + 1;
    bytes = 0;
  }
  const auto digest_file = [&](std::size_t i, Bytes& buffer) -> Status {
    const std::uint64_t size = manifest_.entries()[i].bytes;
    if (!known.empty() && known[i]) {
      digests[i] = *known[i];
      pool.advance(size);
      return {};
    }
    if (size == 0) {
      digests[i] = xxh3_128({});
      return {};
    }
    BDELTA_ASSIGN(const io::FileHandle file, open_file(i));
    Xxh3Hasher hasher;
    for (std::uint64_t pos = 0; pos < size; pos += buffer.size()) {
      const std::uint64_t count = std::min<std::uint64_t>(buffer.size(), size - pos);
      const MutableByteSpan piece = MutableByteSpan(buffer).first(static_cast<std::size_t>(count));
      BDELTA_TRY(read(file, i, pos, piece));
      hasher.update(piece);
      pool.advance(piece.size());
    }
    digests[i] = hasher.digest();
    return {};
  };
  std::mutex mutex;
  std::optional<Error> failed;
  pool.for_each(tasks.size(), [&](std::size_t task) {
    Bytes buffer(kDigestPieceBytes);
    for (std::size_t i = tasks[task].first; i < tasks[task].second; ++i) {
      if (manifest_.entries()[i].kind != EntryKind::kFile) continue;
      Status status = digest_file(i, buffer);
      if (status) continue;
      const std::lock_guard lock(mutex);
      if (!failed) failed = std::move(status).error();
      return;
    }
  });
  if (failed) return std::move(*failed);
  return digests;
}

TreeReader::TreeReader(const ScannedTree& tree, const std::vector<bool>& is_left_out) : tree_(tree) {
  size_ = tree.manifest().bytes().size();
  const std::vector<TreeEntry>& entries = tree.manifest().entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].bytes == 0 || (!is_left_out.empty() && is_left_out[i])) continue;
    parts_.push_back({size_, static_cast<std::uint32_t>(i)});
    size_ += entries[i].bytes;
  }
}

Result<std::shared_ptr<io::FileHandle>> TreeReader::opened(std::uint32_t entry) {
  {
    const std::lock_guard lock(mutex_);
    if (last_entry_ == entry) return last_;
  }
  BDELTA_ASSIGN(io::FileHandle file, tree_.open_file(entry));
  auto shared = std::make_shared<io::FileHandle>(std::move(file));
  const std::lock_guard lock(mutex_);
  last_entry_ = entry;
  last_ = shared;
  return shared;
}

Status TreeReader::read_at(std::uint64_t pos, MutableByteSpan out) {
  if (!range_fits(pos, out.size(), size_)) {
    return Error{ErrorCode::kReadFailed, "bytes behind the end of a tree's stream were asked for", pos};
  }
  const ByteSpan manifest = tree_.manifest().bytes();
  if (pos < manifest.size()) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), manifest.size() - pos));
    std::copy_n(manifest.begin() + static_cast<std::ptrdiff_t>(pos), count, out.begin());
    pos += count;
    out = out.subspan(count);
  }
  if (out.empty()) return {};
  const auto is_before = [](std::uint64_t at, const Part& of) { return at < of.begin; };
  auto part = std::upper_bound(parts_.begin(), parts_.end(), pos, is_before) - 1;
  for (; !out.empty(); ++part) {
    const std::uint64_t in_file = pos - part->begin;
    const std::uint64_t left = tree_.manifest().entries()[part->entry].bytes - in_file;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left));
    BDELTA_ASSIGN(const std::shared_ptr<io::FileHandle> file, opened(part->entry));
    BDELTA_TRY(tree_.read(*file, part->entry, in_file, out.first(count)));
    pos += count;
    out = out.subspan(count);
  }
  return {};
}

}  // namespace bdelta::view
