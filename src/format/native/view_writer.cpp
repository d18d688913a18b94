#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/envelope.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/view_record.hpp"

namespace bdelta::native {
namespace {

void append_head(Bytes& body, const view::ViewPlan& plan) {
  append_varint(body, static_cast<std::uint64_t>(plan.kind));
  append_varint(body, plan.source_view_bytes);
  append_varint(body, plan.target_view_bytes);
  append_varint(body, plan.source_largest_bytes);
  append_varint(body, plan.source_count);
  append_varint(body, plan.kept_count);
  append_varint(body, plan.target_count);
  append_varint(body, plan.source_directory_count);
  append_varint(body, plan.target_directory_count);
  if (plan.has_directories()) append_varint(body, plan.entry_bytes);
  append_varint(body, plan.geometry.size());
  append_varint(body, plan.recipe.size());
}

}  // namespace

Result<Bytes> encode_view(const view::ViewPlans& plans, const CodecSettings& codec) {
  Bytes body, raw;
  append_varint(body, plans.size());
  for (const view::ViewPlan& plan : plans) {
    append_head(body, plan);
    append(raw, plan.geometry);
    append(raw, plan.recipe);
  }
  BDELTA_TRY(append_frames(body, raw, codec));
  return seal_record(RecordTag::kView, body);
}

}  // namespace bdelta::native
