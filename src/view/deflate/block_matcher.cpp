#include "view/deflate/block_matcher.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "view/deflate/hashes.hpp"

namespace bdelta::deflate {
namespace {

constexpr unsigned kLeastLength = 4;
constexpr std::uint64_t kMargin = 15;         // before the end of a block: nothing is looked up there
constexpr std::uint64_t kPatience = 32;        // so many bytes without a match make the steps 1 longer

}  // namespace

void BlockMatcher::begin(const Parameters&, std::uint64_t first, std::uint64_t pos) {
  counted_ += std::max(pos_, block_end_) + 1 - first;
  first_ = before_ = first;
  block_ = block_end_ = pos_ = pos;
}

void BlockMatcher::join(JointKind kind) {
  // After a short block Go forgets what it knew.
  if (kind != JointKind::kContinue || block_end_ - block_ < kLeastSearched) first_ = pos_;
  block_end_ = pos_;
}

Token BlockMatcher::predict() {
  if (pos_ >= block_end_) make_block();
  return as_foreseen_ ? tokens_[next_] : literal_token(*text_at(pos_));
}

void BlockMatcher::commit(Token token) {
  as_foreseen_ = as_foreseen_ && token == tokens_[next_++];
  pos_ += length_of(token);
}

void BlockMatcher::make_block() {
  before_ = std::max(block_, first_);
  block_ = pos_;
  block_end_ = std::min(pos_ + kBytesOfBlock, end_);
  token_count_ = next_ = 0;
  as_foreseen_ = true;
  const std::uint64_t bytes = block_end_ - block_;
  make_tokens();
  if (token_count_ != 0 && token_count_ <= bytes - bytes / 16) return;
  token_count_ = 0;
  add_literals(block_, block_end_);
}

void BlockMatcher::make_tokens() {
  if (block_end_ - block_ < kLeastSearched) return;
  const std::uint64_t limit = block_end_ - kMargin;
  std::uint64_t candidate = 0;
  std::uint64_t behind = block_;  // the tokens so far
  for (std::uint64_t pos = block_;; ++pos) {
    std::uint64_t waited = kPatience;
    for (;; pos += waited / kPatience, waited += waited / kPatience) {
      if (pos + waited / kPatience > limit) return add_literals(behind, block_end_);
      if (look_up(pos, candidate)) break;
    }
    add_literals(behind, pos);
    do {
      const unsigned length = length_of_match(pos, candidate);
      tokens_[token_count_++] = match_token(length, static_cast<std::uint32_t>(pos - candidate));
      behind = pos += length;
      if (pos >= limit) return add_literals(behind, block_end_);
      static_cast<void>(look_up(pos - 1, candidate));
    } while (look_up(pos, candidate));
  }
}

void BlockMatcher::add_literals(std::uint64_t pos, std::uint64_t end) {
  for (; pos < end; ++pos) tokens_[token_count_++] = literal_token(*text_at(pos));
}

// Whether four bytes are alike at the candidate for `pos`, which `pos` is from now on.
bool BlockMatcher::look_up(std::uint64_t pos, std::uint64_t& candidate) noexcept {
  const std::uint32_t bytes = load_le<std::uint32_t>(text_at(pos));
  std::uint64_t& entry = table_[bytes * HashFunction<Hash::kGo>::kFactor >> (32 - kTableBits)];
  const std::uint64_t distance = pos + counted_ - entry;
  entry = pos + counted_;
  candidate = pos - distance;
  return distance <= std::min<std::uint64_t>(kWindowBytes, pos - first_) &&
         load_le<std::uint32_t>(text_at(candidate)) == bytes;
}

// It goes on only from within the block before, or later.
unsigned BlockMatcher::length_of_match(std::uint64_t pos, std::uint64_t candidate) const noexcept {
  if (candidate + kLeastLength < before_) return kLeastLength;
  const std::uint64_t most = std::min<std::uint64_t>(block_end_ - pos, kMostMatch);
  return static_cast<unsigned>(count_equal(text_at(pos), text_at(candidate), static_cast<std::size_t>(most)));
}

}  // namespace bdelta::deflate
