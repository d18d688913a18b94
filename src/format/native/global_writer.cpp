#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/global_record.hpp"

namespace bdelta::native {
namespace {

Bytes joined(const PredictionPlan& plan) {
  Bytes raw = plan.images;
  append(raw, plan.labels);
  return raw;
}

}  // namespace

Result<Bytes> encode_global(const PredictionPlan& plan, const CodecSettings& codec) {
  const Bytes raw = joined(plan);
  BDELTA_ASSIGN(const CodedStream stream, compress_stream(raw, codec));
  Bytes record;
  record.push_back(static_cast<std::uint8_t>(RecordTag::kGlobal));
  append_varint(record, kPredictorId);
  append_varint(record, plan.kinds);
  append_varint(record, plan.images.size());
  append_varint(record, plan.labels.size());
  const unsigned window = stream.codec == CodecId::kStore ? 0 : stream.window_log - kMinWindowLog;
  record.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(stream.codec) | window << 4));
  std::uint64_t left = raw.size();
  for (const Bytes& frame : stream.frames) {
    const std::uint64_t frame_bytes = std::min<std::uint64_t>(left, kMaxFrameBytes);
    append_varint(record, frame.size());
    append_varint(record, frame_bytes);
    append(record, frame);
    left -= frame_bytes;
  }
  return record;
}

std::uint64_t global_decoder_bytes(const PredictionPlan& plan, const CodecSettings& codec) {
  const std::uint64_t raw_bytes = plan.images.size() + plan.labels.size();
  return decoder_memory_bytes(codec.id, window_log_for(raw_bytes, codec.max_window_log)) + 3 * kMaxFrameBytes;
}

}  // namespace bdelta::native
