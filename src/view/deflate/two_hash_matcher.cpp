#include "view/deflate/two_hash_matcher.hpp"

#include <algorithm>

#include "base/bytes.hpp"

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kLimitMargin = 11;       // before the end of a block: nothing is looked up there
constexpr std::uint64_t kLeastOfAll = 13;        // bytes of a block that may be searched
constexpr std::uint64_t kHistoryBytes = 327'675;  // so much text is kept before all but a window of it is dropped
constexpr std::uint64_t kTooFar = kWindowBytes;
constexpr std::uint64_t kDictionaryBytes = 16'384;  // of a joint that lets the text before be known
constexpr std::uint64_t kSkipped = 2;            // bytes at the front of a match that goes on where another one ends
constexpr std::uint64_t kEnough = 30;            // a match so long is not held against such a one, at level 5
constexpr unsigned kSlotBits = 15;
constexpr std::uint64_t kMostStamp = 1u << 30;   // so differences of two have a sign

}  // namespace

TwoHashMatcher::TwoHashMatcher() : BlockMatcher(0), stamps_(std::size_t{3} << kSlotBits) {}

void TwoHashMatcher::begin(const Parameters& parameters, std::uint64_t first, std::uint64_t pos) {
  // Positions of the stream before are two windows away at least, and none is 0.
  stamp_of_0_ += std::max(pos_, block_end_) + 2 * kTooFar - first;
  BlockMatcher::begin(parameters, first, pos);
  six_ = parameters.chain == 6;
  keeps_short_ = has_plain_trees(parameters);
  base_ = first;
}

void TwoHashMatcher::join(JointKind kind) {
  if (kind == JointKind::kContinue && (keeps_short_ || block_end_ - block_ >= kLeastSearched)) {
    block_end_ = pos_;
    return;
  }
  stamp_of_0_ += 2 * kTooFar;
  base_ = block_ = pos_ - (kind == JointKind::kReset ? std::min(pos_, kDictionaryBytes) : 0);
  block_end_ = pos_;
  token_count_ = 0;
  make_tokens();
  token_count_ = 0;
}

void TwoHashMatcher::make_tokens() {
  move_window();
  if (block_end_ - block_ < (keeps_short_ && base_ < block_ ? kLeastOfAll : kLeastSearched)) return;
  const std::uint64_t limit = block_end_ - kLimitMargin;
  std::uint64_t behind = block_;  // the tokens so far
  std::uint64_t next = block_;
  repeat_ = 1;
  for (;;) {
    Match match;
    for (bool found = false; !found;) {
      const std::uint64_t pos = next;
      next = pos + 1 + ((pos - behind) >> (six_ ? 7 : 6));
      if (next <= limit) {
        found = find(pos, next, match);
      } else {
        if (token_count_ != 0) add_literals(behind, block_end_);
        return;
      }
    }
    extend(match, behind);
    add_literals(behind, match.pos);
    add_match(match);
    repeat_ = match.pos - match.from;
    behind = match.pos + match.length;
    const std::uint64_t looked_up = next;
    next = std::max(behind, next + 1);
    remember_within(match, looked_up, next);
    if (next >= limit) return add_literals(behind, block_end_);
  }
}

void TwoHashMatcher::move_window() {
  if (block_end_ - base_ > kHistoryBytes) base_ = block_ - kWindowBytes;
  const std::uint64_t stamp = block_ + stamp_of_0_;
  if (stamp < kMostStamp) return;
  // Stamps are made small again before there are none left.
  const std::uint64_t less = stamp - 2 * kTooFar;
  for (Stamp& one : stamps_) one = one > less ? static_cast<Stamp>(one - less) : 0;
  stamp_of_0_ -= less;
}

// Looks `pos` up, and remembers it. If there is a match, `next` is remembered, too.
bool TwoHashMatcher::find(std::uint64_t pos, std::uint64_t next, Match& match) {
  const std::uint64_t distance_of_four = distance(pos, *of_four(pos));
  const Two two = two_of_seven(pos);
  remember(pos);
  const auto take = [&](std::uint64_t at, std::uint64_t how_far) {
    const Match other{at, at - how_far, count_alike(at, at - how_far, kMostMatch)};
    if (other.length <= match.length) return false;
    match = other;
    return true;
  };
  const std::uint64_t latest = distance(pos, two.latest);
  if (latest < kTooFar) {
    const std::uint64_t before = distance(pos, two.before);
    const bool latest_alike = alike(pos, latest);
    const bool before_alike = before < kTooFar && alike(pos, before);
    if (latest_alike || before_alike) {
      remember(next);
      if (latest_alike) take(pos, latest);
      if (before_alike) take(pos, before);
      return true;
    }
  }
  if (distance_of_four >= kTooFar || !alike(pos, distance_of_four)) return false;
  take(pos, distance_of_four);
  const Two two_of_next = two_of_seven(next);
  remember(next);
  if (six_ && alike(pos + 1, repeat_) && take(pos + 1, repeat_)) return true;
  const std::uint64_t latest_of_next = distance(next, two_of_next.latest);
  if (latest_of_next >= kTooFar) return true;
  if (alike(next, latest_of_next) && take(next, latest_of_next) && !six_) return true;
  const std::uint64_t before_of_next = distance(next, two_of_next.before);
  if (before_of_next < kTooFar && alike(next, before_of_next)) take(next, before_of_next);
  return true;
}

// As far as it goes to both sides; behind: where it may begin at the earliest.
void TwoHashMatcher::extend(Match& match, std::uint64_t behind) {
  if (match.length == kMostMatch) match.length = count_alike(match.pos, match.from, block_end_ - match.pos);
  if (match.pos + match.length < block_end_ - kLimitMargin && (six_ || match.length < kEnough)) try_end(match);
  while (match.from > base_ && match.pos > behind && *text_at(match.pos - 1) == *text_at(match.from - 1)) {
    --match.pos;
    --match.from;
    ++match.length;
  }
}

// What was seen last with the bytes behind it may go on for longer there, and have all but its first bytes, too.
void TwoHashMatcher::try_end(Match& match) {
  const std::uint64_t pos = match.pos + kSkipped;
  const std::uint64_t length = match.length;
  const std::uint64_t end = match.pos + length;
  const Two two = two_of_seven(end);
  // A position may have been remembered that lies behind the end.
  const auto from_end = [&](Stamp stamp) { return std::int64_t{static_cast<std::int32_t>(stamp_of(end) - stamp)}; };
  const auto try_distance = [&](std::int64_t how_far) {
    if (how_far <= 0 || how_far >= std::int64_t{kTooFar} || pos - base_ < static_cast<std::uint64_t>(how_far)) return;
    const std::uint64_t from = pos - static_cast<std::uint64_t>(how_far);
    const std::uint64_t alike_length = count_alike(pos, from, block_end_ - pos);
    if (alike_length > match.length) match = {pos, from, alike_length};
  };
  const std::int64_t latest = from_end(two.latest);
  if (latest >= std::int64_t{kTooFar}) return;
  try_distance(latest);
  // Level 6 places the second one by the length that there is by now.
  if (six_) try_distance(from_end(two.before) + static_cast<std::int64_t>(match.length - length));
}

// Longer ones than deflate has are cut, so that what is left is none that is too short.
void TwoHashMatcher::add_match(const Match& match) {
  const auto how_far = static_cast<std::uint32_t>(match.pos - match.from);
  for (std::uint64_t left = match.length; left > 0;) {
    const std::uint64_t length = left <= kMostMatch ? left : left > kMostMatch + kLeastMatch ? kMostMatch : kMostMatch - kLeastMatch;
    tokens_[token_count_++] = match_token(static_cast<unsigned>(length), how_far);
    left -= length;
  }
}

// Places behind the match's front; looked_up: the last one that was looked up or remembered, pos: the next one.
void TwoHashMatcher::remember_within(const Match& match, std::uint64_t looked_up, std::uint64_t pos) {
  const bool at_end = pos >= block_end_ - kLimitMargin;
  if (six_) {
    for (std::uint64_t at = looked_up + 1; at < (at_end ? block_end_ - 8 : pos - 1); at += 2) {
      remember(at);
      if (!at_end) remember_seven(at + 1);
    }
    return;
  }
  if (at_end) return;
  std::uint64_t at = pos - match.length + 1;
  if (at < pos - 1) {
    remember(at);
    remember_seven(at + 1);
    remember_four(at + 2);
    for (at += 4; at < pos - 1; at += 3) {
      remember_seven(at);
      remember_four(at + 1);
    }
  }
  remember(pos - 1);
}

TwoHashMatcher::Stamp* TwoHashMatcher::of_four(std::uint64_t pos) {
  return stamps_.data() + (load_le<std::uint32_t>(text_at(pos)) * 2654435761u >> (32 - kSlotBits));
}

TwoHashMatcher::Stamp* TwoHashMatcher::of_seven(std::uint64_t pos) {
  constexpr std::uint64_t kFactor = 58'295'818'150'454'627;
  const std::uint64_t slot = (load_le<std::uint64_t>(text_at(pos)) << 8) * kFactor >> (64 - kSlotBits);
  return stamps_.data() + (std::size_t{1} << kSlotBits) + 2 * slot;
}

void TwoHashMatcher::remember_seven(std::uint64_t pos) {
  Stamp* const at = of_seven(pos);
  at[1] = at[0];
  at[0] = stamp_of(pos);
}

void TwoHashMatcher::remember(std::uint64_t pos) {
  remember_four(pos);
  remember_seven(pos);
}

bool TwoHashMatcher::alike(std::uint64_t pos, std::uint64_t distance) const {
  return load_le<std::uint32_t>(text_at(pos)) == load_le<std::uint32_t>(text_at(pos - distance));
}

std::uint64_t TwoHashMatcher::count_alike(std::uint64_t pos, std::uint64_t from, std::uint64_t most) const {
  return count_equal(text_at(pos), text_at(from), static_cast<std::size_t>(std::min(most, block_end_ - pos)));
}

}  // namespace bdelta::deflate
