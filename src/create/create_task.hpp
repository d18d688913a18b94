// What one patch is to be made of, and for whom.
#pragma once

#include "base/timeline.hpp"
#include "bdelta/create.hpp"
#include "create/file_views.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// Read only, and all of it outlives the work.
struct CreateTask {
  // What is compared: files, the streams of trees, or views of either.
  RandomReader& source;
  RandomReader& target;
  const CreateOptions& options;
  Timeline& timeline;
  Watch& watch;  // counts bytes of the target
  const TreePair* trees = nullptr;   // null where the patch is for files
  FileViews* views = nullptr;  // null where these are taken as they are
  bool uses_models = true;           // where the level has any

  [[nodiscard]] bool is_native() const noexcept { return options.format != PatchFormat::kBdt1; }

  // What the patch is for: the files, or the streams of trees.
  [[nodiscard]] RandomReader& source_file() const noexcept { return views ? views->source_file() : source; }
  [[nodiscard]] RandomReader& target_file() const noexcept { return views ? views->target_file() : target; }
  // What people have: of a tree all of it.
  [[nodiscard]] std::uint64_t whole_target_bytes() const noexcept { return trees ? trees->target_bytes() : target_file().size(); }

  // Where a tar archive begins, if there is one; of files.
  [[nodiscard]] std::uint64_t source_archive_pos() const noexcept { return views ? views->source_archive_pos() : 0; }
  [[nodiscard]] std::uint64_t target_archive_pos() const noexcept { return views ? views->target_archive_pos() : 0; }
};

}  // namespace bdelta
