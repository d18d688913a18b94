#include "apply/staged_tree.hpp"

#include <cerrno>

#include "base/try.hpp"
#include "io/file_error.hpp"
#include "io/output_place.hpp"
#include "io/retry_interrupted.hpp"
#include "io/temp_file.hpp"

namespace bdelta {
namespace {

constexpr const char* kRootName = "new";
constexpr std::uint32_t kOwnerBits = 0700;  // without which nothing can be made in a directory
constexpr std::uint32_t kPermissionBits = 0777;

}  // namespace

Result<std::unique_ptr<StagedTree>> StagedTree::create(const std::filesystem::path& target, const FileOptions& options,
                                                       const view::ScannedTree& kept) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(target, error);
  if (error) absolute = target;
  if (!absolute.has_filename()) absolute = absolute.parent_path();  // it was given with a slash at its end
  std::unique_ptr<StagedTree> tree(new StagedTree(absolute, options, kept));
  BDELTA_TRY(tree->make_outer(absolute.parent_path()));
  return tree;
}

Status StagedTree::make_outer(const std::filesystem::path& parent) {
  for (;;) {
    BDELTA_ASSIGN(std::filesystem::path path, io::unpredictable_name(parent));
    unfinished_ = io::UnfinishedName(path, true);
    const int made = io::file_ops().make_directory(path.c_str(), kOwnerBits);
    const int error = errno;
    unfinished_.opened();
    if (made == 0) {
      outer_ = std::move(path);
      return {};
    }
    unfinished_.forget();
    if (error == EEXIST || error == EINTR) continue;
    return io::file_error(error, ErrorCode::kOpenFailed, parent, "making a directory in it, beside NEW");
  }
}

StagedTree::~StagedTree() {
  file_.drop();
  root_.reset();
  if (!outer_.empty()) (void)io::file_ops().remove_tree(outer_.c_str());
  unfinished_.forget();
}

Status StagedTree::begin(const TreeSplitter& tree) {
  tree_ = &tree;
  BDELTA_TRY(io::check_space(outer_, tree.made_bytes(), target_));
  BDELTA_ASSIGN(const auto outer, io::Directory::open(outer_));
  BDELTA_TRY(outer->make_directory(kRootName, tree.marks().root_mode | kOwnerBits));
  BDELTA_ASSIGN(root_, io::Directory::open(outer_ / kRootName));
  for (std::size_t i = 0; i < tree.manifest().entries().size(); ++i) {
    const view::TreeEntry& entry = tree.manifest().entries()[i];
    if (entry.kind != view::EntryKind::kDirectory) continue;
    BDELTA_TRY(root_->make_directory(entry.path, tree.marks().modes[i] | kOwnerBits));
  }
  return {};
}

Status StagedTree::begin_file(std::size_t entry) {
  const std::string_view path = tree_->manifest().entries()[entry].path;
  BDELTA_ASSIGN(io::FileHandle file, root_->open_entry(path, io::OpenAtKind::kCreateNew, tree_->marks().modes[entry]));
  file_.begin(std::move(file), root_->name_of(path));
  entry_ = entry;
  return {};
}

Status StagedTree::end_file() {
  if (!tree_->times().empty()) BDELTA_TRY(file_.set_time(tree_->times()[entry_]));
  return file_.end();
}

Status StagedTree::keep_file(std::size_t entry, std::size_t source_entry) {
  BDELTA_TRY(begin_file(entry));
  BDELTA_TRY(file_.copy(kept_, source_entry));
  return end_file();
}

// A directory was made with more bits than it is to have, less umask.
Status StagedTree::set_bits(std::string_view path, std::uint32_t mode) {
  if ((mode & kOwnerBits) != kOwnerBits) BDELTA_TRY(root_->change_mode(path, mode | ~kPermissionBits, 0));
  return options_.sync && !io::kSyncsAll ? root_->sync(path) : Status();
}

// Leaves first, as bits may keep their owner out.
Status StagedTree::complete() {
  const view::TreeEntries entries = tree_->manifest().entries();
  for (const view::TreeEntry& entry : entries) {
    if (entry.kind == view::EntryKind::kLink) BDELTA_TRY(root_->make_link(entry.path, std::string(entry.target)));
  }
  for (std::size_t i = entries.size(); i-- > 0;) {
    if (entries[i].kind == view::EntryKind::kDirectory) BDELTA_TRY(set_bits(entries[i].path, tree_->marks().modes[i]));
  }
  if (may_be_moved()) BDELTA_TRY(set_bits({}, tree_->marks().root_mode));
  return options_.sync && io::kSyncsAll ? root_->sync_all(target_) : Status();
}

Status StagedTree::finish() {
  const std::filesystem::path root = outer_ / kRootName;
  const io::FileOps& ops = io::file_ops();
  io::note_left_behind(LeftBehind::kWhole);
  if (io::retry_interrupted([&] { return ops.rename_directory(root.c_str(), target_.c_str()); }) != 0) {
    const int error = errno;
    io::note_left_behind(LeftBehind::kNothing);
    if (error == EEXIST || error == ENOTEMPTY) {
      return io::file_error(ErrorCode::kOutputExists, target_, "it came to be while NEW was made");
    }
    return io::file_error(error, ErrorCode::kRenameFailed, target_, "moving the finished directory to it");
  }
  const Status bits = may_be_moved() ? Status() : set_bits({}, tree_->marks().root_mode);
  root_.reset();
  (void)ops.remove_tree(outer_.c_str());
  outer_.clear();
  unfinished_.forget();
  BDELTA_TRY(bits);
  if (!options_.sync) return {};
  return io::sync_directory({.name = target_, .path = target_, .directory = target_.parent_path(), .existing = {}});
}

}  // namespace bdelta
