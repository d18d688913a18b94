// The record of a patch over views of its files (FORMAT.md, "View").
#pragma once

#include "codec/codec.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"
#include "view/geometry.hpp"

namespace bdelta::native {

// What an applier holds of it, and for its views, beside what is said of prediction.
[[nodiscard]] std::uint64_t held_bytes(const view::ViewPlans& plans) noexcept;

// Of all views.
[[nodiscard]] std::uint64_t geometry_and_recipe_bytes(const view::ViewPlans& plans) noexcept;

// The whole record of at least one view.
Result<Bytes> encode_view(const view::ViewPlans& plans, const CodecSettings& codec);

// The same as far as it tells sizes and counts; `Cursor` is a ByteCursor or a TypedReader. What can't be read is seen by
// from.ok(). Empty if it says an impossible number of views.
struct ViewHead {
  std::uint64_t kind = 0;  // a view::StreamKind, or one that is not known
  view::ViewPlan plan;
  std::uint64_t geometry_bytes = 0;
  std::uint64_t recipe_bytes = 0;
};
inline constexpr std::size_t kMostViewHeadBytes = 1 + view::kMostViews * 12 * kMaxVarintBytes;

template <class Cursor>
[[nodiscard]] std::vector<ViewHead> read_view_heads(Cursor& from) {
  const std::uint64_t count = from.varint();
  if (count == 0 || count > view::kMostViews) return {};
  std::vector<ViewHead> heads(static_cast<std::size_t>(count));
  for (auto& [kind, plan, geometry_bytes, recipe_bytes] : heads) {
    kind = from.varint();
    plan.kind = static_cast<view::StreamKind>(kind);
    plan.source_view_bytes = from.varint();
    plan.target_view_bytes = from.varint();
    plan.source_largest_bytes = from.varint();
    plan.source_count = from.varint();
    plan.kept_count = from.varint();
    plan.target_count = from.varint();
    plan.source_directory_count = from.varint();
    plan.target_directory_count = from.varint();
    if (plan.has_directories()) plan.entry_bytes = from.varint();
    geometry_bytes = from.varint();
    recipe_bytes = from.varint();
  }
  return heads;
}

// What stands in its body. Counts are bounded by what the geometry has room for, and all of it by the header's decoder memory.
// Errors: kPatchCorrupt, kUnsupportedFeature for a codec or a kind of streams that is not known.
Result<view::ViewPlans> read_view(io::TypedReader& body, const Header& header);

}  // namespace bdelta::native
