#include "delta/cover.hpp"

#include "base/checked.hpp"

namespace bdelta {

bool covers_are_valid(const Covers& covers, std::uint64_t source_size, std::uint64_t target_size) {
  std::uint64_t done = 0;
  for (const Cover& cover : covers) {
    if (cover.length == 0 || cover.target_pos < done) return false;
    if (!range_fits(cover.source_pos, cover.length, source_size)) return false;
    if (!range_fits(cover.target_pos, cover.length, target_size)) return false;
    done = cover.target_end();
  }
  return true;
}

std::uint64_t covered_bytes(const Covers& covers) noexcept {
  std::uint64_t bytes = 0;
  for (const Cover& cover : covers) bytes += cover.length;
  return bytes;
}

}  // namespace bdelta
