// All tokens of a stream of NEW, those that stored blocks hide among them.
#pragma once

#include <vector>

#include "view/deflate/recipe.hpp"
#include "view/deflate/token_cursor.hpp"

namespace bdelta {

// Forward only, from the stream's start. One thread at a time.
class StreamTokens {
 public:
  // recipe: of the stream, with a lazy search and no joints. The matchers are for nothing else meanwhile.
  StreamTokens(ByteSpan packed, ByteSpan text, const deflate::StreamRecipe& recipe, deflate::MatcherSet& matchers);

  [[nodiscard]] std::uint64_t pos() const noexcept { return pos_; }
  [[nodiscard]] bool is_behind_match() const noexcept { return behind_match_; }

  // The next tokens, up to `most` of them, that begin before `end`. None at the end, or where they can't be told.
  std::size_t read(deflate::Token* out, std::size_t most, std::uint64_t end);

  // To the first place between tokens at `target` or behind. False if there is none.
  [[nodiscard]] bool move_to(std::uint64_t target);

  // Whether there are tokens that can't be told; none follow then.
  [[nodiscard]] bool has_failed() const noexcept { return failed_; }

 private:
  bool find_hidden();
  bool search(std::uint64_t begin, std::uint64_t end);

  const ByteSpan text_;
  const deflate::StreamRecipe& recipe_;
  deflate::MatcherSet& matchers_;
  deflate::TokenCursor cursor_;
  deflate::Matcher* matcher_ = nullptr;  // behind the last stored block, if one was gone through
  std::vector<deflate::Token> hidden_;   // of that block
  std::size_t next_ = 0;
  std::uint64_t pos_ = 0;
  std::uint64_t matched_pos_ = 0;        // where the last match ends
  bool behind_match_ = false;
  bool failed_ = false;
};

}  // namespace bdelta
