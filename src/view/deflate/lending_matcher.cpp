#include "view/deflate/lending_matcher.hpp"

#include <algorithm>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kLeastTakenBytes = std::uint64_t{64} << 10;  // else it costs more than it saves
constexpr std::uint64_t kSearchedBytes = std::uint64_t{64} << 10;    // for a place where both have a match that ends
constexpr std::uint64_t kFewBytes = std::uint64_t{4} << 10;          // that mostly suffice for it
constexpr std::uint64_t kWorkShare = 8;                              // of the text's bytes
constexpr std::size_t kReadTokens = 2048;                            // at a time
constexpr std::size_t kMostUnsure = 65536;                           // tokens without a match behind them

}  // namespace

LendingMatcher::LendingMatcher(Matcher& matcher, const Parameters& parameters, std::uint64_t text_bytes, const StreamLender& lender)
    : matcher_(matcher), parameters_(parameters), text_bytes_(text_bytes), lender_(lender), left_work_bytes_(kWorkShare * text_bytes) {
  pos_ = matcher.pos();
}

void LendingMatcher::begin(const Parameters&, std::uint64_t, std::uint64_t pos) {
  is_taking_ = false;
  is_stale_ = true;
  pos_ = pos;
}

// The first copy that is worth taking tokens from pos_ on; null if there is none so far. The last one may still grow.
const TextCopy* LendingMatcher::next_copy() {
  for (; !copies_.empty(); copies_.erase(copies_.begin())) {
    const TextCopy& copy = copies_.front();
    if (std::max(pos_, copy.first_pos()) + kLeastTakenBytes <= copy.limit(text_bytes_)) return &copy;
    if (copies_.size() == 1 && copy.end() > pos_) return nullptr;
  }
  return nullptr;
}

// At pos_.
Matcher& LendingMatcher::ready_matcher() {
  matcher_.set_text(text_, text_pos_);
  matcher_.set_end(end_);
  if (is_stale_) matcher_.begin(parameters_, known_behind(JointKind::kReset, pos_), pos_);
  is_stale_ = false;
  return matcher_;
}

std::size_t LendingMatcher::run(Token* out, std::size_t most, std::uint64_t stop) {
  std::size_t count = 0;
  while (count < most && pos_ < stop) {
    count += is_taking_ ? take(out + count, most - count, stop) : run_matcher(out + count, most - count, stop);
  }
  return count;
}

std::size_t LendingMatcher::run_matcher(Token* out, std::size_t most, std::uint64_t stop) {
  if (pos_ == 0 && begin_taking()) return 0;
  const TextCopy* const copy = next_copy();
  const std::uint64_t first_pos = copy ? std::min(copy->first_pos(), stop) : stop;
  Matcher& matcher = ready_matcher();
  matcher.set_reach(copy ? std::min(reach_, std::max(first_pos, pos_) + kFewBytes) : reach_);
  const bool searches = pos_ >= first_pos;
  const std::size_t count = searches ? matcher.run(out, 1, stop) : matcher.run(out, most, first_pos);
  pos_ = matcher.pos();
  if (is_match(out[count - 1])) static_cast<void>(begin_taking());
  return count;
}

// Behind a match, or at the text's start.
bool LendingMatcher::begin_taking() {
  const TextCopy* const copy = next_copy();
  if (!copy || pos_ < copy->first_pos()) return false;
  is_taking_ = has_taken_up(*copy);
  if (is_taking_) {
    matcher_.begin(parameters_, pos_, pos_);  // so that none of its threads reads text that is dropped
    is_stale_ = true;
  } else if (pos_ > copy->first_pos() + kSearchedBytes) {
    copies_.erase(copies_.begin());
  }
  return is_taking_;
}

// Whether the other stream has a match, too, that ends at pos_, and tokens behind. The cursor is there then.
bool LendingMatcher::has_taken_up(const TextCopy& copy) {
  if (!cursor_ || stream_ != copy.stream) {
    cursor_.emplace(lender_.open(copy.stream));
    stream_ = copy.stream;
  }
  const std::uint64_t from = pos_ - copy.pos + copy.from;
  const std::uint64_t work_bytes = cursor_->bytes_to(from);
  if (work_bytes > left_work_bytes_) return false;
  left_work_bytes_ -= work_bytes;
  if (!cursor_->move_to(from) || cursor_->pos() != from || !(cursor_->is_behind_match() || from == 0)) return false;
  tokens_.clear();
  next_ = sure_ = 0;
  return read_ahead();
}

// Of the first copy. False if there are none that may be taken.
bool LendingMatcher::read_ahead() {
  if (next_ < sure_) return true;
  const TextCopy& copy = copies_.front();
  const std::uint64_t limit = copy.limit(text_bytes_), shift = copy.from - copy.pos;  // modulo 2^64
  tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(sure_));
  next_ = sure_ = 0;
  while (sure_ == 0 && tokens_.size() < kMostUnsure) {
    const std::size_t before = tokens_.size();
    tokens_.resize(before + kReadTokens);
    const TokenCursor::Tokens read = cursor_->read(tokens_.data() + before, kReadTokens, limit + shift);
    tokens_.resize(before + read.count);
    const bool is_end = limit == text_bytes_ && cursor_->pos() - shift == limit;
    if (read.count == 0 || cursor_->pos() - shift > text_bytes_) break;
    if (is_end || read.matched_count != 0) {
      sure_ = is_end ? tokens_.size() : before + read.matched_count;
      sure_pos_ = is_end ? limit : read.matched_pos - shift;
    }
  }
  return sure_ > 0;
}

std::size_t LendingMatcher::take(Token* out, std::size_t most, std::uint64_t stop) {
  is_taking_ = read_ahead();
  if (sure_ - next_ <= most && sure_pos_ <= stop) {
    const std::size_t count = sure_ - next_;
    std::copy_n(tokens_.begin() + static_cast<std::ptrdiff_t>(next_), count, out);
    next_ = sure_;
    pos_ = is_taking_ ? sure_pos_ : pos_;
    return count;
  }
  std::size_t count = 0;
  for (; count < most && next_ < sure_ && pos_ < stop; ++count) {
    out[count] = tokens_[next_++];
    pos_ += length_of(out[count]);
  }
  return count;
}

Token LendingMatcher::predict() {
  if (is_taking_) is_taking_ = read_ahead();
  return is_taking_ ? tokens_[next_] : ready_matcher().predict();
}

void LendingMatcher::commit(Token token) {
  if (!is_taking_) {
    matcher_.commit(token);
    pos_ = matcher_.pos();
    return;
  }
  is_taking_ = token == tokens_[next_++];  // behind another one nothing is carried
  pos_ += length_of(token);
}

}  // namespace bdelta::deflate
