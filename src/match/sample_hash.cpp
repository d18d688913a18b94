#include "match/sample_hash.hpp"

namespace bdelta {

void scan_samples_scalar(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t threshold,
                         std::vector<std::uint32_t>& positions) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (sample_hash(bytes + i) < threshold) positions.push_back(i);
  }
}

SampleScan best_sample_scan() noexcept {
#if defined(BDELTA_HAVE_AVX2)
  if (__builtin_cpu_supports("avx2")) return scan_samples_avx2;
#endif
  return scan_samples_scalar;
}

}  // namespace bdelta
