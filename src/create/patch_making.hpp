// One patch: create.cpp has the steps.
#pragma once

#include <memory>

#include "create/create_run.hpp"

namespace bdelta {

// Of the files, or of their views where these hold compressed streams. Views that whoever applies has no room for, unless told
// to, are given up.
class PatchMaking {
 public:
  // Everything must outlive the object. trees: as CreateRun takes them.
  PatchMaking(RandomReader& source, RandomReader& target, const CreateOptions& options, Timeline& timeline, Watch& watch,
              const TreePair* trees = nullptr)
      : source_(source), target_(target), trees_(trees), options_(options), timeline_(timeline), watch_(watch) {}

  Status make();

  // Of the patch, once it is made.
  [[nodiscard]] CreateRun& run() noexcept { return *run_; }

 private:
  Result<std::unique_ptr<CreateRun>> make_patch(bool looks_for_streams);
  UnpackReport::Streams* fault_of_views();
  Status open_views(bool scans);
  [[nodiscard]] Result<bool> may_unpack() const;

  RandomReader& source_;
  RandomReader& target_;
  const TreePair* const trees_;
  const CreateOptions& options_;
  Timeline& timeline_;
  Watch& watch_;
  UnpackReport unpack_;
  std::unique_ptr<FileViews> views_;  // null where files are taken as they are; outlives the run
  std::unique_ptr<CreateRun> run_;
};

}  // namespace bdelta
