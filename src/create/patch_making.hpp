// One patch: create.cpp has the steps.
#pragma once

#include <memory>
#include <optional>

#include "create/create_task.hpp"
#include "create/patch.hpp"

namespace bdelta {

// Of the files, or of their views where these hold compressed streams. Views that whoever applies has no room for, unless told
// to, are given up.
class PatchMaking {
 public:
  // Everything must outlive the object. With trees, the patch is for these, and the files are their streams.
  PatchMaking(RandomReader& source, RandomReader& target, const CreateOptions& options, Timeline& timeline, Watch& watch,
              const TreePair* trees = nullptr)
      : source_(source), target_(target), trees_(trees), options_(options), timeline_(timeline), watch_(watch) {}

  Result<Patch> make();

  // What the patch is made of: once it is made, that was so.
  [[nodiscard]] CreateTask task() const;

 private:
  Result<std::optional<Patch>> make_patch(bool looks_for_streams);
  UnpackReport::Streams* fault_of_views(const Patch& patch);
  Status open_views(bool scans);
  [[nodiscard]] Result<bool> may_unpack() const;

  RandomReader& source_;
  RandomReader& target_;
  const TreePair* const trees_;
  const CreateOptions& options_;
  Timeline& timeline_;
  Watch& watch_;
  UnpackReport unpack_;
  std::unique_ptr<FileViews> views_;  // null where files are taken as they are
};

}  // namespace bdelta
