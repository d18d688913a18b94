#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/global_record.hpp"
#include "format/native/raw_frames.hpp"

namespace bdelta::native {
namespace {

Bytes joined(const PredictionPlan& plan) {
  Bytes raw = plan.images;
  append(raw, plan.labels);
  return raw;
}

}  // namespace

Result<Bytes> encode_global(const PredictionPlan& plan, const CodecSettings& codec) {
  Bytes record;
  record.push_back(static_cast<std::uint8_t>(RecordTag::kGlobal));
  append_varint(record, kPredictor);
  append_varint(record, plan.kinds);
  append_varint(record, plan.images.size());
  append_varint(record, plan.labels.size());
  BDELTA_TRY(append_frames(record, joined(plan), codec));
  return record;
}

std::uint64_t global_decoder_bytes(const PredictionPlan& plan, const CodecSettings& codec) {
  return frame_decoder_bytes(plan.images.size() + plan.labels.size(), codec);
}

}  // namespace bdelta::native
