// A directory on its way from OLD to NEW, in its place: steps that are taken, or taken back, as often as it needs.
//
// Each step moves one entry, which the system does at once: to `.bdelta/old` what goes or changes, from `.bdelta/new` what comes.
// Where an entry stands tells whether its step was taken, so nothing else has to be written down meanwhile. What goes has gone,
// durably, before anything comes; so a name belongs to one of both alone.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/directory.hpp"
#include "parallel/watch.hpp"
#include "view/tree/manifest.hpp"

namespace bdelta {

inline constexpr const char* kUpdateArea = ".bdelta";  // in the directory
inline constexpr const char* kComingArea = ".bdelta/new";
inline constexpr const char* kGoneArea = ".bdelta/old";

struct TreeStep {
  enum class Kind : std::uint8_t { kRemove = 1, kPlace = 2 };  // tags in a journal
  Kind kind = Kind::kRemove;
  view::EntryKind entry = view::EntryKind::kFile;
  std::uint32_t number = 0;  // its name in the area; each of both counts by itself
  std::uint32_t mode = 0;    // permission bits that a directory is to have in the end, at most
  std::string path;          // in the directory
};

// What a journal holds of a step; and back, with kWrongJournal for what can be none.
[[nodiscard]] Bytes encode_step(const TreeStep& step);
Result<TreeStep> decode_step(std::uint8_t tag, ByteSpan body);

// The name that a step's entry has in its area.
[[nodiscard]] std::string area_name(TreeStep::Kind kind, std::uint32_t number);

class TreeUpdate {
 public:
  // All must outlive the object. Steps that remove stand in front, leaves first; those that place behind, roots first and
  // links last. syncs: moments that have to be durable are. The watch, which may be null, counts steps.
  TreeUpdate(io::Directory& directory, const std::vector<TreeStep>& steps, bool syncs, Watch* watch = nullptr);

  // Takes the steps that are left. Errors: those of moving and of the watch; kInputChanged where something else stands in a
  // place, or something came to a directory that goes.
  Status finish();

  // Takes back all steps that were taken. Errors likewise.
  Status take_back();

  // Makes durable what was done in the directory and its area.
  Status sync();

 private:
  [[nodiscard]] Status count_step() const { return watch_ ? watch_->check(1) : Status(); }
  Status remove(const TreeStep& step);
  Status place(const TreeStep& step);
  Status bring_back(const TreeStep& step);
  Status withdraw(const TreeStep& step);
  Status limit_modes(TreeStep::Kind kind);
  Status check_moves_alone(const TreeStep& step, const io::FileInfo& found);

  io::Directory& directory_;
  const std::vector<TreeStep>& steps_;
  std::map<std::string_view, std::uint32_t> removals_;  // the numbers of steps that remove, by path
  const bool syncs_;
  Watch* const watch_;
};

}  // namespace bdelta
