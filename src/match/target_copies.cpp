// A file that is made of others (a bundle beside its sources, a minified text beside the readable one, tables in two
// orders) has each change in several places. Covers pay for all of them, as each place is found best in its own
// predecessor in the source: the same edits over and over. What has been paid for once can be copied from the target.
//
// Covers stay as they are where they cost little. So the target is priced in blocks (target_costs). Only what lies in
// blocks that cost something, or beside them, is looked at: about ten times the patch's size. Grams there that begin with
// certain bytes (samples, as sample_hash has them) are listed, by all threads, and kept in a table of the latest place.
// Where one comes again, the match is extended to both sides, as far as it is of use. It is taken if the blocks below it
// cost more than a copy with the way back to the cover that it interrupts. Where there is much to look at, a sample of the
// grams tells first about how much could be saved.
//
// What repeats need not do so to the byte: a source map has its sources with each end of a line written in two bytes. So a
// match goes on behind a few bytes that are skipped on either side, as a chain of copies. Each link costs a short jump,
// and the part of the chain that saves most is taken.
#include "match/target_copies.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "base/deciding/parse.hpp"
#include "base/prefetch.hpp"
#include "match/extend.hpp"
#include "match/sample_hash.hpp"
#include "match/target_copy_costs.hpp"
#include "match/target_costs.hpp"
#include "parallel/table_parts.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kBlockBytes = TargetCosts::kBlockBytes;
constexpr std::uint64_t kCostsOfByte = 8 * 64;
constexpr std::size_t kTaskBlocks = 32768;
constexpr std::size_t kBatchTasks = 32;
constexpr ExtendCosts kExact{1, 0};          // up to the first byte that differs

// A place, and the hash of the gram there.
struct Gram {
  std::uint32_t pos;
  std::uint32_t hash;
};

// Those of some blocks, and for each the latest place before it of one that has its hash.
struct Grams {
  std::vector<Gram> list;
  std::vector<std::uint32_t> before;
};

constexpr std::uint32_t kNoPlace = std::numeric_limits<std::uint32_t>::max();

std::uint32_t hash_of(const std::uint8_t* at) noexcept {
  const std::uint64_t first = load_le<std::uint64_t>(at) * 0x9E3779B97F4A7C15u;
  const std::uint64_t second = load_le<std::uint64_t>(at + 8) * 0xC2B2AE3D27D4EB4Fu;
  const std::uint64_t third = load_le<std::uint64_t>(at + 16) * 0x165667B19E3779F9u;
  std::uint64_t hash = first ^ std::rotl(second, 23) ^ std::rotl(third, 47);
  hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u;
  return static_cast<std::uint32_t>(hash >> 32);
}

class Finder {
 public:
  Finder(ByteSpan target, const TargetCosts& spent, const ParseCosts& costs, const TargetCopyLimits& limits, WorkerPool& pool)
      : target_(target), costs_(spent), parse_costs_(costs), limits_(limits), pool_(pool) {}

  [[nodiscard]] TargetCopies find() {
    const std::uint64_t searched_bytes = count_searched();
    if (searched_bytes > kSampledCopyBytes) {
      search_all(searched_bytes, kCopySampleShift);
      if (expected_saved_ / kCostsOfByte < found_.spent_bytes / limits_.least_saved_share) {
        found_.copies.clear();
        return std::move(found_);
      }
    }
    search_all(searched_bytes, searched_bytes > kManyCopyBytes ? std::max(kFewGramsShift, limits_.gram_shift) : limits_.gram_shift);
    found_.saved_bytes = saved_ / kCostsOfByte;
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_searched(std::size_t block) const noexcept {
    if (costs_.of_block(block) != 0 || (block > 0 && costs_.of_block(block - 1) != 0)) return true;
    return block + 1 < costs_.block_count() && costs_.of_block(block + 1) != 0;
  }

  [[nodiscard]] std::uint64_t count_searched() {
    std::uint64_t count = 0;
    for (std::size_t block = 0; block < costs_.block_count(); ++block) {
      count += is_searched(block);
      found_.spent_bytes += costs_.of_block(block);
    }
    found_.spent_bytes /= kCostsOfByte;
    return count * kBlockBytes;
  }

  // Of the places in the blocks one in 2^shift_, chosen by the bytes there, so that both places of what repeats are.
  void list_grams(std::size_t first_block, std::size_t end_block, Grams& grams) const {
    if (target_.size() < kCopyGramBytes) return;
    const std::uint64_t last = target_.size() - kCopyGramBytes;
    std::vector<std::uint32_t> samples;
    for (std::size_t block = first_block; block < end_block; ++block) {
      if (!is_searched(block)) continue;
      const std::uint64_t begin = block * kBlockBytes;
      while (block + 1 < end_block && is_searched(block + 1)) ++block;
      const std::uint64_t end = std::min((block + 1) * kBlockBytes, last + 1);
      if (begin >= end) return;
      samples.clear();
      scan_(target_.data() + begin, static_cast<std::uint32_t>(end - begin), 0x80000000u >> (shift_ - 1), samples);
      for (const std::uint32_t sample : samples) {
        grams.list.push_back({static_cast<std::uint32_t>(begin + sample), hash_of(target_.data() + begin + sample)});
      }
    }
  }

  // Calls body(grams) for lists of grams in their order.
  template <class Body>
  void for_each_batch(Body&& body) {
    std::vector<Grams> lists(kBatchTasks);
    const std::size_t task_count = (costs_.block_count() + kTaskBlocks - 1) / kTaskBlocks;
    for (std::size_t begin = 0; begin < task_count; begin += kBatchTasks) {
      const std::size_t count = std::min(kBatchTasks, task_count - begin);
      pool_.for_each(count, [&](std::size_t i) {
        lists[i].list.clear();
        const std::size_t first = (begin + i) * kTaskBlocks;
        list_grams(first, std::min(costs_.block_count(), first + kTaskBlocks), lists[i]);
        pool_.advance();
      });
      link(std::span(lists).first(count));
      for (std::size_t i = 0; i < count; ++i) body(lists[i]);
    }
  }

  // Which places are before depends on the grams alone, whatever is made of them.
  void link(std::span<Grams> lists) {
    for (Grams& grams : lists) grams.before.resize(grams.list.size());
    for_each_table_part(pool_, places_.size(), [&](const TablePart& part) {
      for (Grams& grams : lists) {
        const std::vector<Gram>& list = grams.list;
        const auto slot_of = [&](std::size_t i) { return std::uint64_t{list[i].hash >> (32 - log_)}; };
        for_own_items(
            part, list.size(), slot_of, [&](std::size_t i) { prefetch_line(&place_of(list[i])); },
            [&](std::size_t i) { grams.before[i] = std::exchange(place_of(list[i]), list[i].pos); });
        pool_.advance();
      }
    });
  }

  // With one in 2^shift grams, from the beginning.
  void search_all(std::uint64_t searched_bytes, unsigned shift) {
    shift_ = shift;
    log_ = std::max(10u, static_cast<unsigned>(std::bit_width(searched_bytes >> shift)));
    places_.assign(std::size_t{1} << log_, kNoPlace);
    found_.copies.clear();
    saved_ = expected_saved_ = 0;
    link_bytes_left_ = kLinkRatio * searched_bytes;
    done_ = refused_distance_ = refused_end_ = 0;
    for_each_batch([this](const Grams& grams) { search(grams); });
  }

  void search(const Grams& grams) {
    for (std::size_t i = 0; i < grams.list.size(); ++i) {
      const std::uint64_t pos = grams.list[i].pos;
      const std::uint32_t place = grams.before[i];
      if (place == kNoPlace || pos < done_) continue;
      const std::uint64_t distance = pos - place;
      const bool is_near_refused =
          pos < refused_end_ && distance - refused_distance_ + kNearRefusedBytes < 2 * kNearRefusedBytes;
      if (distance > limits_.history_bytes || is_near_refused) {
        continue;
      }
      if (!costs_.is_literal(static_cast<std::size_t>(pos / kBlockBytes))) take(extended(pos, distance));
    }
  }

  [[nodiscard]] std::uint32_t& place_of(const Gram& gram) noexcept { return places_[gram.hash >> (32 - log_)]; }

  // The match at `pos` to both sides, up to what was taken before.
  [[nodiscard]] Cover extended(std::uint64_t pos, std::uint64_t distance) const {
    const std::uint64_t first = std::max({done_, distance, pos - std::min(pos, kMostBackBytes)});
    const std::uint8_t* const at = target_.data() + pos;
    const std::uint64_t begin = pos - (first < pos ? extend_backward(at - distance, at, pos - first, kExact).length : 0);
    return {begin - distance, begin, extended_end(begin, pos, distance) - begin};
  }

  // Where the match ends that begins at `begin` and reaches to `end` at least.
  [[nodiscard]] std::uint64_t extended_end(std::uint64_t begin, std::uint64_t end, std::uint64_t distance) const {
    const std::uint64_t last = std::min<std::uint64_t>(target_.size(), begin + distance);
    end = std::min(end, last);
    for (std::uint64_t idle_from = end; end < last && end - idle_from < kIdleBytes;) {
      const bool is_idle = costs_.of_block(static_cast<std::size_t>(end / kBlockBytes)) == 0;
      std::uint64_t limit = std::min(last, (end / kBlockBytes + 1) * kBlockBytes);
      if (is_idle) limit = std::min(limit, idle_from + kIdleBytes);
      const std::uint8_t* const next = target_.data() + end;
      const std::uint64_t length = extend_forward(next - distance, next, limit - end, kExact).length;
      end += length;
      if (!is_idle && length > 0) idle_from = end - 1;
      if (end < limit) break;
    }
    return end;
  }

  // The copy that goes on where `copy` ends, or one without a length.
  [[nodiscard]] Cover continued(const Cover& copy) const {
    for (std::uint64_t skipped = 1; skipped <= 2 * kMostBetweenCopies; ++skipped) {
      const std::uint64_t least = skipped - std::min(skipped, kMostBetweenCopies);
      for (std::uint64_t in_target = least; in_target <= std::min(skipped, kMostBetweenCopies); ++in_target) {
        const std::uint64_t pos = copy.target_end() + in_target;
        const std::uint64_t from = copy.source_end() + (skipped - in_target);
        if (pos + kLinkBytes > target_.size() || from + kLinkBytes > pos || pos - from > limits_.history_bytes) continue;
        if (load_word(target_.data() + pos) != load_word(target_.data() + from)) continue;
        return {from, pos, extended_end(pos, pos + kLinkBytes, pos - from) - pos};
      }
    }
    return {};
  }

  // How many of the links in chain_ are worth taking, and what they save.
  struct Chain {
    std::size_t count = 0;
    std::int64_t saved = 0;
  };

  // chain_ becomes the one that begins with `copy`.
  [[nodiscard]] Chain best_chain(const Cover& copy) {
    chain_.assign(1, copy);
    std::int64_t saved = costs_.of_range(copy.target_pos, copy.target_end()) - copy_cost_;
    Chain best{1, saved};
    for (Cover next = continued(copy); next.length != 0 && next.length < link_bytes_left_; next = continued(next)) {
      link_bytes_left_ -= next.length;
      saved += costs_.of_range(chain_.back().target_end(), next.target_end()) - link_cost(chain_.back(), next, parse_costs_);
      chain_.push_back(next);
      if (saved > best.saved) best = {chain_.size(), saved};
      if (saved < best.saved - kMostLostCost) break;
    }
    return best;
  }

  // Takes of the chain that begins with `copy` what saves most.
  void take(const Cover& copy) {
    if (copy.length < kCopyGramBytes) return;  // grams that have no more in common than a hash
    const Chain best = best_chain(copy);
    if (best.saved <= 0) {
      refused_distance_ = copy.target_pos - copy.source_pos;
      refused_end_ = chain_.back().target_end();
      return;
    }
    found_.copies.insert(found_.copies.end(), chain_.begin(), chain_.begin() + static_cast<std::ptrdiff_t>(best.count));
    done_ = chain_[best.count - 1].target_end();
    const auto saved = static_cast<std::uint64_t>(best.saved);
    const std::uint64_t length = done_ - copy.target_pos;
    saved_ += saved;
    expected_saved_ += saved + (saved << shift_) / length;
  }

  const ByteSpan target_;
  const TargetCosts& costs_;
  const ParseCosts& parse_costs_;
  const std::int64_t copy_cost_ = target_copy_cost(parse_costs_);
  const TargetCopyLimits limits_;
  WorkerPool& pool_;
  const SampleScan scan_ = best_sample_scan();
  unsigned shift_ = 0;
  unsigned log_ = 0;
  std::vector<std::uint32_t> places_;  // of grams, by their hash
  TargetCopies found_;
  std::uint64_t saved_ = 0;
  // The same with those that are so short that none of their grams is in the sample. Of so many copies as long as one
  // that was found, about length / (length + 2^shift_) are found.
  std::uint64_t expected_saved_ = 0;
  Covers chain_;            // that is looked at
  std::uint64_t link_bytes_left_ = 0;
  std::uint64_t done_ = 0;  // where the last copy ends
  std::uint64_t refused_distance_ = 0;
  std::uint64_t refused_end_ = 0;
};

}  // namespace

TargetCopies find_target_copies(const CopiedTarget& copied, const ParseCosts& costs, const TargetCopyLimits& limits,
                                WorkerPool& pool) {
  if (copied.target.size() >= kNoPlace) return {};
  const TargetCosts spent(copied, costs, pool);
  return Finder(copied.target, spent, costs, limits, pool).find();
}

}  // namespace bdelta
