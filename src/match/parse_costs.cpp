// A residual byte costs what its value tells. Often the difference between two files is the same number (addresses moved
// by a constant, counters), and the coder pays little for one more of them. So a diagonal with many such misses may be
// better than a change to one with few. The frequencies come from the covers that the fast passes found.
#include "match/parse_costs.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/deciding/parse.hpp"
#include "base/fixed_log2.hpp"
#include "match/block_compare.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kFreePieceBytes = std::uint64_t{4} << 10;
constexpr std::int64_t kBit = kLog2One;

using Counts = std::array<std::uint64_t, 256>;

void count_values(const std::uint8_t* s, const std::uint8_t* t, std::uint64_t length, Counts& counts) {
  for (std::uint64_t at = 0; length - at >= kCompareBlock; at += kCompareBlock) {
    for (std::uint64_t mask = mismatch_mask(s + at, t + at); mask != 0; mask &= mask - 1) {
      const std::uint64_t i = at + static_cast<unsigned>(std::countr_zero(mask));
      ++counts[static_cast<std::uint8_t>(t[i] - s[i])];
    }
  }
}

}  // namespace

std::uint64_t CoverChanges::changed_bytes() const noexcept {
  return free_bytes + take_every * std::accumulate(misses.begin(), misses.end(), std::uint64_t{0});
}

CoverChanges cover_changes(ByteSpan source, ByteSpan target, const Covers& covers) {
  const std::uint64_t covered = covered_bytes(covers);
  CoverChanges changes;
  changes.free_bytes = target.size() - covered;
  changes.take_every = covered / kSampledCoverBytes + 1;
  std::uint64_t piece = 0;
  for (const Cover& cover : covers) {
    for (std::uint64_t done = 0; done < cover.length; done += kPieceBytes) {
      if (piece++ % changes.take_every != 0) continue;
      const std::uint64_t length = std::min(kPieceBytes, cover.length - done);
      count_values(source.data() + cover.source_pos + done, target.data() + cover.target_pos + done, length,
                   changes.misses);
    }
  }
  return changes;
}

FreeBytes free_bytes(ByteSpan target, const Covers& covers) {
  FreeBytes free;
  free.total = target.size() - covered_bytes(covers);
  const std::uint64_t take_every = free.total / (kMostDenseBytes + 1) + 1;
  std::uint64_t piece = 0;
  std::uint64_t pos = 0;
  const auto count_to = [&](std::uint64_t end) {
    while (pos < end) {
      const std::uint64_t piece_end = std::min(end, pos + kFreePieceBytes);
      if (piece++ % take_every == 0) {
        for (; pos < piece_end; ++pos) ++free.counts[target[static_cast<std::size_t>(pos)]];
      }
      pos = piece_end;
    }
  };
  for (const Cover& cover : covers) {
    count_to(cover.target_pos);
    pos = cover.target_end();
  }
  count_to(target.size());
  return free;
}

bool FreeBytes::are_dense() const noexcept {
  if (total < kLeastDenseBytes || total > kMostDenseBytes) return false;
  const std::int64_t log_total = log2_fixed(total);
  std::uint64_t bits = 0;
  for (const std::uint64_t count : counts) {
    if (count > 0) bits += count * static_cast<std::uint64_t>(log_total - log2_fixed(count));
  }
  return bits >= total * static_cast<std::uint64_t>(kDenseQuarterBits * kBit / 4);
}

bool FreeBytes::are_text() const noexcept {
  if (total < kLeastTextBytes) return false;
  const std::uint64_t looked_at = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::uint64_t control = counts[0x7f];
  for (std::size_t value = 0; value < ' '; ++value) {
    if (value != '\t' && value != '\n' && value != '\r') control += counts[value];
  }
  return control <= looked_at / kControlShare;
}

ParseCosts fit_costs(const CoverChanges& changes, const ParseCosts& start) {
  ParseCosts costs = start;
  const Counts& counts = changes.misses;
  std::uint64_t total = 0;
  for (const std::uint64_t count : counts) total += count;
  if (total < kLeastMisses) return costs;

  // A third of a miss for every value, so that none is impossible.
  const std::int64_t log_total = log2_fixed(3 * total + 256);
  std::array<std::int64_t, 256> bits{};
  std::uint64_t weighted = 0;
  for (std::size_t v = 0; v < 256; ++v) {
    bits[v] = log_total - log2_fixed(3 * counts[v] + 1);
    weighted += counts[v] * static_cast<std::uint64_t>(bits[v]);
  }
  const auto entropy = static_cast<std::int64_t>(weighted / total);
  // The coder sees more than frequencies, and the rest of a miss is its place.
  costs.mean_value = std::min<std::int64_t>(0, entropy - kUsualEntropy) * kPairNumerator / kPairDenominator;
  for (std::size_t v = 0; v < 256; ++v) {
    const std::int64_t own = std::clamp(bits[v] - entropy, -kMostValueBits * kBit, kMostValueBits * kBit) / kValueShare;
    costs.value[v] = static_cast<std::int32_t>(std::max<std::int64_t>(kLeastMissBits * kBit, own + costs.mean_value));
  }
  return costs;
}

ParseCosts with_cheap_covers(const ParseCosts& costs) noexcept {
  ParseCosts cheap = costs;
  for (std::int64_t* const cost : {&cheap.far_switch, &cheap.near_switch, &cheap.resume}) *cost /= kCheapSwitchShare;
  return cheap;
}

}  // namespace bdelta
