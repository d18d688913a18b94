// What the two models of literals do alike.
#pragma once

#include "model/literal_context.hpp"
#include "model/literal_history.hpp"
#include "model/small_lines.hpp"

namespace bdelta::mix {

// What is known of a byte before its bits.
struct LiteralByte {
  GuessedByte by_match;
  GuessedByte by_source;
  std::size_t match_state;  // the class of the match at hand
};

// Where a bit stands in its byte.
struct LiteralBit {
  unsigned in_line;   // node of the nibble's tree
  unsigned node;      // node of the byte's tree
  unsigned left;      // bits to come, this one counted
  std::size_t order;  // the longest of the first contexts that came up before
};
inline constexpr std::size_t kLiteralOrders = 5;

template <std::size_t kCount>
using LiteralLines = std::array<SmallSlot*, kCount>;

template <std::size_t kCount>
void expect_lines(const SmallLineTable& table, const Contexts<kCount>& hashes, unsigned node) {
  for (const std::uint32_t hash : hashes) table.expect(hash_step(hash, node));
}

// A byte as two nibbles: finds the lines of each and lets code_bit(lines, at, bit) code its bits.
template <std::size_t kCount, class CodeBit>
std::uint8_t code_nibbles(SmallLineTable& table, const Contexts<kCount>& hashes, std::uint8_t value,
                          CodeBit&& code_bit) {
  LiteralBit at{1, 1, 8, 0};
  while (at.left > 0) {
    expect_lines(table, hashes, at.node);  // all at once, as each is a wait
    LiteralLines<kCount> lines;
    for (std::size_t i = 0; i < kCount; ++i) lines[i] = table.find(hash_step(hashes[i], at.node));
    at.order = 0;
    for (std::size_t i = 1; i < kLiteralOrders; ++i) at.order = count_of(lines[i][0]) != 0 ? i : at.order;
    for (at.in_line = 1; at.in_line < 16; --at.left) {
      const unsigned bit = code_bit(lines, at, value >> (at.left - 1) & 1);
      at.in_line = at.in_line * 2 + bit;
      at.node = at.node * 2 + bit;
    }
  }
  return static_cast<std::uint8_t>(at.node);
}

// A slot that a guessing place speaks through, while the bits so far agree with its guess; else null.
inline SmallSlot* guess_slot(const GuessedByte& guess, const LiteralBit& at, SmallSlot* slots) {
  return guess.agrees(at.node, at.left) ? slots + guess.bit(at.left) * 8 + at.left - 1 : nullptr;
}

// Context and history see the bytes in front of a run.
inline void enter_run(const LiteralRun& run, LiteralContext& context, LiteralHistory& history) {
  const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(run.target_pos, run.before.size()));
  const std::uint8_t* before = run.before.data() + (run.before.size() - known);
  context.reset(before, known, run.target_pos);
  for (std::size_t i = 0; i < known; ++i) history.append(before[i]);
}

// Where the copy before a run would have gone on in the source.
class SourcePlace {
 public:
  void start(std::uint32_t place) {
    place_ = place;
    in_run_ = 0;
  }
  void next(const LiteralHistory& history) {
    ++in_run_;
    if (place_ > 0 && ++place_ == history.end()) place_ = 0;
  }
  [[nodiscard]] GuessedByte guess(const LiteralHistory& history) const {
    return GuessedByte(place_ > 0 ? history.at(place_) : GuessedByte::kNone);
  }
  // The row of slots that it speaks through: how far the run has come.
  [[nodiscard]] std::size_t row() const { return std::min(in_run_, 3u); }

 private:
  std::uint32_t place_ = 0;  // 0: not at hand
  std::uint32_t in_run_ = 0;
};
inline constexpr std::size_t kSourceRows = 4;

}  // namespace bdelta::mix
