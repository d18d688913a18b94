#include "create/stream_tokens.hpp"

#include <algorithm>

#include "view/deflate/inflate.hpp"

namespace bdelta {

using deflate::Token;

StreamTokens::StreamTokens(ByteSpan packed, ByteSpan text, const deflate::StreamRecipe& recipe, deflate::MatcherSet& matchers)
    : text_(text), recipe_(recipe), matchers_(matchers), cursor_(deflate::pieces_of(packed)) {}

std::size_t StreamTokens::read(Token* out, std::size_t most, std::uint64_t end) {
  std::size_t count = 0;
  while (count < most && pos_ < end) {
    if (next_ < hidden_.size()) {
      out[count] = hidden_[next_++];
      pos_ += deflate::length_of(out[count]);
      behind_match_ = deflate::is_match(out[count++]);
      continue;
    }
    const deflate::TokenCursor::Tokens read = cursor_.read(out + count, most - count, end);
    count += read.count;
    if (read.matched_count != 0) matched_pos_ = read.matched_pos;
    if (read.count == 0 && !find_hidden()) break;
    if (read.count == 0) continue;
    pos_ = cursor_.pos();
    behind_match_ = cursor_.is_behind_match();
  }
  return count;
}

bool StreamTokens::move_to(std::uint64_t target) {
  Token tokens[512];
  if (target < pos_) failed_ = true;
  while (!failed_ && pos_ < target) {
    if (read(tokens, 512, target) == 0) return false;
  }
  return !failed_;
}

// In front of a stored block, which is passed; false at the end.
bool StreamTokens::find_hidden() {
  const std::uint64_t begin = cursor_.pos();
  if (!cursor_.move_to(begin + 1)) return false;
  failed_ = !search(begin, cursor_.pos());
  return !failed_;
}

// What M makes of that text, as it does where it rebuilds the stream.
bool StreamTokens::search(std::uint64_t begin, std::uint64_t end) {
  const bool may_differ = !recipe_.corrections.empty() ||
                          std::any_of(recipe_.deviations.begin(), recipe_.deviations.end(), [](const deflate::BlockDeviation& deviation) {
                            return deviation.size_is == deflate::BlockDeviation::Size::kRawBytes;
                          });
  if (may_differ || text_.size() - end < lookahead_bytes(recipe_.parameters)) return false;
  if (!matcher_ || matcher_->pos() != begin) {
    matcher_ = &matchers_.begin(recipe_.parameters, text_.size(), known_behind(deflate::JointKind::kReset, matched_pos_), matched_pos_);
    matcher_->set_text(text_.data(), 0);
    matcher_->set_end(text_.size());
  }
  hidden_.clear();
  next_ = 0;
  bool is_in_step = false;  // a token begins with the block
  while (matcher_->pos() < end) {
    const std::uint64_t pos = matcher_->pos();
    const Token token = matcher_->predict();
    matcher_->commit(token);
    is_in_step = is_in_step || pos == begin;
    if (pos >= begin) hidden_.push_back(token);
    if (deflate::is_match(token)) matched_pos_ = matcher_->pos();
  }
  return is_in_step && matcher_->pos() == end;
}

}  // namespace bdelta
