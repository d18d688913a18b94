// Greedy scan of a stretch of the target.
//
// Three places are asked at each uncovered byte, the likeliest and cheapest first. The diagonal of the cover before
// comes first: after a replacement the files go on in step. The local table is for insertions and deletions. The global
// index, at the sampled positions, is for moved or far content. A hit is extended both ways under the strict rule, and
// accepted if its score pays for the op it takes. That is little on the current diagonal, more nearby, most far away. A
// hit that lies far from the diagonal of the last long cover is held against hits beside that one. Only uncovered bytes
// are visited, so similar files cost a comparison and little else.
//
// Where nothing has been found for kScanLostBytes the scan is lost: it then asks the global index alone, at the samples
// that the SIMD scan picks, until something fits again.
#include "match/scan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>

#include "base/deciding/search.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kLostStep = 4096;    // bytes of a SIMD scan while lost
constexpr std::uint32_t kVisitsPerLook = 2048;  // at the watch: a visit takes some 10 ns, with candidates up to microseconds

class Scanner {
 public:
  Scanner(const ScanInput& input, std::uint64_t begin, std::uint64_t end, const ScanState& state, LocalTable& table,
          Covers& covers)
      : source_(input.source), target_(input.target), index_(*input.index), params_(*input.params),
        max_covers_(input.max_covers), end_(end), table_(table), covers_(covers), pace_(input.watch, kVisitsPerLook),
        pos_(begin), free_from_(begin), diagonal_(state.diagonal), credit_(state.credit), home_(state.home) {}

  ScanState run() {
    while (pos_ < end_ && covers_.size() < max_covers_) {
      pace_.step();
      if (end_ - pos_ < kHashSpan || target_.size() - pos_ < kHashSpan) break;
      if (pos_ - free_from_ >= kScanLostBytes) {
        scan_lost();
      } else {
        visit();
      }
    }
    return {diagonal_, credit_, home_};
  }

 private:
  struct Candidate {
    Cover cover;
    std::int64_t score = 0;
  };

  [[nodiscard]] bool in_source(std::int64_t pos, std::uint64_t length) const noexcept {
    return pos >= 0 && static_cast<std::uint64_t>(pos) <= source_.size() &&
           source_.size() - static_cast<std::uint64_t>(pos) >= length;
  }

  // Extends source[source_pos] = target[pos_] both ways within what is free.
  [[nodiscard]] Candidate extend(std::uint64_t source_pos) const noexcept {
    const std::uint8_t* s = source_.data() + source_pos;
    const std::uint8_t* t = target_.data() + pos_;
    const Extension ahead = extend_forward(s, t, std::min(source_.size() - source_pos, end_ - pos_), kStrict);
    const Extension back = extend_backward(s, t, std::min(source_pos, pos_ - free_from_), kStrict);
    return {{source_pos - back.length, pos_ - back.length, back.length + ahead.length}, back.score + ahead.score};
  }

  void accept(const Candidate& candidate) {
    const Cover& cover = candidate.cover;
    add_joined(covers_, cover);
    if (cover.diagonal() != diagonal_) reach_ = kFirstReachBytes;
    diagonal_ = cover.diagonal();
    if (cover.length >= kHomeCoverBytes) home_ = diagonal_;
    credit_ = std::min(credit_ + static_cast<std::int64_t>(cover.target_end() - free_from_), ScanState::kMostCredit);
    pos_ = free_from_ = cover.target_end();
  }

  // The best of `candidate` and what stands at source_pos, if that reaches min_score. A candidate's margin over its
  // own threshold is what counts.
  void consider(std::uint64_t source_pos, int min_score, Candidate& best, std::int64_t& best_margin) const noexcept {
    const Candidate found = extend(source_pos);
    const std::int64_t margin = found.score - min_score;
    if (margin >= 0 && margin > best_margin) {
      best = found;
      best_margin = margin;
    }
  }

  void visit() {
    const std::uint8_t* at = target_.data() + pos_;
    const std::uint64_t word = load_word(at);
    Candidate best;
    std::int64_t margin = -1;

    const std::int64_t along = static_cast<std::int64_t>(pos_) + diagonal_;
    if (in_source(along, kHashSpan) && load_word(source_.data() + along) == word) {
      consider(static_cast<std::uint64_t>(along), kLeastSameScore, best, margin);
    }
    if (margin < 0 || params_.compare_candidates) {
      const std::uint32_t hash = sample_hash(at);
      ask_local(hash, word, along, best, margin);
      if (hash < index_.threshold()) ask_global(at, best, margin);
    }
    if (margin >= 0) {
      if (std::abs(best.cover.diagonal() - home_) > kHomeReachBytes) ask_home(at, best, margin);
      accept(best);
    } else {
      ++pos_;
    }
  }

  // Where text repeats itself, tables know one of many places, and seldom the one where the files go on in step.
  void ask_home(const std::uint8_t* at, Candidate& best, std::int64_t& margin) const noexcept {
    std::array<std::uint8_t, kCompareBlock> first, last;  // of the word that is looked for
    first.fill(at[0]);
    last.fill(at[kHashSpan - 1]);
    const std::int64_t home = static_cast<std::int64_t>(pos_) + home_;
    int left = kMostHomeHits;
    for (std::int64_t step = 0; step < kHomeReachBytes; step += std::int64_t{kCompareBlock}) {
      for (const std::int64_t begin : {home + step, home - step - std::int64_t{kCompareBlock}}) {
        if (!in_source(begin, kCompareBlock + kHashSpan)) continue;
        const std::uint8_t* const from = source_.data() + begin;
        std::uint64_t hits = ~(mismatch_mask(from, first.data()) | mismatch_mask(from + kHashSpan - 1, last.data()));
        for (; hits != 0 && left > 0; hits &= hits - 1) {
          const std::uint8_t* const hit = from + std::countr_zero(hits);
          if (load_word(hit) != load_word(at)) continue;
          consider(static_cast<std::uint64_t>(hit - source_.data()), kLeastNearScore, best, margin);
          --left;
        }
      }
    }
  }

  void ask_local(std::uint32_t hash, std::uint64_t word, std::int64_t along, Candidate& best,
                 std::int64_t& margin) {
    const std::uint64_t around = along < 0 ? 0 : std::min<std::uint64_t>(static_cast<std::uint64_t>(along), source_.size());
    grow_reach(around);
    const std::uint64_t found = table_.find(hash, around);
    if (found == LocalTable::kNone || found + kHashSpan > source_.size()) return;
    if (load_word(source_.data() + found) != word) return;
    if (static_cast<std::int64_t>(found) == along) return;
    consider(found, kLeastNearScore, best, margin);
  }

  // The longer nothing is found, the wider the neighbourhood: a jump to a new place costs one granule or two, and
  // only a scan that stays uncovered pays for more.
  void grow_reach(std::uint64_t around) {
    if (pos_ != free_from_ && (pos_ - free_from_) % kGrowBytes != 0) return;
    if (credit_ < 0) return;
    const std::uint64_t inserted =
        table_.cover(around, std::min(reach_ / 2, kMostBehindBytes), std::min(reach_, kMostAheadBytes));
    credit_ -= static_cast<std::int64_t>(inserted * kGranuleCostBytes);
    if (pos_ != free_from_) reach_ = std::min(reach_ * 2, kMostAheadBytes);
  }

  void ask_global(const std::uint8_t* at, Candidate& best, std::int64_t& margin) const {
    if (index_.empty() || target_.size() - pos_ < kAnchorSpan) return;
    ask_global(anchor_hash(at), at, best, margin);
  }

  void ask_global(std::uint64_t key, const std::uint8_t* at, Candidate& best, std::int64_t& margin) const {
    index_.lookup(key, [&](std::uint64_t source_pos) {
      if (load_word(source_.data() + source_pos) != load_word(at)) return;
      consider(source_pos, kLeastFarScore, best, margin);
    });
  }

  void scan_lost() {
    const std::uint64_t last = std::min(end_, target_.size() < kAnchorSpan ? 0 : target_.size() - kAnchorSpan + 1);
    if (index_.empty() || pos_ >= last) {
      pos_ = end_;
      return;
    }
    samples_.clear();
    const auto count = static_cast<std::uint32_t>(std::min(kLostStep, last - pos_));
    scan_(target_.data() + pos_, count, index_.threshold(), samples_);
    const std::uint64_t begin = pos_;
    // The index is seldom in a cache: all buckets are on their way before the first is asked.
    keys_.clear();
    for (const std::uint32_t offset : samples_) {
      keys_.push_back(anchor_hash(target_.data() + begin + offset));
      index_.prefetch(keys_.back());
    }
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      pos_ = begin + samples_[i];
      Candidate best;
      std::int64_t margin = -1;
      ask_global(keys_[i], target_.data() + pos_, best, margin);
      if (margin >= 0) {
        accept(best);
        return;
      }
    }
    pos_ = begin + count;
  }

  const ByteSpan source_;
  const ByteSpan target_;
  const SourceIndex& index_;
  const MatchParams& params_;
  const std::size_t max_covers_;
  const std::uint64_t end_;
  LocalTable& table_;
  Covers& covers_;
  Pace pace_;
  const SampleScan scan_ = best_sample_scan();
  std::vector<std::uint32_t> samples_;
  std::vector<std::uint64_t> keys_;
  std::uint64_t pos_;        // the byte looked at
  std::uint64_t free_from_;  // end of the last cover: nothing before may be taken
  std::int64_t diagonal_;
  std::int64_t credit_;      // where short covers jump to and fro, the table is not filled for each of them
  std::int64_t home_;        // diagonal of the last long cover
  std::uint64_t reach_ = kFirstReachBytes;
};

}  // namespace

void scan_range(const ScanInput& input, std::uint64_t begin, std::uint64_t end, ScanState& state, LocalTable& table,
                Covers& covers) {
  state = Scanner(input, begin, end, state, table, covers).run();
}

}  // namespace bdelta
