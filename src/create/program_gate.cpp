#include "create/program_gate.hpp"

#include <algorithm>

#include "base/deciding/prices.hpp"

namespace bdelta {
std::uint64_t saved_bytes(const exe::KindCounts& counts) noexcept {
  std::uint64_t saved = 0;
  for (const exe::KindCount& count : counts) {
    saved += count.plain_misses - std::min(count.plain_misses, count.predicted_misses);
  }
  return saved;
}

bool is_prediction_worth_it(std::uint64_t saved_bytes, std::uint64_t target_size, std::uint64_t make_byte_ns) noexcept {
  return make_byte_ns != 0 && saved_bytes > target_size * kPredictionNs / make_byte_ns;
}

}  // namespace bdelta
