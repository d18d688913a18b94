#include "view/tree/files.hpp"

#include <algorithm>
#include <optional>

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

constexpr std::uint64_t kCheckMask = ~std::uint64_t{01777};  // the others say something else of an entry

ScannedTree::Stamp stamp_of(const io::FileInfo& info) noexcept { return {info.device, info.inode, info.mtime_ns, info.ctime_ns}; }

std::uint64_t check_of(const ScannedTree::Stamp& stamp) noexcept {
  std::uint8_t bytes[4 * sizeof(std::uint64_t)];
  store_le(bytes, stamp.device);
  store_le(bytes + 8, stamp.inode);
  store_le(bytes + 16, static_cast<std::uint64_t>(stamp.mtime_ns));
  store_le(bytes + 24, static_cast<std::uint64_t>(stamp.ctime_ns));
  return load_le<std::uint64_t>(xxh3_128(bytes).data()) & kCheckMask;
}

}  // namespace

// Goes through the directories in the order of paths: the manifest and the list of what is passed over grow as it goes, and
// nothing is sorted as a whole.
class ScannedTree::Scan {
 public:
  Scan(ScannedTree& tree, const std::vector<std::string>& excluded, Watch* watch, bool keeps_stamps, const Manifest* listed)
      : tree_(tree), excluded_(excluded), watch_(watch), keeps_stamps_(keeps_stamps), listed_(listed) {}

  Status run() {
    BDELTA_TRY(list(""));
    manifest_.shrink_to_fit();
    tree_.seen_.shrink_to_fit();
    auto decoded = Manifest::decode(std::move(manifest_), NameRules::kAny);
    if (!decoded) return io::file_error(ErrorCode::kFileTooLarge, tree_.directory_->name_of({}), decoded.error().detail);
    tree_.manifest_ = std::move(*decoded);
    return {};
  }

 private:
  [[nodiscard]] bool is_excluded(const std::string& path, const std::string& part) const {
    return is_own_name(part) || (listed_ && listed_->find(path) == kNoEntry) ||
           std::any_of(excluded_.begin(), excluded_.end(), [&](const std::string& pattern) { return fits_pattern(path, pattern); });
  }

  // What is below "a" comes behind "a-b" and in front of "ab": directories wait for their place, the last one first.
  Status list(const std::string& path) {
    BDELTA_ASSIGN(const std::vector<std::string> parts, names_in(path));
    const std::string above = path.empty() ? path : path + '/';
    std::vector<std::string> waiting;
    const auto go_on_until = [&](const std::string& next) -> Status {
      while (!waiting.empty() && (next.empty() || waiting.back() + '/' < next)) {
        const std::string inner = std::move(waiting.back());
        waiting.pop_back();
        BDELTA_TRY(list(inner));
      }
      return {};
    };
    for (const std::string& part : parts) {
      std::string inner = above + part;
      BDELTA_TRY(go_on_until(inner));
      if (!is_excluded(inner, part)) {
        BDELTA_ASSIGN(const bool is_directory, add(inner));
        if (is_directory) waiting.push_back(std::move(inner));
      } else if (!path.empty() || !is_own_name(part)) {
        tree_.passed_over_.push_back(std::move(inner));
      }
    }
    return go_on_until({});
  }

  Result<std::vector<std::string>> names_in(const std::string& path) {
    if (path.empty()) BDELTA_TRY(tree_.note_root());
    BDELTA_ASSIGN(std::vector<std::string> names, tree_.directory_->names_in(path));
    if (watch_) BDELTA_TRY(watch_->check());
    return names;
  }

  // Whether it is a directory.
  Result<bool> add(const std::string& path) {
    io::Directory& directory = *tree_.directory_;
    if (const char* const problem = path_problem(path, NameRules::kAny)) {
      return unsupported(directory.name_of(path), (std::string("its name ") + problem).c_str());
    }
    BDELTA_ASSIGN(const io::FileInfo info, directory.info(path));
    TreeEntry entry{EntryKind::kFile, path, 0, {}};
    std::string target;
    if (info.is_directory) {
      entry.kind = EntryKind::kDirectory;
    } else if (info.is_symlink) {
      entry.kind = EntryKind::kLink;
      BDELTA_ASSIGN(target, directory.read_link(path));
      if (link_problem(target)) return unsupported(directory.name_of(path), "a link to a name that is too long");
      entry.target = target;
    } else if (info.is_regular) {
      entry.bytes = info.size;
    } else {
      return unsupported(directory.name_of(path), "it is no file, no directory and no symbolic link (a device, a socket, a fifo)");
    }
    append_entry(manifest_, entry);
    tree_.note(info, keeps_stamps_);
    return info.is_directory;
  }

  ScannedTree& tree_;
  const std::vector<std::string>& excluded_;
  Watch* const watch_;
  const bool keeps_stamps_;
  const Manifest* const listed_;  // null: all are
  Bytes manifest_;
};

void ScannedTree::note(const io::FileInfo& info, bool keeps_stamp) {
  const Stamp stamp = stamp_of(info);
  seen_.push_back(check_of(stamp) | (info.mode & 0777) | (stamp.device == root_.device ? 0 : kOtherDevice));
  if (keeps_stamp) stamps_.push_back(stamp);
}

Result<std::unique_ptr<ScannedTree>> ScannedTree::scan(const std::filesystem::path& path, const std::vector<std::string>& excluded,
                                                       Watch* watch, bool keeps_stamps, const Manifest* listed) {
  std::unique_ptr<ScannedTree> tree(new ScannedTree);
  BDELTA_ASSIGN(tree->directory_, io::Directory::open(path));
  BDELTA_TRY(Scan(*tree, excluded, watch, keeps_stamps, listed).run());
  return tree;
}

Status ScannedTree::check_same(std::size_t entry, const io::FileInfo& now) const {
  const TreeEntry of = manifest_.entry(entry);
  const bool is_kind = of.kind == EntryKind::kFile   ? now.is_regular
                       : of.kind == EntryKind::kLink ? now.is_symlink
                                                     : now.is_directory;
  const bool is_same = is_kind && (of.kind != EntryKind::kFile || now.size == of.bytes) && check_of(stamp_of(now)) == (seen_[entry] & kCheckMask);
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

Status ScannedTree::note_root() {
  BDELTA_ASSIGN(const io::FileInfo root, io::info_of(directory_->handle(), directory_->name_of({})));
  root_ = stamp_of(root);
  root_mode_ = root.mode;
  return {};
}

Status ScannedTree::check_unchanged() const {
  BDELTA_ASSIGN(const io::FileInfo root, io::info_of(directory_->handle(), directory_->name_of({})));
  if (stamp_of(root) != root_) {
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

}  // namespace bdelta::view
