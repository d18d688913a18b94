// Modelled bytes: literals and missed bytes of windows that models code from what copies give. Only someone who has the
// copies at hand can decode them.
#pragma once

#include <cstdint>

namespace bdelta {

// What models code of a group, and how large its model of misses is.
struct ModelledScope {
  bool literals = false;      // the literals
  bool misses = false;        // the residual: which copied bytes change, and into what
  unsigned miss_log = 12;     // log2 of the slots of each table of the miss model, see model/miss_model.hpp
  unsigned lane_count = 1;    // windows with modelled bytes go to the lanes in turn; each lane has models and a code of its own
};

inline constexpr std::uint64_t kNoSource = ~std::uint64_t{0};  // in the place of a position in the source

// Where the code of a window belongs. Windows of a lane are decoded in order.
struct ModelledPart {
  ModelledScope scope;
  std::uint64_t group = 0;  // number of the group in the patch
  unsigned lane = 0;
  std::uint64_t turn = 0;   // number of the window in its lane
  bool last = false;        // in its lane: the code must end here
  std::uint64_t source_before = kNoSource;  // behind what the copy took that ends where the window begins, if one does
};

}  // namespace bdelta
