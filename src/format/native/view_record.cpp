#include "format/native/view_record.hpp"

#include "base/checked.hpp"
#include "base/try.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/record_body.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kViewRecord = "the record of views";
constexpr std::uint64_t kStreamHeldBytes = 256;      // place, parameters
constexpr std::uint64_t kRebuildBytes = std::uint64_t{26} << 20;  // tables, the tokens of a block, a packed stream

}  // namespace

std::uint64_t held_bytes(const view::ViewPlan& plan, std::uint64_t source_size) noexcept {
  return source_size + view::directory_memory_bytes(plan.source_directory, plan.target_directory) + plan.source_view_bytes + plan.source_largest_bytes + plan.geometry.size() + plan.recipe.size() +
         view::most_held_bytes(plan.recipe.size()) + (plan.source_count + plan.target_count) * kStreamHeldBytes + kRebuildBytes;
}

Result<view::ViewPlan> read_view(io::TypedReader& body, const Header& header) {
  const auto corrupt = [&](const char* what) { return corrupt_record(body, kViewRecord, what); };
  view::ViewPlan plan;
  plan.source_view_bytes = body.varint();
  plan.target_view_bytes = body.varint();
  plan.source_largest_bytes = body.varint();
  plan.source_count = body.varint();
  plan.target_count = body.varint();
  for (view::ZipDirectory* const directory : {&plan.source_directory, &plan.target_directory}) {
    directory->bytes = body.varint();
    if (directory->bytes == 0) continue;
    directory->behind_bytes = body.varint();
    directory->shift = body.varint();
  }
  const std::uint64_t geometry_bytes = body.varint();
  const std::uint64_t recipe_bytes = body.varint();
  if (!body.ok()) return corrupt("can't be read");
  const std::uint64_t memory_bytes = header.decoder_memory_bytes;
  if (header.source_size > memory_bytes || plan.source_view_bytes > memory_bytes ||
      plan.source_largest_bytes > plan.source_view_bytes || geometry_bytes > memory_bytes ||
      recipe_bytes > memory_bytes - geometry_bytes || plan.target_directory.bytes > memory_bytes) {
    return corrupt("needs more memory than the header declares");
  }
  if (plan.source_count > geometry_bytes || plan.target_count > geometry_bytes - plan.source_count ||
      plan.source_count > view::kMostStreams || plan.target_count > view::kMostStreams) {
    return corrupt("has an impossible count");
  }
  if (!plan.source_directory.fits(header.source_size) || !plan.target_directory.fits(header.target_size)) {
    return corrupt("has a directory outside of its archive");
  }
  if (plan.target_view_bytes / view::kMostRatio > header.target_size) return corrupt("has an impossible size");
  Bytes both;
  BDELTA_TRY(read_frames(body, kViewRecord, geometry_bytes + recipe_bytes, memory_bytes, both));
  plan.recipe.assign(both.begin() + static_cast<std::ptrdiff_t>(geometry_bytes), both.end());
  both.resize(static_cast<std::size_t>(geometry_bytes));
  plan.geometry = std::move(both);
  if (held_bytes(plan, header.source_size) > memory_bytes) return corrupt("needs more memory than the header declares");
  return plan;
}

}  // namespace bdelta::native
