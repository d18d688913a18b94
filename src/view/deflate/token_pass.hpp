// How well M foresees the tokens of a stream.
//
// M is asked for each token and told the true one, so a wrong guess does no harm to the next. What counts is how many
// guesses were wrong, and where: a stream of a known encoder has none or few. The pass ends early once there are more than
// the caller has use for, so that a stream of another encoder costs little.
#pragma once

#include "parallel/watch.hpp"
#include "view/deflate/inflate.hpp"
#include "view/deflate/recipe.hpp"

namespace bdelta::deflate {

// What M makes of a stream, block by block.
struct PassResult {
  std::uint64_t misses = 0;
  std::vector<Correction> corrections;
  std::vector<Token> stored_tokens;               // of the text of stored blocks, as M has it
  std::vector<std::uint64_t> stored_token_count;  // for each stored block that has text
  std::vector<bool> stored_cut;                   // likewise: a match of M reaches beyond it
};

struct PassLimits {
  std::uint64_t raw_bytes = ~std::uint64_t{0};  // of text
  std::uint64_t misses = ~std::uint64_t{0};     // it stops at more
  bool keep = false;                            // all of PassResult, else the misses alone
  std::uint64_t reach_bytes = 0;                // of text that a ParallelMatcher goes over at a time
  Watch* watch = nullptr;                       // looked at every some thousand tokens; with `keep` raw bytes are units
};

[[nodiscard]] PassResult pass_over(Matcher& matcher, const Inflated& stream, const std::vector<Joint>& joints,
                                   const PassLimits& limits);

// Takes a matcher through joints.
class JointWalk {
 public:
  JointWalk(Matcher& matcher, const std::vector<Joint>& joints, std::uint64_t raw_bytes)
      : matcher_(matcher), joints_(joints), raw_bytes_(raw_bytes) {
    matcher_.set_end(end());
  }

  [[nodiscard]] std::uint64_t end() const { return next_ < joints_.size() ? joints_[next_].raw_pos : raw_bytes_; }

  // Before a block with text.
  void pass() {
    if (next_ == joints_.size() || matcher_.pos() != joints_[next_].raw_pos) return;
    matcher_.join(joints_[next_++].kind);
    matcher_.set_end(end());
  }

 private:
  Matcher& matcher_;
  const std::vector<Joint>& joints_;
  std::uint64_t raw_bytes_;
  std::size_t next_ = 0;
};

// Lets M run through a stored block's text up to `end`; a match that reaches beyond is left out. Whether there was one.
template <class Visit>
bool run_through_stored(Matcher& matcher, const std::uint8_t* text, std::uint64_t end, Visit visit) {
  bool cut = false;
  while (matcher.pos() < end) {
    Token token = matcher.predict();
    if (length_of(token) > end - matcher.pos()) {
      cut = true;
      token = literal_token(text[matcher.pos()]);
    }
    matcher.commit(token);
    visit(token);
  }
  return cut;
}

}  // namespace bdelta::deflate
