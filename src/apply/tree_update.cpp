#include "apply/tree_update.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

constexpr std::uint32_t kAllPermissions = 0777;
constexpr std::uint32_t kUpdateOwnerBits = 0700;  // without which a directory can't be moved

Error not_as_expected(const std::filesystem::path& name, const char* what) {
  return io::file_error(ErrorCode::kInputChanged, name, what, "move it away, and run again when nothing writes to the directory");
}

}  // namespace

Bytes encode_step(const TreeStep& step) {
  Bytes body;
  body.push_back(static_cast<std::uint8_t>(step.entry));
  append_varint(body, step.number);
  append_varint(body, step.mode);
  append(body, {reinterpret_cast<const std::uint8_t*>(step.path.data()), step.path.size()});
  return body;
}

Result<TreeStep> decode_step(std::uint8_t tag, ByteSpan body) {
  TreeStep step;
  ByteCursor cursor(body);
  step.kind = static_cast<TreeStep::Kind>(tag);
  step.entry = static_cast<view::EntryKind>(cursor.u8());
  const std::uint64_t number = cursor.varint(), mode = cursor.varint();
  const ByteSpan path = cursor.bytes(cursor.available());
  step.path.assign(path.begin(), path.end());
  step.number = static_cast<std::uint32_t>(number);
  step.mode = static_cast<std::uint32_t>(mode);
  const bool is_kind = tag == static_cast<std::uint8_t>(TreeStep::Kind::kRemove) || tag == static_cast<std::uint8_t>(TreeStep::Kind::kPlace);
  const bool is_entry = step.entry == view::EntryKind::kFile || step.entry == view::EntryKind::kDirectory ||
                        step.entry == view::EntryKind::kLink;
  if (is_kind && is_entry && cursor.ok() && number == step.number && mode <= kAllPermissions &&
      !view::path_problem(step.path, view::host_rules())) {
    return step;
  }
  return Error{.code = ErrorCode::kWrongJournal, .detail = "it has a step that no update takes",
               .remedy = "what it belongs to may be incomplete: fetch it anew"};
}

std::string area_name(TreeStep::Kind kind, std::uint32_t number) {
  return std::string(kind == TreeStep::Kind::kRemove ? kGoneArea : kComingArea) + '/' + std::to_string(number);
}

TreeUpdate::TreeUpdate(io::Directory& directory, const std::vector<TreeStep>& steps, bool syncs, Watch* watch)
    : directory_(directory), steps_(steps), syncs_(syncs), watch_(watch) {
  for (const TreeStep& step : steps) {
    if (step.kind == TreeStep::Kind::kRemove) removals_.emplace(step.path, step.number);
  }
}

// Bits of directories come last, leaves first, as they may keep their owner out.
Status TreeUpdate::finish() {
  for (const TreeStep& step : steps_) {
    if (step.kind != TreeStep::Kind::kRemove) continue;
    BDELTA_TRY(remove(step));
    BDELTA_TRY(count_step());
  }
  BDELTA_TRY(sync());
  for (const TreeStep& step : steps_) {
    if (step.kind != TreeStep::Kind::kPlace) continue;
    BDELTA_TRY(place(step));
    BDELTA_TRY(count_step());
  }
  BDELTA_TRY(limit_modes(TreeStep::Kind::kPlace));
  return sync();
}

Status TreeUpdate::take_back() {
  for (std::size_t i = steps_.size(); i-- > 0;) {
    if (steps_[i].kind != TreeStep::Kind::kPlace) continue;
    BDELTA_TRY(withdraw(steps_[i]));
    BDELTA_TRY(count_step());
  }
  BDELTA_TRY(sync());
  for (std::size_t i = steps_.size(); i-- > 0;) {
    if (steps_[i].kind != TreeStep::Kind::kRemove) continue;
    BDELTA_TRY(bring_back(steps_[i]));
    BDELTA_TRY(count_step());
  }
  BDELTA_TRY(limit_modes(TreeStep::Kind::kRemove));
  return sync();
}

Status TreeUpdate::limit_modes(TreeStep::Kind kind) {
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const TreeStep& step = steps_[i];
    if (step.kind != kind || step.entry != view::EntryKind::kDirectory) continue;
    if ((step.mode & kUpdateOwnerBits) == kUpdateOwnerBits) continue;
    BDELTA_TRY(directory_.change_mode(step.path, step.mode | ~kAllPermissions, 0));
  }
  return {};
}

// It is what the step is about, and of a directory nothing goes along.
Status TreeUpdate::check_moves_alone(const TreeStep& step, const io::FileInfo& found) {
  const std::filesystem::path name = directory_.name_of(step.path);
  const bool is_kind = step.entry == view::EntryKind::kFile   ? found.is_regular
                       : step.entry == view::EntryKind::kLink ? found.is_symlink
                                                              : found.is_directory;
  if (!is_kind) return not_as_expected(name, "something else came to its place");
  if (!found.is_directory) return {};
  BDELTA_TRY(directory_.change_mode(step.path, ~std::uint32_t{0}, kUpdateOwnerBits));
  BDELTA_ASSIGN(const std::vector<std::string> names, directory_.names_in(step.path));
  return names.empty() ? Status() : Status(not_as_expected(name / names.front(), "it came to a directory that goes"));
}

// An entry that is in neither place has gone with the directory that it was in.
Status TreeUpdate::remove(const TreeStep& step) {
  const std::string gone = area_name(step.kind, step.number);
  BDELTA_ASSIGN(const auto taken, directory_.find(gone));
  if (taken) return {};
  BDELTA_ASSIGN(const auto found, directory_.find(step.path));
  if (!found) return {};
  BDELTA_TRY(check_moves_alone(step, *found));
  return directory_.move(step.path, gone);
}

// Likewise it has come with its directory. One that is nowhere was lost: then what it replaces had better come back.
Status TreeUpdate::place(const TreeStep& step) {
  const std::string coming = area_name(step.kind, step.number);
  BDELTA_ASSIGN(const auto left, directory_.find(coming));
  if (left) {
    Status moved = directory_.move(coming, step.path);
    const bool is_taken = !moved && moved.error().code == ErrorCode::kUnsafeName;  // folded names were looked for before
    return is_taken ? Status(not_as_expected(directory_.name_of(step.path), "something came to this place meanwhile")) : moved;
  }
  BDELTA_ASSIGN(const auto found, directory_.find(step.path));
  return found ? Status() : Status(not_as_expected(directory_.name_of(step.path), "what was made for this place is gone"));
}

// What OLD has at the same path is left alone as long as it is there.
Status TreeUpdate::withdraw(const TreeStep& step) {
  const std::string coming = area_name(step.kind, step.number);
  BDELTA_ASSIGN(const auto left, directory_.find(coming));
  if (left) return {};
  if (const auto before = removals_.find(step.path); before != removals_.end()) {
    BDELTA_ASSIGN(const auto gone, directory_.find(area_name(TreeStep::Kind::kRemove, before->second)));
    if (!gone) return {};
  }
  BDELTA_ASSIGN(const auto found, directory_.find(step.path));
  if (!found) return {};
  BDELTA_TRY(check_moves_alone(step, *found));
  return directory_.move(step.path, coming);
}

Status TreeUpdate::bring_back(const TreeStep& step) {
  const std::string gone = area_name(step.kind, step.number);
  BDELTA_ASSIGN(const auto taken, directory_.find(gone));
  return taken ? directory_.move(gone, step.path) : Status();
}

Status TreeUpdate::sync() {
  if (!syncs_) return {};
  if (io::kSyncsAll) return directory_.sync_all(directory_.name_of({}));
  for (const char* const path : {"", kUpdateArea, kComingArea, kGoneArea}) BDELTA_TRY(directory_.sync(path));
  std::string_view last;
  for (const TreeStep& step : steps_) {
    const std::string_view parent = std::string_view(step.path).substr(0, std::max<std::size_t>(step.path.rfind('/') + 1, 1) - 1);
    if (parent.empty() || parent == last) continue;
    last = parent;
    BDELTA_ASSIGN(const auto found, directory_.find(parent));
    if (found && found->is_directory) BDELTA_TRY(directory_.sync(parent));
  }
  return {};
}

}  // namespace bdelta
