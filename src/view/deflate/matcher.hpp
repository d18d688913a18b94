// M, the frozen encoder: which token it writes at a position, given the text and the tokens so far.
//
//   matcher.begin(parameters, 0, 0);
//   matcher.set_text(text, 0);
//   matcher.set_end(text_size);
//   while (matcher.pos() < text_size) {
//     const Token token = matcher.predict();
//     matcher.commit(token);   // or another one, if that is what the stream has
//   }
//
// The same tokens come out for the same text, parameters, joints and commits, whatever was done with the same object
// before and wherever the text lies. Not thread-safe; an object for each stream that is worked on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "view/deflate/parameters.hpp"
#include "view/deflate/token.hpp"

namespace bdelta::deflate {

// What zlib keeps of the text before a joint: a place where its caller flushed.
enum class JointKind : std::uint8_t {
  kContinue = 0,  // all
  kClear = 1,     // nothing
  kReset = 2,     // the last 32 KiB, as if they were new
};

inline constexpr std::uint32_t kWindowBytes = 32768;
inline constexpr std::uint32_t kLeastLookahead = 262;  // in zlib's window, before it takes in more

inline constexpr std::uint32_t kBytesOfBlock = 65535;     // where blocks are counted in bytes

// Where the text begins that zlib knows behind a joint at `pos` which is no kContinue.
[[nodiscard]] constexpr std::uint64_t known_behind(JointKind kind, std::uint64_t pos) noexcept {
  return kind == JointKind::kClear ? pos : pos > kWindowBytes ? pos - kWindowBytes : 0;
}

// Bytes behind a position that is predicted which its matcher may read, unless the text ends there.
[[nodiscard]] constexpr std::uint64_t lookahead_bytes(const Parameters& parameters) noexcept {
  return parameters.search == Search::kBlocks ? kBytesOfBlock : 2048;
}

// Where the window of 64 KiB begins that zlib and Go move by half of it, once they look at `pos`.
[[nodiscard]] constexpr std::uint64_t window_begin(std::uint64_t first, std::uint64_t pos) noexcept {
  constexpr std::uint64_t kFull = 2 * kWindowBytes - kLeastLookahead;
  return pos <= first + kFull ? first : first + (pos - first - kFull + kWindowBytes - 1) / kWindowBytes * kWindowBytes;
}

// Where the text begins that is to be known to go on at `pos` as an encoder that has seen all of it.
[[nodiscard]] constexpr std::uint64_t known_before(const Parameters& parameters, std::uint64_t pos) noexcept {
  return parameters.hash == Hash::kGo ? window_begin(0, pos) : known_behind(JointKind::kReset, pos);
}

class Matcher {
 public:
  virtual ~Matcher() = default;
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  // A new stream, of which M knows the text from `first` on, at position `pos`. The parameters are some that this matcher
  // is for.
  virtual void begin(const Parameters& parameters, std::uint64_t first, std::uint64_t pos) = 0;

  // Where the text lies: `at` is the byte at position `pos`. The last 32 KiB have to be there, and what predict() reads.
  // Behind the end of the text 16 further bytes can be read.
  void set_text(const std::uint8_t* at, std::uint64_t pos) noexcept {
    text_ = at;
    text_pos_ = pos;
  }

  // Matches end there, at the latest: at the next joint, or at the end of the stream.
  void set_end(std::uint64_t pos) noexcept { end_ = pos; }

  // Up to where positions may be predicted now: the text is there. Only ParallelMatcher needs to know.
  virtual void set_reach(std::uint64_t) noexcept {}

  // Whether a stream can be taken up at pos() by another matcher that knows the text: no match is carried.
  [[nodiscard]] virtual bool fresh() const noexcept { return false; }

  // At the end that was set; another one is set next.
  virtual void join(JointKind kind) = 0;

  [[nodiscard]] std::uint64_t pos() const noexcept { return pos_; }

  // The token at pos(), which is before the end.
  virtual Token predict() = 0;

  // Goes on behind `token`, which the stream has at pos(): the predicted one or another. Once after each predict().
  virtual void commit(Token token) = 0;

  // predict() and commit() until there are `most` tokens or pos() is `stop` or more. Gives the number of tokens.
  virtual std::size_t run(Token* out, std::size_t most, std::uint64_t stop) = 0;

  // Commits `tokens` while they are what is predicted. Gives the number of these. Where that is less than all, the next
  // token was predicted and is predicted(); commit() comes next.
  virtual std::size_t follow(std::span<const Token> tokens) = 0;
  [[nodiscard]] Token predicted() const noexcept { return predicted_; }

  // How many candidates its searches have looked at so far, since it was made. What a search costs goes by that; where
  // it looks at a few whatever the text is, none are counted.
  [[nodiscard]] std::uint64_t looked_at() const noexcept { return looked_at_; }

  // After predict() gave a literal: the match that was found at pos() and not taken as there is a longer one behind;
  // or 0.
  [[nodiscard]] Token passed_match() const noexcept { return passed_match_; }

  // Among the candidates at pos(), from the nearest on, those with at least `length` bytes alike: how many come before
  // that at `distance`; or kNoCandidate. After predict().
  static constexpr std::uint32_t kNoCandidate = ~std::uint32_t{0};
  [[nodiscard]] virtual std::uint32_t nearer_count_of(unsigned length, std::uint32_t distance) const;

  // The other way round: the distance, or 0 if there are not so many.
  [[nodiscard]] virtual std::uint32_t distance_behind(unsigned length, std::uint32_t nearer_count) const;

 protected:
  Matcher() = default;

  [[nodiscard]] const std::uint8_t* text_at(std::uint64_t pos) const noexcept { return text_ + (pos - text_pos_); }

  const std::uint8_t* text_ = nullptr;
  std::uint64_t text_pos_ = 0;
  std::uint64_t end_ = 0;
  std::uint64_t pos_ = 0;
  Token passed_match_ = 0;
  Token predicted_ = 0;
  std::uint64_t looked_at_ = 0;
};

// Whether such a text is searched by ranks, which takes longer for a token and is spared most candidates.
[[nodiscard]] bool is_ranked(const Parameters& parameters, std::uint64_t raw_bytes) noexcept;

// A matcher of each kind, made when it is first wanted; those of Go or the others, not both.
class MatcherSet {
 public:
  // Begun with these parameters, which are valid; until the next call.
  // raw_bytes: of the text. Which matcher is the faster one depends on it, what it decides doesn't.
  [[nodiscard]] Matcher& begin(const Parameters& parameters, std::uint64_t raw_bytes, std::uint64_t first = 0,
                               std::uint64_t pos = 0);

 private:
  static constexpr unsigned kMostKinds = 16;
  std::unique_ptr<Matcher> matchers_[kMostKinds];
};

}  // namespace bdelta::deflate
