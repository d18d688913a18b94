// The middle levels of zlib-ng and zlib-rs, which they call medium.
//
// It knows two matches at a time. The current one is taken as it was found. The next one, right behind it, is looked up
// before the current one is written. If the bytes before the next one are alike, too, it grows to the front at the cost
// of the current one. That is given up if it shrinks to a byte. Matches have four bytes at least.
//
// Which positions are remembered depends on how much text zlib-ng had in its window. That depends on how its caller
// gave it. It came feed_bytes at a time, or all that the window takes, or as a tar archive is written. In the last case each
// header and each filling behind a file came at once, and files in pieces. So the window is followed here: it begins
// at `base_` and moves by 32 KiB, and the text in it ends at `fed_`.
//
// Faster levels give a search up at the first candidate that looked promising and was no better.
#pragma once

#include <vector>

#include "view/deflate/stepped.hpp"

namespace bdelta::deflate {

class MediumMatcher final : public Matcher {
 public:
  MediumMatcher() : heads_(std::size_t{1} << 16), links_(kWindowBytes) {}

  void begin(const Parameters& parameters, std::uint64_t first, std::uint64_t pos) override;
  void join(JointKind kind) override;
  Token predict() override;
  void commit(Token token) override;
  std::size_t run(Token* out, std::size_t most, std::uint64_t stop) override { return run_steps(*this, out, most, stop); }
  std::size_t follow(std::span<const Token> tokens) override { return follow_steps(*this, tokens, predicted_); }

 private:
  // Of length 1 it is a literal.
  struct Match {
    std::uint64_t pos = 0;
    std::uint64_t found_at = 0;  // pos before it grew to the front
    std::uint64_t source = 0;
    unsigned length = 0;         // 0: there is none
  };

  void start(std::uint64_t first, std::uint64_t pos);
  void drop_foreseen() noexcept;
  void foresee();              // the tokens at pos_
  void feed();
  [[nodiscard]] std::uint64_t piece_end(std::uint64_t pos) noexcept;
  void begin_entry(std::uint64_t pos) noexcept;
  void slide();
  std::uint64_t insert(std::uint64_t pos) noexcept;
  void insert_all(std::uint64_t pos, std::uint64_t count) noexcept;
  void remember(const Match& match) noexcept;
  [[nodiscard]] Match look_up(std::uint64_t pos, bool may_insert) noexcept;
  [[nodiscard]] unsigned longest(std::uint64_t pos, std::uint64_t candidate, std::uint64_t& source) const noexcept;
  void grow_next() noexcept;
  [[nodiscard]] unsigned length_at(std::uint64_t pos, std::uint64_t candidate) const noexcept;

  Parameters parameters_;
  bool gives_up_early_ = false;
  std::vector<std::uint16_t> heads_;  // above base_; 0 is none
  std::vector<std::uint16_t> links_;
  std::uint64_t base_ = 0;
  std::uint64_t fed_ = 0;
  // Of the entry of a tar archive that is fed. Where there is none all are behind the text.
  std::uint64_t content_pos_ = 0;
  std::uint64_t content_end_ = 0;
  std::uint64_t entry_end_ = 0;
  Match current_;
  Match next_;
  // What is left of the tokens of current_: a match, or so many literals.
  Token match_left_ = 0;
  unsigned literals_left_ = 0;
  std::uint64_t cursor_ = 0;          // behind current_
};

}  // namespace bdelta::deflate
