// M as zlib has it: hash chains.
//
// Every position goes into a bucket by the hash of the bytes at it. `heads_` has the latest position of each bucket,
// `links_` for each of the last 32 Ki positions the one before it in the same bucket. A search walks from the latest
// one back, takes the longest match that is found, of equally long ones the nearest, and gives up after `chain`
// candidates or where a match is `nice`. What zlib and its kin do beyond that is in the rules of DEFLATE.md; here they
// are one after the other: find() has those about what may be a candidate, predict() those about what becomes a token,
// commit() those about which positions are remembered.
//
// zlib moves its window while it works. Here the text stays where it is, and so it makes no difference how it came in:
// positions are kept as 16 bits above `base_`, which moves on by 32 KiB now and then; what was at or below it is 0,
// which means none. A new stream does not clear the tables: it goes on with the next numbers, and all up to `oldest_`
// count as none.
//
// The walk waits for memory more than for anything else. So a candidate costs one load in the text, of the four bytes
// that end where a longer match would, and one of its link.
#pragma once

#include <algorithm>
#include <vector>

#include "base/bytes.hpp"
#include "view/deflate/hashes.hpp"
#include "view/deflate/matcher.hpp"

namespace bdelta::deflate {

template <Search kSearch, Hash kHash>
class ChainMatcher final : public Matcher {
 public:
  ChainMatcher() : heads_(std::size_t{1} << 16), links_(kWindowBytes) {}

  void begin(const Parameters& parameters) override {
    if (parameters.hash_bits != parameters_.hash_bits) clear();
    parameters_ = parameters;
    hash_.set_bits(parameters.hash_bits);
    most_distance_ = (1u << parameters.window_bits) - kLeastLookahead;
    start(0, 0);
  }

  void join(JointKind kind) override {
    if (kSearch == Search::kGreedy && pos_ >= 2) inserted_ = std::min(inserted_, std::max(pos_ - 2, first_));
    carried_ = 0;
    deferred_ = 0;
    if (kind == JointKind::kClear) start(pos_, pos_);
    if (kind == JointKind::kReset) start(pos_ > kWindowBytes ? pos_ - kWindowBytes : 0, pos_);
  }

  Token predict() override { return predict_token(); }
  void commit(Token token) override { commit_token(token); }

  std::size_t run(Token* out, std::size_t most, std::uint64_t stop) override {
    std::size_t count = 0;
    while (count < most && pos_ < stop) {
      const Token token = predict_token();
      out[count++] = token;
      commit_token(token);
    }
    return count;
  }

  std::size_t follow(std::span<const Token> tokens) override {
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      predicted_ = predict_token();
      if (predicted_ != tokens[i]) return i;
      commit_token(tokens[i]);
    }
    return tokens.size();
  }

  [[nodiscard]] std::uint32_t hop_of(unsigned length, std::uint32_t distance) const override {
    std::uint32_t hop = kNoHop;
    walk(length, [&](std::uint32_t at, std::uint32_t count) {
      if (at == distance) hop = count;
      return at >= distance;
    });
    return hop;
  }

  [[nodiscard]] std::uint32_t distance_of_hop(unsigned length, std::uint32_t hop) const override {
    std::uint32_t distance = 0;
    walk(length, [&](std::uint32_t at, std::uint32_t count) {
      if (count == hop) distance = at;
      return count == hop;
    });
    return distance;
  }

 private:
  static constexpr std::uint32_t kSlideAbove = 2 * kWindowBytes - kLeastLookahead;
  static constexpr std::uint32_t kMostInserted = 2 * kWindowBytes - 36;
  static constexpr std::uint32_t kFarForThree = 4096;

  // A match is kept as a token; 0 is none.
  void start(std::uint64_t first, std::uint64_t pos) noexcept {
    oldest_ = static_cast<std::uint32_t>(inserted_ - base_);
    base_ = first - oldest_;
    first_ = inserted_ = first;
    pos_ = pos;
    carried_ = 0;
    deferred_ = 0;
    next_ = 0;
  }

  void clear() {
    std::fill(heads_.begin(), heads_.end(), std::uint16_t{0});
    inserted_ = base_;
  }

  void slide() noexcept {
    const auto move = [](std::uint16_t* at, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) at[i] = at[i] >= kWindowBytes ? static_cast<std::uint16_t>(at[i] - kWindowBytes) : std::uint16_t{0};
    };
    move(heads_.data(), std::size_t{1} << parameters_.hash_bits);
    move(links_.data(), links_.size());
    base_ += kWindowBytes;
    oldest_ = oldest_ > kWindowBytes ? oldest_ - kWindowBytes : 0;
  }

  std::uint32_t insert(std::uint32_t at, std::uint32_t bucket) noexcept {
    const std::uint32_t before = heads_[bucket];
    links_[at % kWindowBytes] = static_cast<std::uint16_t>(before);
    heads_[bucket] = static_cast<std::uint16_t>(at);
    return before;
  }

  // All positions before `pos`, of which four bytes are before the end.
  void insert_up_to(std::uint64_t pos) noexcept {
    while (inserted_ < pos) {
      const std::uint64_t to = std::min(pos, base_ + kMostInserted);
      const std::uint8_t* text = text_at(inserted_);
      auto at = static_cast<std::uint32_t>(inserted_ - base_);
      for (; inserted_ < to; ++inserted_, ++text, ++at) insert(at, hash_(load_le<std::uint32_t>(text)));
      if (to < pos) slide();
    }
  }

  // The four bytes at `pos` as zlib sees them. Three bytes before the end the fourth is what its window held.
  std::uint32_t four_bytes(std::uint64_t pos) const noexcept {
    const std::uint32_t bytes = load_le<std::uint32_t>(text_at(pos));
    if (kHash != Hash::kFourBytes || end_ - pos > 3) return bytes;
    const std::uint32_t stale = pos > kSlideAbove ? *text_at(end_ - kWindowBytes) : 0u;
    return (bytes & 0xffffff) | stale << 24;
  }

  // A match at `pos` that is longer than `best`, or 0.
  Token find(std::uint64_t pos, unsigned best) noexcept {
    if (end_ - pos < kLeastMatch + parameters_.ng) return 0;
    insert_up_to(pos);
    if (pos - base_ > kSlideAbove) slide();
    const auto at = static_cast<std::uint32_t>(pos - base_);
    std::uint32_t candidate = links_[at % kWindowBytes];
    if (inserted_ == pos) {
      candidate = insert(at, hash_(four_bytes(pos)));
      ++inserted_;
    }
    if (candidate <= oldest_ || at - candidate > most_distance_) return 0;
    return longest(pos, at, candidate, best);
  }

  Token longest(std::uint64_t pos, std::uint32_t at, std::uint32_t candidate, unsigned best) const noexcept {
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(end_ - pos, kMostMatch));
    if (best >= most) return 0;
    const unsigned nice = std::min<unsigned>(parameters_.nice, most);
    const std::uint32_t limit = at > most_distance_ ? std::max(at - most_distance_, oldest_) : oldest_;
    unsigned chain = best >= parameters_.good ? std::max(parameters_.chain / 4u, 1u) : parameters_.chain;
    const std::uint8_t* here = text_at(pos);
    const std::uint8_t* text = text_;
    const std::uint64_t offset = base_ - text_pos_;
    const std::uint16_t* links = links_.data();
    const auto next = [&]() noexcept {
      candidate = links[candidate % kWindowBytes];
      return candidate > limit && --chain != 0;
    };
    Token found = 0;
    for (;;) {
      if (best < kLeastMatch) {
        const std::uint32_t head = load_le<std::uint32_t>(here) << 8;
        while (load_le<std::uint32_t>(text + (offset + candidate)) << 8 != head) {
          if (!next()) return found;
        }
      } else {
        const std::uint32_t tail = load_le<std::uint32_t>(here + best - 3);
        const std::uint64_t tail_offset = offset + best - 3;
        while (load_le<std::uint32_t>(text + (tail_offset + candidate)) != tail) {
          if (!next()) return found;
        }
      }
      const auto length = static_cast<unsigned>(count_equal(text + (offset + candidate), here, most));
      if (length > best) {
        best = length;
        found = match_token(length, at - candidate);
        if (length >= nice) return found;
      }
      if (!next()) return found;
    }
  }

  // Shows those candidates at pos_, from the nearest on, that have `length` bytes alike: their distance, and how many
  // came before. Until visit() says that it has seen enough.
  template <class Visit>
  void walk(unsigned length, Visit visit) const {
    if (end_ - pos_ < std::max<std::uint64_t>(length, kLeastMatch + parameters_.ng)) return;
    const std::uint8_t* here = text_at(pos_);
    const auto at = static_cast<std::uint32_t>(pos_ - base_);
    std::uint32_t candidate = links_[at % kWindowBytes];
    std::uint32_t count = 0;
    for (unsigned hops = 0; hops < kMostChain && candidate > oldest_ && at - candidate <= most_distance_; ++hops) {
      if (count_equal(text_at(base_ + candidate), here, length) == length && visit(at - candidate, count++)) return;
      const std::uint32_t next = links_[candidate % kWindowBytes];
      if (next >= candidate) return;
      candidate = next;
    }
  }

  // What is too short for where it is is none.
  Token kept(Token match) const noexcept {
    const unsigned length = length_of(match);
    if (length > 5) return match;
    if (parameters_.filtered) return 0;
    return length == kLeastMatch && !parameters_.ng && distance_of(match) > kFarForThree ? 0 : match;
  }

  Token predict_token() noexcept {
    if constexpr (kSearch == Search::kGreedy) {
      const Token match = find(pos_, kLeastMatch - 1);
      return match ? match : literal_token(*text_at(pos_));
    } else {
      Token match = carried_;
      if (!match) match = find(pos_, kLeastMatch - 1);
      if (match && !carried_) match = kept(match);
      carried_ = next_ = deferred_ = 0;
      if (!match) return literal_token(*text_at(pos_));
      if (length_of(match) < parameters_.lazy && pos_ + 1 < end_) {
        Token later = find(pos_ + 1, length_of(match));
        if (later) later = kept(later);
        if (later) {
          next_ = later;
          deferred_ = match;
          return literal_token(*text_at(pos_));
        }
      }
      return match;
    }
  }

  void commit_token(Token token) noexcept {
    if constexpr (kSearch == Search::kGreedy) {
      pos_ += length_of(token);
      if (is_match(token) && (length_of(token) > parameters_.lazy || end_ - pos_ < kLeastMatch)) {
        inserted_ = std::max(inserted_, pos_);
      }
    } else {
      if (!is_match(token)) carried_ = next_;
      pos_ += length_of(token);
      next_ = 0;
    }
  }

  Parameters parameters_;
  HashFunction<kHash> hash_;
  std::uint32_t most_distance_ = 0;
  std::vector<std::uint16_t> heads_;
  std::vector<std::uint16_t> links_;
  std::uint64_t base_ = 0;      // the position that is 0 in the tables; before the first byte it wraps
  std::uint32_t oldest_ = 0;    // above base_: this position and all before are no candidates
  std::uint64_t first_ = 0;     // where the text begins that M knows of
  std::uint64_t inserted_ = 0;  // all positions before are in the tables
  Token carried_ = 0;           // the match at pos_ that was found one position before
  Token next_ = 0;              // the longer match at pos_ + 1 that it found
};

}  // namespace bdelta::deflate
