// M, in the place of which tokens of another stream are taken where it would decide alike: lent_tokens.hpp says where.
//
// Taking begins where M has just written a match, and the other stream has one that ends there. It ends with a match, too.
// The matcher is begun anew then with the 32 KiB in front, as nothing is carried.
//
// Where the other stream is far away, what is decoded to get there counts as work. That is bounded by the text's size.
#pragma once

#include <optional>
#include <vector>

#include "view/deflate/lent_tokens.hpp"
#include "view/deflate/matcher.hpp"
#include "view/deflate/token_cursor.hpp"

namespace bdelta::deflate {

class LendingMatcher final : public Matcher {
 public:
  // matcher: begun, of a lazy search. text_bytes: of the text, at which set_end() is to be. Both others must outlive it.
  LendingMatcher(Matcher& matcher, const Parameters& parameters, std::uint64_t text_bytes, const StreamLender& lender);

  // In the order of the text; what is already behind pos() is of no use.
  void add(const TextCopy& copy) { add_joined(copies_, copy); }

  void begin(const Parameters& parameters, std::uint64_t first, std::uint64_t pos) override;
  void set_reach(std::uint64_t pos) noexcept override { reach_ = pos; }
  void join(JointKind) override {}  // never called: there are none
  Token predict() override;
  void commit(Token token) override;
  std::size_t run(Token* out, std::size_t most, std::uint64_t stop) override;
  std::size_t follow(std::span<const Token>) override { return 0; }  // never called: nothing is analysed

 private:
  const TextCopy* next_copy();
  std::size_t run_matcher(Token* out, std::size_t most, std::uint64_t stop);
  std::size_t take(Token* out, std::size_t most, std::uint64_t stop);
  bool begin_taking();
  bool has_taken_up(const TextCopy& copy);
  bool read_ahead();
  Matcher& ready_matcher();

  Matcher& matcher_;
  const Parameters parameters_;
  const std::uint64_t text_bytes_;
  const StreamLender& lender_;
  std::uint64_t reach_ = 0;
  std::vector<TextCopy> copies_;     // that end behind pos_
  std::optional<TokenCursor> cursor_;
  std::uint64_t stream_ = 0;         // that it reads
  std::uint64_t left_work_bytes_;    // of text whose tokens may still be passed
  bool is_taking_ = false;           // pos_ is then ahead of matcher_'s
  bool is_stale_ = false;            // matcher_ has to be begun anew
  std::vector<Token> tokens_;        // of the cursor: those up to next_ are taken, …
  std::size_t next_ = 0, sure_ = 0;  // … those up to sure_ may be
  std::uint64_t sure_pos_ = 0;       // where the last of these ends
};

}  // namespace bdelta::deflate
