#include "format/native/view_record.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/record_body.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kViewRecord = "the record of views";
constexpr std::uint64_t kHeldPartBytes = 256;  // of a stream or directory: place, parameters
constexpr std::uint64_t kRebuildBytes = std::uint64_t{26} << 20;  // tables, the tokens of a block, a packed stream

constexpr std::uint64_t kLeastKeptBytes = 2;  // of geometry, for a range that is kept
constexpr std::uint64_t kLeastDirectoryBytes = 4;  // likewise, for a directory

// Of the files, or of views of them, with these sizes. What is wrong, or null. What all of it takes is held against the header
// once sums of it can't wrap.
const char* fault_of(const ViewHead& head, std::uint64_t source_size, std::uint64_t target_size, std::uint64_t memory_bytes) noexcept {
  const view::ViewPlan& plan = head.plan;
  if (!view::may_be_kept(plan.source_view_bytes, source_size, memory_bytes) || plan.source_largest_bytes > plan.source_view_bytes ||
      head.geometry_bytes > memory_bytes || head.recipe_bytes > memory_bytes - head.geometry_bytes || plan.entry_bytes > memory_bytes) {
    return "needs more memory than the header declares";
  }
  const std::array counts = {plan.source_count, plan.kept_count, plan.target_count, plan.source_directory_count, plan.target_directory_count};
  const bool has_counts = *std::max_element(counts.begin(), counts.end()) <= view::kMostStreams;
  const std::uint64_t directory_bytes = kLeastDirectoryBytes * (plan.source_directory_count + plan.target_directory_count);
  if (!has_counts || plan.source_count + kLeastKeptBytes * plan.kept_count + plan.target_count + directory_bytes > head.geometry_bytes) {
    return "has an impossible count";
  }
  const bool is_possible = plan.source_view_bytes / (view::kMostRatio + 1) <= source_size && plan.target_view_bytes / view::kMostRatio <= target_size;
  return !is_possible ? "has an impossible size" : nullptr;
}

}  // namespace

std::uint64_t geometry_and_recipe_bytes(const view::ViewPlans& plans) noexcept {
  std::uint64_t bytes = 0;
  for (const view::ViewPlan& plan : plans) bytes += plan.geometry.size() + plan.recipe.size();
  return bytes;
}

// One view is made of the other, and that given up.
std::uint64_t held_bytes(const view::ViewPlans& plans) noexcept {
  std::uint64_t bytes = 0, unpacking_bytes = 0, held_source_bytes = 0;  // OLD is read in pieces
  for (const view::ViewPlan& plan : plans) {
    bytes += plan.geometry.size() + plan.recipe.size() + view::most_held_bytes(plan.recipe.size()) +
             (plan.source_count + plan.target_count + plan.source_directory_count + plan.target_directory_count) * kHeldPartBytes +
             kRebuildBytes + view::directory_memory_bytes(plan.entry_bytes);
    const std::uint64_t view_bytes = view::held_view_bytes(plan.source_view_bytes);
    unpacking_bytes = std::max(unpacking_bytes, held_source_bytes + view_bytes + view::held_stream_bytes(plan.kind, plan.source_largest_bytes));
    held_source_bytes = view_bytes;
  }
  return bytes + unpacking_bytes;
}

Result<view::ViewPlans> read_view(io::TypedReader& body, const Header& header) {
  const auto corrupt = [&](const char* what) { return corrupt_record(body, kViewRecord, what); };
  std::vector<ViewHead> heads = read_view_heads(body);
  if (!body.ok()) return corrupt("can't be read");
  if (heads.empty()) return corrupt("has an impossible count");
  std::uint64_t source_size = header.source_size, target_size = header.target_size, coded_bytes = 0;
  for (const ViewHead& head : heads) {
    if (head.kind > static_cast<std::uint64_t>(view::StreamKind::kPngChunks)) {
      return Error{ErrorCode::kUnsupportedFeature, "streams of kind " + std::to_string(head.kind) + "; a newer bpatch may know it"};
    }
    if (const char* const fault = fault_of(head, source_size, target_size, header.decoder_memory_bytes)) return corrupt(fault);
    source_size = head.plan.source_view_bytes;
    target_size = head.plan.target_view_bytes;
    coded_bytes += head.geometry_bytes + head.recipe_bytes;
  }
  Bytes all;
  BDELTA_TRY(read_frames(body, kViewRecord, coded_bytes, header.decoder_memory_bytes, all));
  view::ViewPlans plans;
  for (ByteSpan left = all; ViewHead & head : heads) {
    const auto take = [&](std::uint64_t bytes) {
      const ByteSpan taken = left.first(static_cast<std::size_t>(bytes));
      left = left.subspan(taken.size());
      return Bytes(taken.begin(), taken.end());
    };
    head.plan.geometry = take(head.geometry_bytes);
    head.plan.recipe = take(head.recipe_bytes);
    plans.push_back(std::move(head.plan));
  }
  if (held_bytes(plans) > header.decoder_memory_bytes) return corrupt("needs more memory than the header declares");
  return plans;
}

}  // namespace bdelta::native
