#include "match/target_costs.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "base/deciding/parse.hpp"
#include "match/block_compare.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 20;  // of the target, for one task

std::int64_t switch_cost(std::int64_t jump, const ParseCosts& costs) {
  if (jump == 0) return costs.resume;
  return std::abs(jump) < kNearBytes ? costs.near_switch : costs.far_switch;
}

}  // namespace

TargetCosts::TargetCosts(const CopiedTarget& copied, const ParseCosts& costs, WorkerPool& pool, const ByteRanges& ranges)
    : cost_(copied.target.size() / kBlockBytes + 1), literal_(cost_.size()) {
  static_assert(kChunkBytes % kBlockBytes == 0);
  const ByteRanges chunks = cut_ranges(ranges, copied.target.size(), kChunkBytes);
  pool.for_each(chunks.size(), [&](std::size_t i) {
    add_chunk(copied, costs, chunks[i].begin, chunks[i].end);
    pool.advance();
  });
}

// What begins in front of the chunk has been paid there, but for its bytes.
void TargetCosts::add_chunk(const CopiedTarget& copied, const ParseCosts& costs, std::uint64_t begin,
                            std::uint64_t end) {
  const Covers& covers = copied.covers;
  const auto first = cover_from(covers, begin);
  std::int64_t diagonal = first == covers.begin() ? 0 : std::prev(first)->diagonal();
  std::uint64_t done = begin;
  Bytes replaced;
  for_each_cover_in(covers, begin, end, [&](const Cover& cover, std::uint64_t from, std::uint64_t to) {
    add_literals(done, from, costs);
    if (from == cover.target_pos) add(from, switch_cost(cover.diagonal() - diagonal, costs));
    diagonal = cover.diagonal();
    done = to;
    if (!copied.count_misses) return;
    const auto length = static_cast<std::size_t>(to - from);
    ByteSpan given = copied.source.subspan(static_cast<std::size_t>(cover.source_pos + (from - cover.target_pos)), length);
    if (copied.substitutions) {
      replaced.assign(given.begin(), given.end());
      copied.substitutions->replace_at(from, replaced);
      given = replaced;
    }
    add_misses(given, copied.target.subspan(static_cast<std::size_t>(from), length), from, costs);
  });
  add_literals(done, end, costs);
}

void TargetCosts::add_literals(std::uint64_t begin, std::uint64_t end, const ParseCosts& costs) {
  if (begin == end) return;
  add(begin, costs.begin_literal);
  for (std::uint64_t pos = begin; pos < end;) {
    const std::uint64_t block_end = std::min(end, (pos / kBlockBytes + 1) * kBlockBytes);
    add(pos, static_cast<std::int64_t>(block_end - pos) * costs.literal);
    pos = block_end;
  }
  if (end - begin < kManyLiteralBytes) return;
  std::fill(literal_.begin() + static_cast<std::ptrdiff_t>(begin / kBlockBytes + 1),
            literal_.begin() + static_cast<std::ptrdiff_t>(end / kBlockBytes), std::uint8_t{1});
}

void TargetCosts::add_misses(ByteSpan given, ByteSpan wanted, std::uint64_t target_pos, const ParseCosts& costs) {
  bool missed = false;
  std::size_t i = 0;
  for (; given.size() - i >= kCompareBlock; i += kCompareBlock) {
    const std::uint64_t misses = mismatch_mask(&given[i], &wanted[i]);
    const std::uint64_t behind_misses = misses << 1 | (missed ? 1 : 0);
    for (std::uint64_t left = misses; left != 0; left &= left - 1) {
      const auto at = static_cast<unsigned>(std::countr_zero(left));
      add(target_pos + i + at, (behind_misses >> at & 1) != 0 ? costs.next_miss : costs.first_miss);
    }
    missed = misses >> 63 != 0;
  }
  for (; i < given.size(); ++i) {
    const bool misses = given[i] != wanted[i];
    if (misses) add(target_pos + i, missed ? costs.next_miss : costs.first_miss);
    missed = misses;
  }
}

std::int64_t TargetCosts::of_range(std::uint64_t begin, std::uint64_t end) const noexcept {
  const auto first = static_cast<std::size_t>(begin / kBlockBytes);
  const auto last = static_cast<std::size_t>(end / kBlockBytes);
  const auto part = [this](std::size_t block, std::uint64_t bytes) { return cost_[block] * bytes / kBlockBytes; };
  if (first == last) return static_cast<std::int64_t>(part(first, end - begin));
  std::uint64_t sum = part(first, kBlockBytes - begin % kBlockBytes) + part(last, end % kBlockBytes);
  for (std::size_t block = first + 1; block < last; ++block) sum += cost_[block];
  return static_cast<std::int64_t>(sum);
}

}  // namespace bdelta
