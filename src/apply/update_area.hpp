// The part of a directory that an update of it works in, DIR/.bdelta: what comes, what goes, and the journal.
//
// An update is made there first, and nothing in the directory changes. Then its steps stand in the journal, everything is
// synced, and a commit record says that they are to be taken. From then on the journal suffices: whoever comes next takes
// them, or takes them back once a record says that. At the end the area is removed; without a commit record as well.
#pragma once

#include <memory>

#include "apply/journal.hpp"
#include "apply/tree_update.hpp"
#include "bdelta/tree.hpp"
#include "io/unfinished_outputs.hpp"

namespace bdelta {

class AreaJournal;

class UpdateArea {
 public:
  // Locks the directory for as long as the object lives. Errors: those of opening a directory; kInUse if another process has it.
  static Result<std::unique_ptr<UpdateArea>> open(const std::filesystem::path& path, bool syncs);

  // Removes what was begun and did not come to its commit record.
  ~UpdateArea();

  // Whatever an update has left behind is finished, taken back or removed. The watch, which may be null, counts steps; when it
  // ends the work, the next call goes on with it.
  Result<Resumed> resume(Watch* watch);

  // Makes the places of what comes and goes.
  Status begin();

  // Takes the steps, whose entries stand in the area. On an error the directory is OLD again; kUnfinished where that could
  // not be done either.
  Status carry_out(const std::vector<TreeStep>& steps);

  [[nodiscard]] io::Directory& directory() noexcept { return *directory_; }

  // Of what is in the area, with its directory.
  [[nodiscard]] std::filesystem::path place() const { return directory_->name_of(kUpdateArea); }

 private:
  UpdateArea(std::unique_ptr<io::Directory> directory, bool syncs) : directory_(std::move(directory)), syncs_(syncs) {}
  Status forget_commit(TreeUpdate& update, Error reason);
  [[nodiscard]] Error still_unfinished(Error reason) const;
  Status take_back(TreeUpdate& update, JournalWriter& journal, AreaJournal& file, Error reason);
  Status end(JournalWriter& journal, AreaJournal& file);
  void remove_all() noexcept;

  std::unique_ptr<io::Directory> directory_;
  const bool syncs_;
  io::UnfinishedName unfinished_;
  bool has_begun_ = false;  // and is not committed
};

// kUnfinished if the directory is between OLD and NEW, with what to do.
[[nodiscard]] Status check_whole(const std::filesystem::path& path);

}  // namespace bdelta
