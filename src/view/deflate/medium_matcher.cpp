#include "view/deflate/medium_matcher.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "view/deflate/window_tables.hpp"

namespace bdelta::deflate {
namespace {

constexpr unsigned kLeastMediumMatch = 4;
constexpr std::uint32_t kMostMediumDistance = kWindowBytes - kLeastLookahead;
constexpr std::uint64_t kWindowFull = 2 * kWindowBytes - kLeastLookahead;
constexpr unsigned kEarlyChain = 32;  // levels with shorter ones give up early, and look up no next match

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

std::uint32_t bucket_of(const std::uint8_t* text) noexcept { return load_le<std::uint32_t>(text) * 2654435761u >> 16; }

}  // namespace

void MediumMatcher::begin(const Parameters& parameters, std::uint64_t first, std::uint64_t pos) {
  parameters_ = parameters;
  gives_up_early_ = parameters.chain < kEarlyChain;
  start(first, pos);
}

void MediumMatcher::start(std::uint64_t first, std::uint64_t pos) {
  std::fill(heads_.begin(), heads_.end(), std::uint16_t{0});
  base_ = first;
  fed_ = cursor_ = pos_ = entry_end_ = pos;
  drop_foreseen();
}

void MediumMatcher::drop_foreseen() noexcept {
  match_left_ = 0;
  literals_left_ = 0;
  next_.length = 0;
}

void MediumMatcher::join(JointKind kind) {
  drop_foreseen();
  if (kind != JointKind::kContinue) start(known_behind(kind, pos_), pos_);
}

Token MediumMatcher::predict() {
  while (match_left_ == 0 && literals_left_ == 0) foresee();  // the next match may take over all of the current one
  return match_left_ != 0 ? match_left_ : literal_token(*text_at(pos_));
}

void MediumMatcher::commit(Token token) {
  const bool as_foreseen = match_left_ != 0 ? token == match_left_ : !is_match(token);
  pos_ += length_of(token);
  if (!as_foreseen) {
    drop_foreseen();
    cursor_ = pos_;
  } else if (match_left_ != 0) {
    match_left_ = 0;
  } else {
    --literals_left_;
  }
}

void MediumMatcher::foresee() {
  if (fed_ - cursor_ < kLeastLookahead) {
    feed();
    next_.length = 0;
  }
  if (!gives_up_early_ && next_.length > 0) {
    current_ = next_;
    next_.length = 0;
  } else {
    current_ = look_up(cursor_, fed_ - cursor_ >= kLeastMediumMatch);
  }
  remember(current_);
  const std::uint64_t behind = current_.pos + current_.length;
  next_.length = 0;
  if (!gives_up_early_ && fed_ - cursor_ > kLeastLookahead && behind - base_ < kWindowFull) {
    next_ = look_up(behind, true);
    if (next_.length > 1) grow_next();
  }
  if (current_.length < kLeastMediumMatch) {
    literals_left_ = current_.length;
  } else {
    match_left_ = match_token(current_.length, static_cast<std::uint32_t>(current_.pos - current_.source));
  }
  cursor_ += current_.length;
}

void MediumMatcher::feed() {
  if (cursor_ - base_ >= kWindowFull) slide();
  while (fed_ - cursor_ < kLeastLookahead && fed_ < end_) {
    const std::uint64_t before = fed_;
    fed_ = std::min({end_, base_ + 2 * kWindowBytes, piece_end(before)});
    if (fed_ == before) break;
    if (parameters_.ng == 2 && fed_ - cursor_ >= kLeastMatch && cursor_ > base_) insert(cursor_ - 1);
  }
}

// Of the piece that the caller gives which holds the byte at `pos`, where text was fed up to.
std::uint64_t MediumMatcher::piece_end(std::uint64_t pos) noexcept {
  const auto multiple = [](std::uint64_t at, std::uint64_t bytes) { return (at / bytes + 1) * bytes; };
  if (parameters_.feed_bytes == 0) return kNowhere;
  if (parameters_.feed_bytes >= kLeastFeedBytes) return multiple(pos, parameters_.feed_bytes);
  if (pos == entry_end_) begin_entry(pos);
  if (pos < content_pos_) return content_pos_;
  if (pos >= content_end_) return entry_end_;
  return std::min(content_end_, content_pos_ + multiple(pos - content_pos_, 1024 * parameters_.feed_bytes));
}

// At the header of a file in a tar archive, or at what is none: that is one piece up to the end.
void MediumMatcher::begin_entry(std::uint64_t pos) noexcept {
  constexpr std::uint64_t kBlockBytes = 512;
  constexpr unsigned kSizePos = 124, kSizeEnd = 135;  // in octal
  content_pos_ = content_end_ = entry_end_ = kNowhere;
  const std::uint8_t* header = text_at(pos);
  if (end_ - pos < kBlockBytes || *header == 0) return;
  std::uint64_t size = 0;
  for (unsigned i = kSizePos; i < kSizeEnd; ++i) {
    if (header[i] < '0' || header[i] > '7') return;
    size = 8 * size + header[i] - '0';
  }
  content_pos_ = pos + kBlockBytes;
  content_end_ = content_pos_ + size;
  entry_end_ = content_pos_ + (size + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

void MediumMatcher::slide() {
  base_ += kWindowBytes;
  WindowTables::move_down(heads_.data(), heads_.size(), kWindowBytes);
  WindowTables::move_down(links_.data(), links_.size(), kWindowBytes);
}

// Gives the position that was in its bucket before, or base_ if there was none.
std::uint64_t MediumMatcher::insert(std::uint64_t pos) noexcept {
  std::uint16_t& head = heads_[bucket_of(text_at(pos))];
  const auto at = static_cast<std::uint16_t>(pos - base_);
  const std::uint16_t before = head;
  if (before != at) {
    links_[at % kWindowBytes] = before;
    head = at;
  }
  return base_ + before;
}

void MediumMatcher::insert_all(std::uint64_t pos, std::uint64_t count) noexcept {
  for (; count > 0 && pos + kLeastMediumMatch <= fed_; --count, ++pos) insert(pos);
}

void MediumMatcher::remember(const Match& match) noexcept {
  const std::uint64_t lookahead = fed_ - cursor_;
  if (lookahead <= match.length + kLeastMediumMatch) return;
  const std::uint64_t pos = match.pos + 1;
  const std::uint64_t count = match.length - 1;
  if (match.length >= kLeastMediumMatch && match.length > 16u * parameters_.lazy) {
    insert(match.pos + match.length - 1);
    return;
  }
  if (match.length < kLeastMediumMatch && count == 0) return;
  if (pos >= match.found_at) {
    insert_all(pos, pos + count > match.found_at ? count : match.found_at - pos + 1);
  } else if (match.length >= kLeastMediumMatch && match.found_at < pos + count) {
    insert_all(match.found_at, pos + count - match.found_at);
  }
}

MediumMatcher::Match MediumMatcher::look_up(std::uint64_t pos, bool may_insert) noexcept {
  Match match;
  match.pos = match.found_at = pos;
  match.length = 1;
  const std::uint64_t candidate = may_insert ? insert(pos) : base_;
  if (candidate <= base_ || candidate >= pos || pos - candidate > kMostMediumDistance) return match;
  const unsigned length = longest(pos, candidate, match.source);
  if (length >= kLeastMediumMatch) match.length = length;
  return match;
}

unsigned MediumMatcher::length_at(std::uint64_t pos, std::uint64_t candidate) const noexcept {
  const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(end_ - pos, kMostMatch));
  return static_cast<unsigned>(count_equal(text_at(pos), text_at(candidate), most));
}

unsigned MediumMatcher::longest(std::uint64_t pos, std::uint64_t candidate, std::uint64_t& source) const noexcept {
  const std::uint64_t lookahead = fed_ - cursor_;
  const std::uint64_t limit = pos - base_ > kMostMediumDistance ? pos - kMostMediumDistance : base_;
  unsigned best = 2;
  for (unsigned chain = parameters_.chain; candidate < pos;) {
    // Where a byte decides, zlib-ng looks at the bytes around the best length first, eight at a time.
    const unsigned length = length_at(pos, candidate);
    if (length > best) {
      source = candidate;
      if (length >= lookahead) return static_cast<unsigned>(lookahead);
      best = length;
      if (best >= parameters_.nice) return best;
    } else if (gives_up_early_ && length >= 8 &&
               (best < 8 || load_le<std::uint64_t>(text_at(pos + best - 7)) == load_le<std::uint64_t>(text_at(candidate + best - 7)))) {
      return best;
    }
    if (--chain == 0) return best;
    const std::uint16_t link = links_[(candidate - base_) % kWindowBytes];
    if (link == 0 || base_ + link <= limit) return best;
    candidate = base_ + link;
  }
  return best;
}

// next_ takes over the last bytes of current_ that are alike before both its ends.
void MediumMatcher::grow_next() noexcept {
  if (current_.length <= 1) return;
  if (current_.length > 1 + (next_.source - base_) || current_.length > 1 + (next_.pos - base_)) return;
  if (*text_at(next_.source + 1 - current_.length) != *text_at(next_.pos + 1 - current_.length)) return;
  const std::uint64_t limit = next_.pos - base_ > kMostMediumDistance ? next_.pos - kMostMediumDistance : base_;
  Match current = current_;
  Match next = next_;
  bool grown = false;
  while (next.source > base_ && *text_at(next.source - 1) == *text_at(next.pos - 1)) {
    // It stops one byte before the start of its window, at its most distance, and before the longest match.
    if (current.length < 1 || next.pos <= limit || next.length >= 256 || next.source - base_ <= 1) break;
    --next.pos;
    --next.source;
    ++next.length;
    --current.length;
    grown = true;
  }
  if (!grown || current.length > 1 || next.length == 2) return;
  ++next.found_at;
  current_ = current;
  next_ = next;
}

}  // namespace bdelta::deflate
