#include "delta/cover.hpp"

#include <algorithm>

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

void keep_longest(Covers& covers, std::size_t max_count) {
  if (covers.size() <= max_count) return;
  if (max_count == 0) return covers.clear();
  std::vector<std::uint64_t> lengths;
  lengths.reserve(covers.size());
  for (const Cover& cover : covers) lengths.push_back(cover.length);
  const auto least = lengths.end() - static_cast<std::ptrdiff_t>(max_count);
  std::nth_element(lengths.begin(), least, lengths.end());
  std::erase_if(covers, [limit = *least](const Cover& cover) { return cover.length <= limit; });
  covers.shrink_to_fit();
}

}  // namespace bdelta
