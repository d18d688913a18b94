// For who looks into a patch: what is there to see while it is applied.
#pragma once

#include <vector>

#include "bdelta/apply.hpp"
#include "delta/op.hpp"
#include "format/patch_meter.hpp"
#include "view/packed_streams.hpp"
#include "view/tree/plan.hpp"

namespace bdelta {

// What windows copy from and make. Lives as long as windows come.
struct AppliedFiles {
  const PatchInfo* info = nullptr;
  const char* format = "";  // its name
  RandomReader* source = nullptr;
  std::uint64_t target_bytes = 0;
  // What is unpacked of the files, then of their views, and so on; none where they are taken as they are.
  std::vector<view::PackedStreams> source_parts, target_parts;
  const view::Manifest* source_manifest = nullptr;  // of trees, whose streams these files are; else null
  const view::TreePlan* tree = nullptr;
};

class ApplyTap : public PatchMeter {
 public:
  // In front of the first window.
  virtual Status begin(const AppliedFiles& files) = 0;

  // Each window in order, plain ones in slices: as it is in the patch, and as it is made, before anything is filled in.
  // `copied`: the same before models corrected it; empty where none does.
  virtual Status window(const WindowDelta& window, ByteSpan made, ByteSpan copied) = 0;
};

// As check_file and check_tree, with all that `tap` is told. The report counts no calls.
Result<Report> check_file_tapped(const std::filesystem::path& source, const std::filesystem::path& patch,
                                 const ApplyOptions& options, ApplyTap& tap);
Result<Report> check_tree_tapped(const std::filesystem::path& source, const std::filesystem::path& patch,
                                 const ApplyOptions& options, ApplyTap& tap);

}  // namespace bdelta
