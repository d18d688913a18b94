// What the sampled index can't see is found the other way round. The gaps are small, so the keys at all their
// positions go into a Bloom filter; the whole source is then read once, and only positions whose key the filter knows
// enter a table (a semi-join). The table is as small as the gaps, so every source position can be a candidate, which no
// index of the source could afford. Then each gap is scanned against the table, and the candidate that scores best in
// both directions is taken if it pays for its op; one on or near a neighbouring diagonal pays less.
#include "match/gap_pass.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

#include "base/bytes.hpp"
#include "base/prefetch.hpp"
#include "parallel/large_buffer.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kMaxFilterWords = std::uint64_t{1} << 23;  // 64 MiB
constexpr std::uint64_t kMaxSlots = std::uint64_t{1} << 24;      // of the table: 128 MiB
constexpr std::uint64_t kSourceTask = std::uint64_t{8} << 20;    // bytes of source read by one task
constexpr std::uint64_t kBoundedTask = std::uint64_t{64} << 10;   // the same under a limit of memory
constexpr std::uint64_t kPiece = 64 * 1024;                      // positions between two looks at the watch
constexpr unsigned kWays = 4;                                    // candidates kept for a key

constexpr std::size_t kBatch = 256;                              // keys whose filter words are fetched at once
constexpr std::uint64_t kAhead = 16;                             // keys between a fetch and the use of what it brings
constexpr std::size_t kFarFilterBytes = std::size_t{1} << 18;    // from here on the filter is far from the processor

struct Gap {
  std::uint64_t begin;
  std::uint64_t end;
  std::size_t cover_before;  // index + 1 of the cover before, 0 = none
};

std::uint64_t key_at(const std::uint8_t* at, unsigned span) noexcept {
  std::uint64_t h = load_le<std::uint64_t>(at) * 0x9FB21C651E98DF25ull;
  h ^= load_le<std::uint64_t>(at + span - 8) * 0xD6E8FEB86659FD93ull;
  if (span > 16) h ^= load_le<std::uint64_t>(at + 8) * 0xC2B2AE3D27D4EB4Full;
  return h ^ (h >> 32);
}

class GapFiller {
 public:
  GapFiller(ByteSpan source, ByteSpan target, const MatchParams& params, unsigned span, WorkerPool& pool,
            const GapScope& scope)
      : source_(source), target_(target), params_(params), span_(span), pool_(pool), scope_(scope) {}

  void run(Covers& covers) {
    find_gaps(covers);
    if (gaps_.empty() || source_.size() < span_) return;
    note_gap_keys();
    if (scope_.memory_bytes == 0) {
      gather_candidates();
    } else {
      gather_in_rounds();
    }
    std::vector<Covers> found(gaps_.size());
    constexpr std::size_t kGapsPerTask = 64;
    pool_.for_each((gaps_.size() + kGapsPerTask - 1) / kGapsPerTask, [&](std::size_t task) {
      const std::size_t last = std::min(gaps_.size(), (task + 1) * kGapsPerTask);
      const Span span(pool_.timeline(), PhaseId::kGaps, task);
      for (std::size_t i = task * kGapsPerTask; i < last; ++i) {
        scan_gap(covers, gaps_[i], found[i]);
        pool_.advance(gaps_[i].end - gaps_[i].begin);
      }
    });
    merge(covers, found);
  }

 private:
  void find_gaps(const Covers& covers) {
    std::uint64_t done = 0;
    for (std::size_t i = 0; i <= covers.size(); ++i) {
      const std::uint64_t end = i < covers.size() ? covers[i].target_pos : target_.size();
      if (end - done >= span_) {
        gaps_.push_back({done, end, i});
        gap_bytes_ += end - done;
      }
      if (i < covers.size()) done = covers[i].target_end();
    }
  }

  // A blocked Bloom filter: two bits a key in one word, so a question costs one access; 16 bits of filter a gap byte
  // let fewer than one stranger in a hundred pass.
  void note_gap_keys() {
    std::uint64_t words = std::bit_ceil(std::clamp<std::uint64_t>(gap_bytes_ / 4, 1 << 10, kMaxFilterWords));
    if (scope_.memory_bytes != 0) words = std::min(words, std::bit_floor(scope_.memory_bytes / 4 / sizeof(std::uint64_t)));
    filter_shift_ = 64 - static_cast<unsigned>(std::countr_zero(words));
    filter_ = filled_buffer<std::uint64_t>(static_cast<std::size_t>(words), 0, pool_);
    Pace pace(pool_.watch(), kPiece);
    for (const Gap& gap : gaps_) {
      for (std::uint64_t pos = gap.begin; pos + span_ <= gap.end; ++pos) {
        pace.step();
        if (pos + kAhead + span_ <= gap.end) {
          prefetch_line(&filter_[filter_word(key_at(target_.data() + pos + kAhead, span_))]);
        }
        const std::uint64_t key = key_at(target_.data() + pos, span_);
        filter_[filter_word(key)] |= filter_bits(key);
      }
    }
  }

  [[nodiscard]] static std::uint64_t filter_bits(std::uint64_t key) noexcept {
    return std::uint64_t{1} << (key & 63) | std::uint64_t{1} << (key >> 6 & 63);
  }

  [[nodiscard]] std::size_t filter_word(std::uint64_t key) const noexcept {
    return static_cast<std::size_t>(key >> filter_shift_);
  }

  [[nodiscard]] bool in_filter(std::uint64_t key) const noexcept {
    return (~filter_[filter_word(key)] & filter_bits(key)) == 0;
  }

  // Appends the source positions of [begin, end) whose key the filter knows.
  void filter_source(std::uint64_t begin, std::uint64_t end, std::vector<std::uint64_t>& passed) const {
    const bool is_far = filter_.size() * sizeof(std::uint64_t) >= kFarFilterBytes;
    std::uint64_t last_key = 0;
    while (begin < end) {
      const std::uint64_t piece_end = std::min(end, begin + kPiece);
      last_key = is_far ? filter_far(begin, piece_end, last_key, passed)
                        : filter_near(begin, piece_end, last_key, passed);
      pool_.advance(piece_end - begin);
      begin = piece_end;
    }
  }

  // With a filter that a near cache holds: nearly all keys are strangers, which the branches learn.
  // Returns the last key.
  std::uint64_t filter_near(std::uint64_t begin, std::uint64_t end, std::uint64_t last_key,
                            std::vector<std::uint64_t>& passed) const {
    for (std::uint64_t pos = begin; pos < end; ++pos) {
      const std::uint64_t key = key_at(source_.data() + pos, span_);
      if (in_filter(key) && key != last_key) passed.push_back(pos);
      last_key = key;
    }
    return last_key;
  }

  // With a larger one: the words of a batch of keys are all on their way before the first is looked at, and a wrong
  // guess would wait for one, so every position is stored, and stays if the next goes behind it. Returns the last key.
  std::uint64_t filter_far(std::uint64_t begin, std::uint64_t end, std::uint64_t last_key,
                           std::vector<std::uint64_t>& passed) const {
    std::array<std::uint64_t, kBatch> keys;
    std::array<std::uint64_t, kBatch> known;
    for (; begin < end; begin += kBatch) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kBatch, end - begin));
      for (std::size_t i = 0; i < count; ++i) {
        keys[i] = key_at(source_.data() + begin + i, span_);
        prefetch_line(&filter_[filter_word(keys[i])]);
      }
      std::size_t known_count = 0;
      for (std::size_t i = 0; i < count; ++i) {
        known[known_count] = begin + i;
        known_count += static_cast<unsigned>(in_filter(keys[i])) & static_cast<unsigned>(keys[i] != last_key);
        last_key = keys[i];
      }
      passed.insert(passed.end(), known.begin(), known.begin() + static_cast<std::ptrdiff_t>(known_count));
    }
    return last_key;
  }

  // What of the source is to be read, in pieces of task_bytes at most.
  [[nodiscard]] ByteRanges tasks_of(std::uint64_t task_bytes) const {
    return cut_ranges(scope_.ranges, source_.size() - span_ + 1, task_bytes);
  }

  // The source positions that the filter lets pass, by task.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> filter_tasks(std::span<const ByteRange> tasks) const {
    std::vector<std::vector<std::uint64_t>> passed(tasks.size());
    pool_.for_each(tasks.size(), [&](std::size_t i) {
      const Span span(pool_.timeline(), PhaseId::kGaps, i, tasks[i].end - tasks[i].begin);
      filter_source(tasks[i].begin, tasks[i].end, passed[i]);
    });
    return passed;
  }

  void make_table(std::uint64_t slots) {
    slot_shift_ = 64 - static_cast<unsigned>(std::countr_zero(slots / kWays));
    slots_ = filled_buffer<std::uint64_t>(static_cast<std::size_t>(slots), 0, pool_);
  }

  // All candidates at once; the table fits their number.
  void gather_candidates() {
    const auto passed = filter_tasks(tasks_of(kSourceTask));
    std::uint64_t count = 0;
    for (const auto& positions : passed) count += positions.size();
    make_table(std::bit_ceil(std::clamp<std::uint64_t>(count * 2, 1024, kMaxSlots)));
    insert_all(passed);
  }

  // So many tasks at a time that their candidates fit a quarter of the memory even if every position is one; the table
  // has half of it at most, and no more than four slots a gap byte.
  void gather_in_rounds() {
    const std::uint64_t most_slots = std::bit_floor(scope_.memory_bytes / 2 / sizeof(std::uint64_t));
    make_table(std::min(most_slots, std::bit_ceil(std::clamp<std::uint64_t>(gap_bytes_ * 4, 1024, kMaxSlots))));
    const std::uint64_t task_memory = kBoundedTask * 2 * sizeof(std::uint64_t);  // with the slack of a growing vector
    const auto round = static_cast<std::size_t>(std::max<std::uint64_t>(1, scope_.memory_bytes / 4 / task_memory));
    const ByteRanges tasks = tasks_of(kBoundedTask);
    for (std::size_t begin = 0; begin < tasks.size(); begin += round) {
      insert_all(filter_tasks(std::span(tasks).subspan(begin, std::min(round, tasks.size() - begin))));
    }
  }

  void insert_all(const std::vector<std::vector<std::uint64_t>>& passed) {
    Pace pace(pool_.watch(), kPiece);
    for (const auto& positions : passed) {
      for (std::size_t i = 0; i < positions.size(); ++i) {
        pace.step();
        if (i + kAhead < positions.size()) {
          prefetch_line(bucket(key_at(source_.data() + positions[i + kAhead], span_)));
        }
        insert(positions[i]);
      }
    }
  }

  void insert(std::uint64_t source_pos) noexcept {
    std::uint64_t* way = bucket(key_at(source_.data() + source_pos, span_));
    for (unsigned i = 0; i < kWays; ++i) {
      if (way[i] == 0) {
        way[i] = source_pos + 1;
        return;
      }
    }
  }

  [[nodiscard]] std::uint64_t* bucket(std::uint64_t key) noexcept {
    return &slots_[static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> slot_shift_) * kWays];
  }

  struct Found {
    Cover cover;
    std::int64_t margin = -1;
  };

  // Extends source_pos = pos within [begin, end) and keeps it where it beats `best`.
  void weigh(std::uint64_t source_pos, std::uint64_t pos, std::uint64_t begin, std::uint64_t end, int min_score,
             Found& best) const {
    const std::uint8_t* s = source_.data() + source_pos;
    const std::uint8_t* t = target_.data() + pos;
    const Extension ahead = extend_forward(s, t, std::min(source_.size() - source_pos, end - pos), params_.strict);
    const Extension back = extend_backward(s, t, std::min(source_pos, pos - begin), params_.strict);
    const std::int64_t margin = ahead.score + back.score - min_score;
    if (margin >= 0 && margin > best.margin) {
      best = {{source_pos - back.length, pos - back.length, back.length + ahead.length}, margin};
    }
  }

  void scan_gap(const Covers& covers, const Gap& gap, Covers& found) {
    const std::int64_t before = gap.cover_before > 0 ? covers[gap.cover_before - 1].diagonal() : 0;
    const std::int64_t after = gap.cover_before < covers.size() ? covers[gap.cover_before].diagonal() : before;
    std::uint64_t begin = gap.begin;
    Pace pace(pool_.watch(), kPiece / 16);
    for (std::uint64_t pos = begin; pos + span_ <= gap.end;) {
      pace.step();
      const std::uint8_t* at = target_.data() + pos;
      if (pos + kAhead + span_ <= gap.end) prefetch_line(bucket(key_at(at + kAhead, span_)));
      const std::uint64_t key = key_at(at, span_);
      Found best;
      const std::uint64_t* way = bucket(key);
      for (unsigned i = 0; i < kWays && way[i] != 0; ++i) {
        const std::uint64_t source_pos = way[i] - 1;
        if (load_word(source_.data() + source_pos) != load_word(at)) continue;
        weigh(source_pos, pos, begin, gap.end, threshold(source_pos, pos, before, after), best);
      }
      if (best.margin < 0) {
        ++pos;
        continue;
      }
      if (scope_.bytes_per_cover != 0 && found.size() > (gap.end - gap.begin) / scope_.bytes_per_cover) return;
      found.push_back(best.cover);
      pos = begin = best.cover.target_end();
    }
  }

  [[nodiscard]] int threshold(std::uint64_t source_pos, std::uint64_t pos, std::int64_t before,
                              std::int64_t after) const noexcept {
    const std::int64_t diagonal = static_cast<std::int64_t>(source_pos) - static_cast<std::int64_t>(pos);
    const auto near = [&](std::int64_t other) { return diagonal - other < 256 && other - diagonal < 256; };
    if (diagonal == before || diagonal == after) return params_.same_min_score;
    return near(before) || near(after) ? params_.near_min_score : params_.far_min_score;
  }

  void merge(Covers& covers, const std::vector<Covers>& found) const {
    Covers merged;
    std::size_t gap = 0;
    for (std::size_t i = 0; i <= covers.size(); ++i) {
      if (gap < gaps_.size() && gaps_[gap].cover_before == i) {
        merged.insert(merged.end(), found[gap].begin(), found[gap].end());
        ++gap;
      }
      if (i < covers.size()) merged.push_back(covers[i]);
    }
    covers = std::move(merged);
  }

  const ByteSpan source_;
  const ByteSpan target_;
  const MatchParams& params_;
  const unsigned span_;
  WorkerPool& pool_;
  const GapScope& scope_;
  std::vector<Gap> gaps_;
  std::uint64_t gap_bytes_ = 0;
  RawBuffer<std::uint64_t> filter_;
  unsigned filter_shift_ = 0;
  RawBuffer<std::uint64_t> slots_;  // source position + 1, kWays a bucket, 0 = free
  unsigned slot_shift_ = 0;
};

}  // namespace

void fill_gaps(ByteSpan source, ByteSpan target, const MatchParams& params, unsigned span, WorkerPool& pool,
               Covers& covers, const GapScope& scope) {
  GapFiller(source, target, params, span, pool, scope).run(covers);
}

}  // namespace bdelta
