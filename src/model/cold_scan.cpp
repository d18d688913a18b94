#include "model/heat_tables.hpp"

namespace bdelta::mix {

ColdScan best_cold_scan() noexcept {
#if defined(BDELTA_HAVE_AVX2)
  if (__builtin_cpu_supports("avx2")) return pass_cold_avx2;
#endif
  return nullptr;
}

}  // namespace bdelta::mix
