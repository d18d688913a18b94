#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/envelope.hpp"
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
  Bytes body;
  append_varint(body, kPredictor);
  append_varint(body, plan.kinds);
  append_varint(body, plan.images.size());
  append_varint(body, plan.labels.size());
  BDELTA_TRY(append_frames(body, joined(plan), codec));
  return seal_record(RecordTag::kGlobal, body);
}

std::uint64_t global_decoder_bytes(const PredictionPlan& plan, const CodecSettings& codec) {
  return frame_decoder_bytes(plan.images.size() + plan.labels.size(), codec);
}

}  // namespace bdelta::native
