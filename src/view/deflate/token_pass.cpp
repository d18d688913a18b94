#include "view/deflate/token_pass.hpp"

#include <algorithm>

namespace bdelta::deflate {
namespace {

class TokenPass {
 public:
  TokenPass(Matcher& matcher, const Inflated& stream, const std::vector<Joint>& joints, const PassLimits& limits)
      : matcher_(matcher), stream_(stream), limits_(limits), joints_(matcher, joints, stream.raw().size()) {
    matcher_.set_text(stream.text.data(), 0);
  }

  PassResult run() {
    if (limits_.keep) reserve_stored();
    for (const Block& block : stream_.blocks) {
      if (block.raw_bytes == 0) continue;
      joints_.pass();
      if (block.type == BlockType::kStored) {
        pass_stored(block);
      } else {
        pass_tokens(block);
      }
      if (ended()) break;
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool ended() const { return matcher_.pos() >= limits_.raw_bytes || result_.misses > limits_.misses; }

  // A vector by itself would take twice its size.
  void reserve_stored() {
    constexpr std::uint64_t kMostReserved = std::uint64_t{64} << 20;
    std::uint64_t bytes = 0;
    for (const Block& block : stream_.blocks) bytes += block.type == BlockType::kStored ? block.raw_bytes : 0;
    result_.stored_tokens.reserve(static_cast<std::size_t>(std::min(bytes, kMostReserved)));
  }

  void pass_stored(const Block& block) {
    const std::size_t before = result_.stored_tokens.size();
    const bool cut = run_through_stored(matcher_, stream_.text.data(), block.raw_pos + block.raw_bytes, [&](Token token) {
      if (limits_.keep) result_.stored_tokens.push_back(token);
    });
    if (!limits_.keep) return;
    result_.stored_token_count.push_back(result_.stored_tokens.size() - before);
    result_.stored_cut.push_back(cut);
  }

  void pass_tokens(const Block& block) {
    constexpr std::size_t kStep = 4096;  // tokens between two looks at the limits
    std::span<const Token> left(stream_.tokens.data() + block.first_token, static_cast<std::size_t>(block.token_count));
    while (!left.empty() && !ended()) {
      const std::span<const Token> step = left.first(std::min(left.size(), kStep));
      const std::uint64_t before = matcher_.pos();
      matcher_.set_reach(std::min<std::uint64_t>(stream_.raw().size(), before + limits_.reach_bytes));
      const std::size_t count = matcher_.follow(step);
      if (limits_.watch) limits_.watch->advance(limits_.keep ? matcher_.pos() - before : 0);
      left = left.subspan(count);
      if (count == step.size()) continue;
      const Token actual = left.front();
      ++result_.misses;
      if (limits_.keep) result_.corrections.push_back({matcher_.pos(), is_match(actual) ? actual : Token{0}});
      matcher_.commit(actual);
      left = left.subspan(1);
    }
  }

  Matcher& matcher_;
  const Inflated& stream_;
  const PassLimits limits_;
  JointWalk joints_;
  PassResult result_;
};

}  // namespace

PassResult pass_over(Matcher& matcher, const Inflated& stream, const std::vector<Joint>& joints, const PassLimits& limits) {
  return TokenPass(matcher, stream, joints, limits).run();
}

}  // namespace bdelta::deflate
