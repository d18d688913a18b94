#include <string>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "format/native/framing.hpp"
#include "format/native/global_record.hpp"

namespace bdelta::native {
namespace {

Error corrupt(io::TypedReader& patch, const char* what) {
  Status status = patch.status();  // truncation and I/O errors speak for themselves
  if (!status) return std::move(status).error();
  return {ErrorCode::kPatchCorrupt, std::string("the global record ") + what + "; fetch the patch again", patch.position()};
}

Error unknown(io::TypedReader& patch, const char* what, std::uint64_t number) {
  return {ErrorCode::kUnsupportedFeature,
          std::string(what) + " " + std::to_string(number) + " is not known; a newer bpatch may know it", patch.position()};
}

// Frames of a stream that nothing stands between. Memory grows by a frame at a time.
Status read_frames(io::TypedReader& patch, std::uint64_t raw_bytes, std::uint64_t memory_bytes, Bytes& out) {
  const unsigned entry = patch.u8();
  if ((entry & 15) >= kCodecCount) return unknown(patch, "codec", entry & 15);
  const auto codec = static_cast<CodecId>(entry & 15);
  std::uint64_t needed_bytes = 0;
  if (!checked_add(raw_bytes, decoder_memory_bytes(codec, (entry >> 4) + kMinWindowLog), needed_bytes) ||
      needed_bytes > memory_bytes) {
    return corrupt(patch, "needs more memory than the header declares");
  }
  BDELTA_ASSIGN(const auto decoder, make_decoder(codec, (entry >> 4) + kMinWindowLog));
  Bytes coded;
  while (out.size() < raw_bytes) {
    const auto [coded_bytes, frame_bytes] = read_global_frame(patch);
    if (!patch.ok() || !is_possible_frame({coded_bytes, frame_bytes}, raw_bytes - out.size())) {
      return corrupt(patch, "has a frame of an impossible size");
    }
    coded.resize(static_cast<std::size_t>(coded_bytes));
    if (!patch.read_exact(coded)) return corrupt(patch, "can't be read");
    const std::size_t before = out.size();
    out.resize(before + static_cast<std::size_t>(frame_bytes));
    BDELTA_TRY(decoder->decode(coded, MutableByteSpan(out).subspan(before)));
  }
  return {};
}

}  // namespace

Status read_global(io::TypedReader& patch, const Header& header, PredictionPlan& plan) {
  const auto [predictor, kinds, image_bytes, label_bytes] = read_global_head(patch);
  plan.kinds = kinds;
  if (!patch.ok()) return corrupt(patch, "can't be read");
  if (predictor != kPredictorId) return unknown(patch, "predictor", predictor);
  if (!is_possible_global({predictor, kinds, image_bytes, label_bytes}, header)) {
    return corrupt(patch, "is larger than the header declares");
  }
  BDELTA_TRY(read_frames(patch, image_bytes + label_bytes, header.decoder_memory_bytes, plan.images));
  const auto border = plan.images.begin() + static_cast<std::ptrdiff_t>(image_bytes);
  plan.labels.assign(border, plan.images.end());
  plan.images.resize(static_cast<std::size_t>(image_bytes));
  return {};
}

}  // namespace bdelta::native
