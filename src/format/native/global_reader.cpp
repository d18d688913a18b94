#include <utility>

#include "base/try.hpp"
#include "format/native/framing.hpp"
#include "format/native/global_record.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/record_body.hpp"

namespace bdelta::native {
namespace {

constexpr const char* kGlobalRecord = "the global record";

Error corrupt(io::TypedReader& patch, const char* what) { return corrupt_record(patch, kGlobalRecord, what); }

}  // namespace

Status read_global(io::TypedReader& patch, const Header& header, PredictionPlan& plan) {
  const auto [predictor, kinds, image_bytes, label_bytes] = read_global_head(patch);
  plan.kinds = kinds;
  if (!patch.ok()) return corrupt(patch, "can't be read");
  if (predictor != kPredictor) return unknown_number(patch, "predictor", predictor);
  if (!is_possible_global({predictor, kinds, image_bytes, label_bytes}, header)) {
    return corrupt(patch, "is larger than the header declares");
  }
  // Both are one stream: what is read becomes the larger one, so that only the smaller one is held twice.
  Bytes both;
  BDELTA_TRY(read_frames(patch, kGlobalRecord, image_bytes + label_bytes, header.decoder_memory_bytes, both));
  const auto border = both.begin() + static_cast<std::ptrdiff_t>(image_bytes);
  if (image_bytes < label_bytes) {
    plan.images.assign(both.begin(), border);
    both.erase(both.begin(), border);
    plan.labels = std::move(both);
  } else {
    plan.labels.assign(border, both.end());
    both.erase(border, both.end());
    plan.images = std::move(both);
  }
  return {};
}

}  // namespace bdelta::native
