#include "apply/staged_update.hpp"

#include <algorithm>

#include "apply/folded_names.hpp"
#include "base/try.hpp"
#include "io/attributes.hpp"
#include "io/file_error.hpp"
#include "io/output_place.hpp"

namespace bdelta {
namespace {

constexpr std::uint32_t kExecuteBits = 0111;
constexpr std::uint32_t kReadBits = 0444;
constexpr std::uint32_t kMakingBits = 0700;  // without which nothing can be made in a directory

bool is_of_kind(const view::TreeEntry& entry, view::EntryKind kind) noexcept { return entry.kind == kind; }

}  // namespace

Status StagedUpdate::begin(const TreeSplitter& tree) {
  tree_ = &tree;
  comes_.resize(tree.manifest().entries().size());
  of_target_ = view::counterparts_of(tree.manifest(), source_.manifest());
  BDELTA_TRY(check_devices());
  BDELTA_TRY(check_passed_over());
  BDELTA_TRY(io::check_space(source_.name_of_root(), tree.made_bytes(), source_.name_of_root()));
  BDELTA_TRY(area_.begin());
  BDELTA_TRY(source_.note_root());
  std::vector<bool> is_new(comes_.size());
  for (std::size_t i = 0; i < is_new.size(); ++i) is_new[i] = tree.counterparts()[i] == view::kNoEntry;
  return check_folding(area_.directory(), kComingArea, tree.manifest(), is_new, source_.passed_over());
}

Status StagedUpdate::check_devices() const {
  for (std::size_t i = 0; i < source_.manifest().entries().size(); ++i) {
    if (source_.is_on_same_device(i)) continue;
    return io::file_error(ErrorCode::kUnsupportedEntry, source_.name_of(i), "another file system begins there, and files can't be moved to it",
                          "unmount it, or make NEW in a new directory");
  }
  return {};
}

// Names that the patch passes over stay where they are, so nothing else may take their place, and their directories can't go.
Status StagedUpdate::check_passed_over() const {
  const std::vector<std::string>& passed_over = source_.passed_over();
  const auto in_the_way = [&](const std::string& path, const char* why) {
    return io::file_error(ErrorCode::kUnsafeName, source_.directory().name_of(path), why, "move it away");
  };
  for (const view::TreeEntry& entry : tree_->manifest().entries()) {
    if (std::binary_search(passed_over.begin(), passed_over.end(), entry.path)) {
      return in_the_way(std::string(entry.path), "NEW has an entry of this name, which is passed over in OLD");
    }
  }
  for (std::size_t i = 0; i < source_.manifest().entries().size(); ++i) {
    const std::string* const inside = stays(i) ? nullptr : passed_over_in(i);
    if (!inside || (keeps_others_ && of_target_[i] == view::kNoEntry)) continue;
    return in_the_way(*inside, "it is passed over, and NEW has not the directory that it is in");
  }
  return {};
}

// The first in a directory, or null.
const std::string* StagedUpdate::passed_over_in(std::size_t source_entry) const {
  const view::TreeEntry& directory = source_.manifest().entries()[source_entry];
  if (!is_of_kind(directory, view::EntryKind::kDirectory)) return nullptr;
  const std::string inside = std::string(directory.path) + '/';
  const std::vector<std::string>& all = source_.passed_over();
  const auto found = std::lower_bound(all.begin(), all.end(), inside);
  return found != all.end() && found->starts_with(inside) ? &*found : nullptr;
}

// A directory that both have.
bool StagedUpdate::stays(std::size_t source_entry) const {
  const std::uint32_t target = of_target_[source_entry];
  return target != view::kNoEntry && is_of_kind(tree_->manifest().entries()[target], view::EntryKind::kDirectory) &&
         is_of_kind(source_.manifest().entries()[source_entry], view::EntryKind::kDirectory);
}

// The bits of a file that is replaced, but for those to execute it: whoever may read it may do that, if the patch says so.
std::uint32_t StagedUpdate::mode_for(std::size_t entry) const {
  const std::uint32_t wanted = tree_->marks().modes[entry];
  const std::uint32_t counterpart = tree_->counterparts()[entry];
  if (counterpart == view::kNoEntry || !is_of_kind(source_.manifest().entries()[counterpart], view::EntryKind::kFile)) return wanted;
  const std::uint32_t before = source_.mode(counterpart);
  return (before & ~kExecuteBits) | (wanted & kExecuteBits & ((before & kReadBits) >> 2));
}

bool StagedUpdate::keeps_bits(std::size_t entry) const {
  const std::uint32_t counterpart = tree_->counterparts()[entry];
  return counterpart != view::kNoEntry && mode_for(entry) == source_.mode(counterpart);
}

Status StagedUpdate::begin_file(std::size_t entry) {
  entry_ = entry;
  return {};
}

// Made when its first byte comes, as empty files mostly are there already.
Status StagedUpdate::open_file() {
  const std::string name = area_name(TreeStep::Kind::kPlace, static_cast<std::uint32_t>(entry_));
  const std::filesystem::path final_name = source_.directory().name_of(tree_->manifest().entries()[entry_].path);
  auto file = area_.directory().open_entry(name, io::OpenAtKind::kCreateNew, tree_->marks().modes[entry_]);
  if (!file) {
    Error error = std::move(file).error();
    error.file.clear();  // people know the name that it is made for
    return io::with_file(std::move(error), final_name);
  }
  file_.begin(std::move(*file), final_name);
  return {};
}

Status StagedUpdate::write(ByteSpan bytes) {
  if (!file_.is_open()) BDELTA_TRY(open_file());
  return file_.write(bytes);
}

Status StagedUpdate::end_file() {
  if (!tree_->is_same(entry_) || !keeps_bits(entry_)) return close_file();
  if (!file_.is_open()) return {};
  file_.drop();
  return area_.directory().remove(area_name(TreeStep::Kind::kPlace, static_cast<std::uint32_t>(entry_)), false);
}

Status StagedUpdate::close_file() {
  if (!file_.is_open()) BDELTA_TRY(open_file());
  const std::uint32_t counterpart = tree_->counterparts()[entry_];
  if (counterpart != view::kNoEntry && is_of_kind(source_.manifest().entries()[counterpart], view::EntryKind::kFile)) {
    const std::filesystem::path name = source_.name_of(counterpart);
    BDELTA_ASSIGN(const io::FileInfo before, source_.directory().info(source_.manifest().entries()[counterpart].path));
    const std::uint32_t other_bits = before.mode & ~std::uint32_t{0777};
    io::give_attributes(file_.handle().ops(), file_.handle().fd(), &before, name, {mode_for(entry_) | other_bits, false});
  }
  if (!tree_->times().empty()) BDELTA_TRY(file_.set_time(tree_->times()[entry_]));
  comes_[entry_] = true;
  return file_.end();
}

Status StagedUpdate::keep_file(std::size_t entry, std::size_t source_entry) {
  if (keeps_bits(entry)) return {};
  entry_ = entry;
  BDELTA_TRY(open_file());
  BDELTA_TRY(file_.copy(source_, source_entry));
  return close_file();
}

Status StagedUpdate::make_others() {
  const view::TreeEntries entries = tree_->manifest().entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (is_of_kind(entries[i], view::EntryKind::kFile) || tree_->is_same(i)) continue;
    const std::string name = area_name(TreeStep::Kind::kPlace, static_cast<std::uint32_t>(i));
    if (is_of_kind(entries[i], view::EntryKind::kLink)) {
      BDELTA_TRY(area_.directory().make_link(name, std::string(entries[i].target)));
    } else {
      BDELTA_TRY(area_.directory().make_directory(name, tree_->marks().modes[i] | kMakingBits));
    }
    comes_[i] = true;
  }
  return {};
}

std::vector<TreeStep> StagedUpdate::steps() const {
  const view::TreeEntries before = source_.manifest().entries();
  const view::TreeEntries after = tree_->manifest().entries();
  std::vector<TreeStep> steps;
  for (std::size_t i = before.size(); i-- > 0;) {
    const std::uint32_t target = of_target_[i];
    if (target != view::kNoEntry ? !comes_[target] : passed_over_in(i) != nullptr) continue;  // the directory of others stays
    steps.push_back({TreeStep::Kind::kRemove, before[i].kind, static_cast<std::uint32_t>(i), source_.mode(i), std::string(before[i].path)});
  }
  for (const bool links : {false, true}) {
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (!comes_[i] || is_of_kind(after[i], view::EntryKind::kLink) != links) continue;
      steps.push_back({TreeStep::Kind::kPlace, after[i].kind, static_cast<std::uint32_t>(i), tree_->marks().modes[i], std::string(after[i].path)});
    }
  }
  return steps;
}

Status StagedUpdate::finish() {
  BDELTA_TRY(make_others());
  return area_.carry_out(steps());
}

}  // namespace bdelta
