// Which predictor a patch names. A number stands for all that decides which fields OLD has and what is predicted of
// them, and means the same for ever; what is added later gets the next one.
#pragma once

#include <cstdint>

namespace bdelta::exe {

enum class PredictorId : std::uint8_t {
  k1 = 1,  // PREDICTOR1.md
  k2 = 2,  // PREDICTOR2.md: the same, and 32-bit ARM, Go for 32 bits, and more of Go's tables
  k3 = 3,  // PREDICTOR3.md: the same, and Thumb-2, and symbols of ELF for 32 bits
  k4 = 4,  // PREDICTOR4.md: the same, and more of PE's exception tables
  k5 = 5,  // PREDICTOR5.md: the same, and tables that are rebuilt
  k6 = 6,  // PREDICTOR6.md: the same of those images of OLD alone that the patch names
  k7 = 7,  // PREDICTOR7.md: the same, and tables of Mach-O
  k8 = 8,  // PREDICTOR8.md: the same, and more of Go, and more tables of Mach-O
  k9 = 9,  // PREDICTOR9.md: the same, in less memory
};

inline constexpr PredictorId kNewestPredictor = PredictorId::k9;

}  // namespace bdelta::exe
