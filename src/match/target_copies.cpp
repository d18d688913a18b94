// A file that is made of others (a bundle beside its sources, a minified text beside the readable one, tables in two
// orders) has each change in several places. Covers pay for all of them, as each place is found best in its own
// predecessor in the source: the same edits over and over. What has been paid for once can be copied from the target.
//
// Covers stay as they are where they cost little. So the target is priced in blocks (target_costs), and only what lies in
// blocks that cost something, or beside them, is looked at: about the patch's size times ten, not the target's. Grams
// there that begin with certain bytes are kept in a table of the latest place; where one comes again, the match is
// extended to both sides, as far as it is of use, and taken if the blocks below it cost more than a copy with the way
// back to the cover that it interrupts.
#include "match/target_copies.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "match/target_costs.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kGramBytes = 24;
constexpr std::uint64_t kBlockBytes = TargetCosts::kBlockBytes;
constexpr std::uint64_t kIdleBytes = 2048;   // a match is followed so far where nothing costs anything
constexpr std::uint64_t kMostBack = 4096;
constexpr std::int64_t kMarginCost = 2000;   // an estimate is no measurement
constexpr std::uint64_t kManyGrams = std::uint64_t{64} << 20;  // bytes to look at, beyond which fewer grams will do
constexpr std::uint64_t kCostsOfByte = 8 * 64;

// One in four places, chosen by its bytes, so that both places of what repeats are chosen; or one in sixteen.
class GramTable {
 public:
  explicit GramTable(std::uint64_t searched_bytes)
      : mask_(searched_bytes > kManyGrams ? 15 : 3),
        log_(std::max(10u, static_cast<unsigned>(std::bit_width(searched_bytes / (mask_ + 1))))),
        places_(std::size_t{1} << log_, kNone) {}

  // The last place of the gram at `pos`, or kNone; from then on `pos` is it.
  std::uint32_t exchange(ByteSpan target, std::size_t pos) {
    const std::uint8_t* at = target.data() + pos;
    const std::uint64_t first = load_le<std::uint64_t>(at) * 0x9E3779B97F4A7C15u;
    if ((first >> 58 & mask_) != 0) return kNone;
    const std::uint64_t second = load_le<std::uint64_t>(at + 8) * 0xC2B2AE3D27D4EB4Fu;
    const std::uint64_t third = load_le<std::uint64_t>(at + 16) * 0x165667B19E3779F9u;
    std::uint64_t hash = first ^ std::rotl(second, 23) ^ std::rotl(third, 47);
    hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u;
    return std::exchange(places_[static_cast<std::size_t>(hash >> (64 - log_))], static_cast<std::uint32_t>(pos));
  }

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

 private:
  const std::uint64_t mask_;
  const unsigned log_;
  std::vector<std::uint32_t> places_;
};

class Finder {
 public:
  Finder(ByteSpan target, const TargetCosts& costs, std::int64_t copy_cost, std::uint64_t history_bytes)
      : target_(target), costs_(costs), copy_cost_(copy_cost), history_bytes_(history_bytes) {}

  [[nodiscard]] TargetCopies find(WorkerPool& pool) {
    GramTable grams(searched_blocks() * kBlockBytes);
    for (std::size_t block = 0; block < costs_.block_count(); ++block) {
      if (block % 32768 == 0) pool.advance();
      if (is_searched(block)) search(block, grams);
    }
    found_.saved_bytes = saved_ / kCostsOfByte;
    found_.spent_bytes /= kCostsOfByte;
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_searched(std::size_t block) const noexcept {
    if (costs_.of_block(block) != 0 || (block > 0 && costs_.of_block(block - 1) != 0)) return true;
    return block + 1 < costs_.block_count() && costs_.of_block(block + 1) != 0;
  }

  [[nodiscard]] std::uint64_t searched_blocks() {
    std::uint64_t count = 0;
    for (std::size_t block = 0; block < costs_.block_count(); ++block) {
      count += is_searched(block);
      found_.spent_bytes += costs_.of_block(block);
    }
    return count;
  }

  void search(std::size_t block, GramTable& grams) {
    const std::uint64_t end = std::min<std::uint64_t>((block + 1) * kBlockBytes, target_.size());
    for (std::uint64_t pos = block * kBlockBytes; pos < end && target_.size() - pos >= kGramBytes; ++pos) {
      const std::uint32_t place = grams.exchange(target_, static_cast<std::size_t>(pos));
      if (place == GramTable::kNone || pos < done_ || costs_.is_literal(block)) continue;
      const std::uint64_t distance = pos - place;
      if (distance > history_bytes_ || (distance == refused_distance_ && pos < refused_end_)) continue;
      take(extended(pos, distance));
    }
  }

  // The match at `pos` to both sides, up to what was taken before.
  [[nodiscard]] Cover extended(std::uint64_t pos, std::uint64_t distance) const {
    std::uint64_t begin = pos;
    const std::uint64_t first = std::max({done_, distance, pos - std::min(pos, kMostBack)});
    while (begin > first && target_[begin - 1] == target_[begin - 1 - distance]) --begin;
    const std::uint64_t last = std::min<std::uint64_t>(target_.size(), begin + distance);
    std::uint64_t end = std::min(pos, last);
    std::uint64_t idle_from = end;
    while (end < last && target_[end] == target_[end - distance] && end - idle_from < kIdleBytes) {
      if (costs_.of_block(end / kBlockBytes) != 0) idle_from = end;
      ++end;
    }
    return {begin - distance, begin, end - begin};
  }

  void take(const Cover& copy) {
    const std::int64_t saved = costs_.of_range(copy.target_pos, copy.target_end()) - copy_cost_;
    if (copy.length < kGramBytes || saved <= 0) {
      refused_distance_ = copy.target_pos - copy.source_pos;
      refused_end_ = copy.target_end();
      return;
    }
    found_.copies.push_back(copy);
    saved_ += static_cast<std::uint64_t>(saved);
    done_ = copy.target_end();
  }

  const ByteSpan target_;
  const TargetCosts& costs_;
  const std::int64_t copy_cost_;
  const std::uint64_t history_bytes_;
  TargetCopies found_;
  std::uint64_t saved_ = 0;
  std::uint64_t done_ = 0;  // where the last copy ends
  std::uint64_t refused_distance_ = 0;
  std::uint64_t refused_end_ = 0;
};

}  // namespace

TargetCopies find_target_copies(const CopiedTarget& copied, const ParseCosts& costs, std::uint64_t history_bytes,
                                WorkerPool& pool) {
  if (copied.target.size() >= GramTable::kNone) return {};
  const TargetCosts spent(copied, costs, pool);
  return Finder(copied.target, spent, 2 * costs.far_switch + kMarginCost, history_bytes).find(pool);
}

Covers with_target_copies(const Covers& covers, const Covers& copies, std::uint64_t target_from) {
  Covers all;
  auto copy = copies.begin();
  std::uint64_t copied_end = 0;  // of the last copy
  const auto add_copy = [&] {
    all.push_back({target_from + copy->source_pos, copy->target_pos, copy->length});
    copied_end = copy->target_end();
    ++copy;
  };
  for (const Cover& cover : covers) {
    // What of the cover lies behind the last copy and before `end`.
    const auto add_until = [&](std::uint64_t end) {
      const std::uint64_t pos = std::max(cover.target_pos, copied_end);
      if (pos < end) all.push_back({cover.source_pos + (pos - cover.target_pos), pos, end - pos});
    };
    while (copy != copies.end() && copy->target_pos < cover.target_end()) {
      add_until(copy->target_pos);
      add_copy();
    }
    add_until(cover.target_end());
  }
  while (copy != copies.end()) add_copy();
  return all;
}

}  // namespace bdelta
