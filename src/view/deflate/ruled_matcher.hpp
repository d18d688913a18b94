// M's rules: what becomes a token, and which positions are remembered; over tables that find matches.
//
// A lazy search takes a match only if there is no longer one a byte further on. If there is, it writes a literal, and
// that longer match is carried to the next position. After a token other than the foreseen one nothing is carried.
#pragma once

#include "view/deflate/stepped.hpp"
#include "view/deflate/window_tables.hpp"

namespace bdelta::deflate {

template <Search kSearch, class Tables>
class RuledMatcher final : public Tables {
 public:
  void begin(const Parameters& parameters, std::uint64_t first, std::uint64_t pos) override {
    this->set_parameters(parameters);
    start_at(first, pos);
  }

  [[nodiscard]] bool fresh() const noexcept override { return kSearch == Search::kLazy && carried_ == 0; }

  void join(JointKind kind) override {
    if constexpr (Tables::kIsGo) {
      // Go never looks back at positions of which there were less than four bytes.
      constexpr unsigned kSeen = Tables::kLeastLength;
      if (this->pos_ >= this->first_ + kSeen) static_cast<void>(this->find(this->pos_ - kSeen, kMostMatch));
      this->inserted_ = std::max(this->inserted_, this->pos_);
    } else if (kSearch == Search::kGreedy && this->pos_ >= 2) {
      // zlib looked at no position of which there were less than three bytes; it does when more come.
      this->inserted_ = std::min(this->inserted_, std::max(this->pos_ - 2, this->first_));
    }
    carried_ = next_ = this->passed_match_ = 0;
    if (kind != JointKind::kContinue) start_at(known_behind(kind, this->pos_), this->pos_);
  }

  Token predict() noexcept override {
    if constexpr (kSearch == Search::kGreedy) {
      const Token match = this->find(this->pos_, kLeastMatch - 1);
      return match && (!Tables::kIsGo || kept(match)) ? match : literal();
    }
    Token match = carried_;
    if (!match) {
      match = this->find(this->pos_, kLeastMatch - 1);
      if (match) match = kept(match);
    }
    carried_ = next_ = this->passed_match_ = 0;
    if (!match) return literal();
    if (length_of(match) < this->parameters_.lazy && this->pos_ + 1 < this->end_) {
      Token later = this->find(this->pos_ + 1, length_of(match));
      if (later) later = kept(later);
      if (later) {
        next_ = later;
        this->passed_match_ = match;
        return literal();
      }
    }
    return match;
  }

  void commit(Token token) noexcept override {
    this->pos_ += length_of(token);
    if constexpr (kSearch == Search::kGreedy) {
      const bool at_end = !Tables::kIsGo && this->end_ - this->pos_ < kLeastMatch;
      const bool skipped = length_of(token) > this->parameters_.lazy || at_end;
      if (is_match(token) && skipped) this->inserted_ = std::max(this->inserted_, this->pos_);
    } else {
      carried_ = is_match(token) ? 0 : next_;
      next_ = 0;
    }
  }

  std::size_t run(Token* out, std::size_t most, std::uint64_t stop) override { return run_steps(*this, out, most, stop); }
  std::size_t follow(std::span<const Token> tokens) override { return follow_steps(*this, tokens, this->predicted_); }

  [[nodiscard]] std::uint32_t nearer_count_of(unsigned length, std::uint32_t distance) const override {
    std::uint32_t nearer_count = Matcher::kNoCandidate;
    walk(length, [&](std::uint32_t at, std::uint32_t count) {
      if (at == distance) nearer_count = count;
      return at >= distance;
    });
    return nearer_count;
  }

  [[nodiscard]] std::uint32_t distance_behind(unsigned length, std::uint32_t nearer_count) const override {
    std::uint32_t distance = 0;
    walk(length, [&](std::uint32_t at, std::uint32_t count) {
      if (count == nearer_count) distance = at;
      return count == nearer_count;
    });
    return distance;
  }

 private:
  static constexpr std::uint32_t kFarForThree = 4096;

  void start_at(std::uint64_t first, std::uint64_t pos) noexcept {
    this->begin_text(first, pos);
    carried_ = next_ = this->passed_match_ = 0;
  }

  [[nodiscard]] Token literal() const noexcept { return literal_token(*this->text_at(this->pos_)); }

  // What is too short for where it is is none.
  Token kept(Token match) const noexcept {
    const unsigned length = length_of(match);
    if (length > 5) return match;
    if (this->parameters_.filtered) return 0;
    return length == Tables::kLeastLength && !this->parameters_.ng && distance_of(match) > kFarForThree ? 0 : match;
  }

  // Shows those candidates at pos_, from the nearest on, that have `length` bytes alike: their distance, and how many
  // came before. Until visit() says that it has seen enough.
  template <class Visit>
  void walk(unsigned length, Visit visit) const {
    if (this->end_ - this->pos_ < std::max<std::uint64_t>(length, Tables::kLeastLength + this->parameters_.ng)) return;
    const std::uint8_t* here = this->text_at(this->pos_);
    const auto at = static_cast<std::uint32_t>(this->pos_ - this->base_);
    std::uint32_t candidate = this->link(at);
    std::uint32_t count = 0;
    for (unsigned looked_count = 0; looked_count < kMostChain && candidate > this->oldest_ && at - candidate <= this->most_distance_; ++looked_count) {
      const std::uint8_t* there = this->text_at(this->base_ + candidate);
      if (count_equal(there, here, length) == length && visit(at - candidate, count++)) return;
      const std::uint32_t next = this->link(candidate);
      if (next >= candidate) return;
      candidate = next;
    }
  }

  Token carried_ = 0;  // the match at pos_ that was found one position before; 0: none
  Token next_ = 0;     // the longer match at pos_ + 1 that predict() found
};

}  // namespace bdelta::deflate
