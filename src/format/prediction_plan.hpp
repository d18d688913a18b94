// What a patch brings for the prediction of copied fields (exe/), before its first window.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "delta/cover.hpp"

namespace bdelta {

// How fields are found and predicted is part of the format: a change that alters one prediction gets a new number
// (exe/predictor_id.hpp). All up to this one are known.
inline constexpr std::uint64_t kLastPredictor = 9;

struct PredictionPlan {
  std::uint64_t predictor = 1;
  std::uint64_t kinds = 0;  // bit i: fields of kind i are predicted
  Bytes images;             // from predictor 6 on exe/image_choice.hpp, then exe/image_table.hpp
  Bytes labels;             // exe/labels.hpp
  Covers covers;            // of the whole target; those that meet on one diagonal are one
  std::uint64_t memory_bytes = ~std::uint64_t{0};  // what other records leave of the memory that the header declares
};

}  // namespace bdelta
