#include "match/select.hpp"

#include <algorithm>

#include "base/deciding/search.hpp"
#include "base/timeline.hpp"

namespace bdelta {
namespace {

constexpr std::uint32_t kCoversPerLook = 1024;  // at the watch
constexpr std::size_t kTaskCovers = 16384;  // settled by one task, for any number of threads

void shift_border(Cover& left, Cover& right, std::int64_t bytes) {
  const auto shift = static_cast<std::uint64_t>(bytes);  // wraps as intended where it is negative
  left.length += shift;
  right.source_pos += shift;
  right.target_pos += shift;
  right.length -= shift;
}

// How far to move a border one way: each byte passed by gains where `giver` misses it and costs where `taker` does.
class BorderWalk {
 public:
  // The next byte, or with bits as mismatch_mask has them, the next kCompareBlock ones.
  void pass(bool giver_misses, bool taker_misses) noexcept {
    score_ += giver_misses - taker_misses;
    ++passed_;
    if (score_ > best_) best_ = score_, best_bytes_ = passed_;
  }
  // backward: the last bit is of the nearest byte.
  void pass_block(std::uint64_t giver_misses, std::uint64_t taker_misses, bool backward) noexcept {
    // Mostly the taker misses and the giver does not, so that there is nothing to be found but the sum.
    if ((giver_misses & ~taker_misses) == 0) {
      score_ += std::popcount(giver_misses) - std::popcount(taker_misses);
      passed_ += static_cast<std::int64_t>(kCompareBlock);
      return;
    }
    for (unsigned i = 0; i < kCompareBlock; ++i) {
      const unsigned bit = backward ? kCompareBlock - 1 - i : i;
      pass((giver_misses >> bit & 1) != 0, (taker_misses >> bit & 1) != 0);
    }
  }
  [[nodiscard]] std::int64_t best() const noexcept { return best_; }
  [[nodiscard]] std::int64_t best_bytes() const noexcept { return best_bytes_; }

 private:
  std::int64_t score_ = 0;
  std::int64_t best_ = 0;
  std::int64_t passed_ = 0;
  std::int64_t best_bytes_ = 0;
};

// The border between `left` and `right`, which touch in the target, goes where the sum of mismatches is least.
void move_border(ByteSpan source, ByteSpan target, Cover& left, Cover& right) {
  const std::uint64_t most_back = std::min({kMovedBorderBytes, left.length - 1, right.source_pos});
  const std::uint64_t most_ahead = std::min({kMovedBorderBytes, right.length - 1, source.size() - left.source_end()});
  const std::uint8_t* const wanted = target.data() + right.target_pos;
  const std::uint8_t* const by_left = source.data() + left.source_end();
  const std::uint8_t* const by_right = source.data() + right.source_pos;
  BorderWalk back;  // gives left's last bytes to right
  std::uint64_t i = 0;
  for (; most_back - i >= kCompareBlock; i += kCompareBlock) {
    const std::uint64_t from = i + kCompareBlock;
    back.pass_block(mismatch_mask(by_left - from, wanted - from), mismatch_mask(by_right - from, wanted - from), true);
  }
  for (++i; i <= most_back; ++i) back.pass(*(by_left - i) != *(wanted - i), *(by_right - i) != *(wanted - i));
  BorderWalk ahead;  // gives right's first bytes to left
  i = 0;
  for (; most_ahead - i >= kCompareBlock; i += kCompareBlock) {
    ahead.pass_block(mismatch_mask(by_right + i, wanted + i), mismatch_mask(by_left + i, wanted + i), false);
  }
  for (; i < most_ahead; ++i) ahead.pass(by_right[i] != wanted[i], by_left[i] != wanted[i]);
  shift_border(left, right, ahead.best() > back.best() ? ahead.best_bytes() : -back.best_bytes());
}

// The position in [low, high] with the most zero bits at its end.
std::uint64_t roundest(std::uint64_t low, std::uint64_t high) {
  if (low == 0) return 0;
  const auto free_bits = static_cast<unsigned>(std::bit_width((low - 1) ^ high)) - 1;
  return high >> free_bits << free_bits;
}

void round_border(ByteSpan source, ByteSpan target, Cover& left, Cover& right) {
  const std::uint64_t most_back = std::min({kRoundedBorderBytes, left.length - 1, right.source_pos});
  const std::uint64_t most_ahead = std::min({kRoundedBorderBytes, right.length - 1, source.size() - left.source_end()});
  const std::uint8_t* wanted = target.data() + right.target_pos;
  const std::uint8_t* by_left = source.data() + left.source_end();
  const std::uint8_t* by_right = source.data() + right.source_pos;
  const auto both_give = [&](std::int64_t at) { return by_left[at] == wanted[at] && by_right[at] == wanted[at]; };
  std::int64_t back = 0;
  while (back < static_cast<std::int64_t>(most_back) && both_give(-back - 1)) ++back;
  std::int64_t ahead = 0;
  while (ahead < static_cast<std::int64_t>(most_ahead) && both_give(ahead)) ++ahead;
  const std::uint64_t border = right.target_pos;
  const std::uint64_t rounded = roundest(border - static_cast<std::uint64_t>(back), border + static_cast<std::uint64_t>(ahead));
  shift_border(left, right, static_cast<std::int64_t>(rounded - border));
}

bool pays(ByteSpan source, ByteSpan target, const Cover* before, const Cover& cover, const Cover* after) {
  const std::uint64_t misses =
      count_misses(source.data() + cover.source_pos, target.data() + cover.target_pos, cover.length);
  const bool same = before != nullptr && before->diagonal() == cover.diagonal();
  // A cover between two that share a diagonal makes them pay for two changes of it.
  const bool between = before != nullptr && after != nullptr && before->diagonal() == after->diagonal() && !same;
  const std::int64_t op = same ? kSameOpCost : between ? kFarOpCost + kSameOpCost : kFarOpCost;
  const std::int64_t saved = static_cast<std::int64_t>(cover.length) * kLiteralCost;
  return saved > op + static_cast<std::int64_t>(misses) * kMismatchCost;
}

// Calls work(begin, end, pace) for stretches of `count` covers, on all threads.
template <class Work>
void for_each_stretch(std::size_t count, WorkerPool& pool, Work&& work) {
  pool.for_each((count + kTaskCovers - 1) / kTaskCovers, [&](std::size_t task) {
    const Span span(pool.timeline(), PhaseId::kSelect, task);
    Pace pace(pool.watch(), kCoversPerLook);
    const std::size_t begin = task * kTaskCovers;
    work(begin, std::min(count, begin + kTaskCovers), pace);
  });
}

// Calls settle(left, right) for all neighbours: in each stretch in their order, then where two stretches meet.
template <class Settle>
void for_each_neighbours(Covers& covers, WorkerPool& pool, Settle&& settle) {
  for_each_stretch(covers.size(), pool, [&](std::size_t begin, std::size_t end, Pace& pace) {
    for (std::size_t i = begin + 1; i < end; ++i) {
      pace.step();
      settle(covers[i - 1], covers[i]);
    }
  });
  for (std::size_t i = kTaskCovers; i < covers.size(); i += kTaskCovers) settle(covers[i - 1], covers[i]);
}

bool touch(const Cover& left, const Cover& right) { return left.target_end() == right.target_pos; }

// Extends into the gap between `left` and `right`; either may be null, at the ends of the target.
void loosen_gap(ByteSpan source, ByteSpan target, Cover* left, Cover* right) {
  const std::uint64_t begin = left ? left->target_end() : 0;
  const std::uint64_t end = right ? right->target_pos : target.size();
  if (begin == end) return;
  Extension ahead;
  Extension back;
  if (left) {
    const std::uint64_t limit = std::min(end - begin, source.size() - left->source_end());
    ahead = extend_forward(source.data() + left->source_end(), target.data() + begin, limit, kLoose);
  }
  if (right) {
    const std::uint64_t limit = std::min(end - begin, right->source_pos);
    back = extend_backward(source.data() + right->source_pos, target.data() + end, limit, kLoose);
  }
  // Where both claim the same bytes the better one keeps them; pruning moves the border later.
  if (ahead.length + back.length > end - begin) {
    if (ahead.score >= back.score) {
      back.length = end - begin - ahead.length;
    } else {
      ahead.length = end - begin - back.length;
    }
  }
  if (left) left->length += ahead.length;
  if (right) {
    right->source_pos -= back.length;
    right->target_pos -= back.length;
    right->length += back.length;
  }
}

// Drops the covers in [begin, end) that don't pay; those kept stand at its beginning. Gives their end.
std::size_t keep_paying(ByteSpan source, ByteSpan target, Covers& covers, std::size_t begin, std::size_t end,
                        Pace& pace) {
  std::size_t kept = begin;
  for (std::size_t i = begin; i < end; ++i) {
    pace.step();
    const Cover* before = kept > begin ? &covers[kept - 1] : nullptr;
    const Cover* after = i + 1 < end ? &covers[i + 1] : nullptr;
    if (covers[i].length > kLongCoverBytes || pays(source, target, before, covers[i], after)) covers[kept++] = covers[i];
  }
  return kept;
}

}  // namespace

void join_covers(Covers& covers) {
  std::size_t kept = 0;
  for (const Cover& cover : covers) {
    if (kept > 0) {
      Cover& last = covers[kept - 1];
      const std::uint64_t gap = cover.target_pos - last.target_end();
      if (last.diagonal() == cover.diagonal() && gap <= kBridgeBytes) {
        last.length += gap + cover.length;
        continue;
      }
    }
    covers[kept++] = cover;
  }
  covers.resize(kept);
}

void loosen_covers(ByteSpan source, ByteSpan target, Covers& covers, WorkerPool& pool) {
  for_each_neighbours(covers, pool, [&](Cover& left, Cover& right) { loosen_gap(source, target, &left, &right); });
  Cover* const first = covers.empty() ? nullptr : &covers.front();
  loosen_gap(source, target, nullptr, first);
  if (first) loosen_gap(source, target, &covers.back(), nullptr);
}

void round_borders(ByteSpan source, ByteSpan target, Covers& covers, WorkerPool& pool) {
  for_each_neighbours(covers, pool, [&](Cover& left, Cover& right) {
    if (touch(left, right)) round_border(source, target, left, right);
  });
}

void prune_covers(ByteSpan source, ByteSpan target, Covers& covers, WorkerPool& pool) {
  for_each_neighbours(covers, pool, [&](Cover& left, Cover& right) {
    if (touch(left, right)) move_border(source, target, left, right);
  });
  std::vector<std::size_t> ends((covers.size() + kTaskCovers - 1) / kTaskCovers);
  for_each_stretch(covers.size(), pool, [&](std::size_t begin, std::size_t end, Pace& pace) {
    ends[begin / kTaskCovers] = keep_paying(source, target, covers, begin, end, pace);
  });
  auto kept = covers.begin();
  for (std::size_t task = 0; task < ends.size(); ++task) {
    const auto first = covers.begin() + static_cast<std::ptrdiff_t>(task * kTaskCovers);
    const auto end = covers.begin() + static_cast<std::ptrdiff_t>(ends[task]);
    kept = kept == first ? end : std::move(first, end, kept);
  }
  covers.erase(kept, covers.end());
}

}  // namespace bdelta
