#include "match/near_source.hpp"

#include <algorithm>
#include <map>

#include "base/deciding/search.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << 20;

// Bytes of covers, margins included, by number of the block.
std::map<std::uint64_t, std::uint64_t> covered_blocks(const Covers& covers, std::uint64_t source_size) {
  std::map<std::uint64_t, std::uint64_t> covered;
  for (const Cover& cover : covers) {
    const std::uint64_t begin = cover.source_pos - std::min(cover.source_pos, kNearMarginBytes);
    const std::uint64_t end = std::min(cover.source_end() + kNearMarginBytes, source_size);
    for (std::uint64_t pos = begin; pos < end;) {
      const std::uint64_t stop = std::min((pos / kBlockBytes + 1) * kBlockBytes, end);
      covered[pos / kBlockBytes] += stop - pos;
      pos = stop;
    }
  }
  return covered;
}

}  // namespace

ByteRanges near_source(const Covers& covers, std::uint64_t source_size, std::uint64_t max_bytes) {
  const auto covered = covered_blocks(covers, source_size);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks(covered.begin(), covered.end());
  if (blocks.empty()) blocks.push_back({0, 0});
  std::stable_sort(blocks.begin(), blocks.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  blocks.resize(std::min<std::size_t>(blocks.size(), static_cast<std::size_t>(max_bytes / kBlockBytes) + 1));
  std::sort(blocks.begin(), blocks.end());

  ByteRanges ranges;
  for (const auto& block : blocks) {
    const std::uint64_t begin = block.first * kBlockBytes;
    const std::uint64_t end = std::min(begin + kBlockBytes, source_size);
    if (!ranges.empty() && ranges.back().end == begin) {
      ranges.back().end = end;
    } else {
      ranges.push_back({begin, end});
    }
  }
  return ranges;
}

}  // namespace bdelta
