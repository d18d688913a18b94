#include "view/deflate/token_cursor.hpp"

#include <algorithm>
#include <utility>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kMarkedBytes = std::uint64_t{128} << 10;  // of text, from one mark to the next
constexpr std::size_t kMostAtOnce = 4096;  // tokens, between two looks at whether the stream has ended

}  // namespace

TokenCursor::TokenCursor(PackedPieces packed)
    : packed_(std::move(packed)), from_([this](std::uint64_t pos) { return packed_(begin_ + pos); }), bits_({}, &from_) {}

const TokenCursor::Mark& TokenCursor::mark_before(std::uint64_t target) const {
  const auto behind = std::upper_bound(marks_.begin(), marks_.end(), target, [](std::uint64_t at, const Mark& mark) { return at < mark.pos; });
  return *std::prev(behind);
}

std::uint64_t TokenCursor::bytes_to(std::uint64_t target) const {
  const Mark& mark = mark_before(target);
  return target - (target < pos_ ? mark.pos : std::max(pos_, mark.pos));
}

void TokenCursor::go_to(const Mark& mark) {
  begin_ = mark.bit / 8;
  bits_ = BitReader({}, &from_);
  static_cast<void>(bits_.take(static_cast<unsigned>(mark.bit % 8)));
  pos_ = mark.pos;
  stored_bytes_ = 0;
  behind_match_ = in_block_ = is_last_ = ended_ = false;
}

bool TokenCursor::move_to(std::uint64_t target) {
  const Mark mark = mark_before(target);
  if (target < pos_ || mark.pos > pos_) go_to(mark);
  Token passed[512];
  while (pos_ < target) {
    if (read(passed, 512, target).count != 0) continue;
    if (stored_bytes_ == 0) return false;
    pos_ += std::exchange(stored_bytes_, 0);
    behind_match_ = false;
  }
  return !ended_;
}

TokenCursor::Tokens TokenCursor::read(Token* out, std::size_t most, std::uint64_t end) {
  Tokens read;
  while (read.count < most && pos_ < end && (in_block_ || begin_block())) decode(out, most, end, read);
  return read;
}

// False if there is none with tokens.
bool TokenCursor::begin_block() {
  while (!ended_ && stored_bytes_ == 0 && !in_block_) {
    ended_ = is_last_;
    if (ended_) break;
    const std::uint64_t bit = 8 * begin_ + bits_.taken_bits();
    if (pos_ >= marks_.back().pos + kMarkedBytes) marks_.push_back({bit, pos_});
    is_last_ = bits_.take(1) != 0;
    BlockTree tree;
    switch (bits_.take(2)) {
      case 0: begin_stored(); continue;
      case 1: codes_.use_fixed(); break;
      case 2: ended_ = !codes_.read(bits_, tree); break;
      default: ended_ = true;
    }
    ended_ = ended_ || bits_.ended_early();
    in_block_ = !ended_;
  }
  return in_block_;
}

void TokenCursor::begin_stored() {
  static_cast<void>(bits_.skip_to_byte());
  const unsigned length = bits_.take(16);
  ended_ = (length ^ bits_.take(16)) != 0xffff || bits_.ended_early() || bits_.take_bytes(length).size() != length;
  if (!ended_) stored_bytes_ = length;
}

// Some more tokens of the block at hand.
void TokenCursor::decode(Token* out, std::size_t most, std::uint64_t end, Tokens& read) {
  const DecodeTable& literals = codes_.literals();
  const DecodeTable& distances = codes_.distances();
  BitReader bits = bits_;
  Tokens so_far = read;
  std::uint64_t pos = pos_;
  bool behind_match = behind_match_;
  const std::size_t last = std::min(most, so_far.count + kMostAtOnce);
  while (so_far.count < last && pos < end) {
    bits.refill();
    unsigned taken = 0;
    const DecodeEntry entry = literals.find(bits.peek(), taken);
    bits.drop(taken);
    if (entry.kind() == DecodeEntry::kLiteral) {
      out[so_far.count++] = literal_token(static_cast<std::uint8_t>(entry.value()));
      ++pos;
      behind_match = false;
      continue;
    }
    in_block_ = entry.kind() == DecodeEntry::kBase;
    ended_ = !in_block_ && entry.kind() != DecodeEntry::kEnd;
    if (!in_block_) break;
    const unsigned length = entry.value() + bits.take(entry.extra_bits());
    const DecodeEntry far = distances.find(bits.peek(), taken);
    bits.drop(taken);
    const std::uint32_t distance = far.value() + bits.take(far.extra_bits());
    if (far.kind() == DecodeEntry::kInvalid || distance > pos) {
      in_block_ = false;
      ended_ = true;
      break;
    }
    pos += length;
    behind_match = true;
    out[so_far.count++] = match_token(length, distance);
    so_far.matched_count = so_far.count;
    so_far.matched_pos = pos;
  }
  bits_ = bits;
  pos_ = pos;
  behind_match_ = behind_match;
  read = so_far;
  if (bits_.ended_early()) {
    in_block_ = false;
    ended_ = true;
  }
}

}  // namespace bdelta::deflate
