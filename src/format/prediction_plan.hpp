// What a patch brings for the prediction of copied fields (exe/), before its first window.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "delta/cover.hpp"

namespace bdelta {

// How fields are found and predicted is part of the format (exe/PREDICTION.md). A patch names it by this number; another
// way to predict would get another one.
inline constexpr std::uint64_t kPredictor = 1;

struct PredictionPlan {
  std::uint64_t kinds = 0;  // bit i: fields of kind i are predicted
  Bytes images;             // exe/image_extents.hpp, exe/page_breaks.hpp if such tables are rebuilt, exe/image_table.hpp
  Bytes labels;             // exe/labels.hpp
  Covers covers;            // of the whole target; those that meet on one diagonal are one
  std::uint64_t memory_bytes = ~std::uint64_t{0};  // what other records leave of the memory that the header declares
};

}  // namespace bdelta
