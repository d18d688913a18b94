// The tokens of a deflate stream, from any place of its text on, without the text.
//
//   TokenCursor cursor(packed);
//   if (cursor.move_to(pos) && cursor.pos() == pos) count = cursor.read(tokens, most, end).count;
//
// Going on is cheap: a token is decoded and nothing else is done. To go back the cursor remembers where some of the blocks
// begin that it has come by, and decodes from one of these on again.
//
// The stream may be anybody's: where it is none, or ends early, there are no more tokens. What is given are tokens that deflate
// has; distances don't reach behind the start. Memory: 16 bytes for 128 KiB of text, and what tables of codes take (40 KiB).
// Not thread-safe.
#pragma once

#include <vector>

#include "view/deflate/bit_reader.hpp"
#include "view/deflate/block_codes.hpp"
#include "view/deflate/token.hpp"

namespace bdelta::deflate {

class TokenCursor {
 public:
  // packed: of the stream, which something else may follow.
  explicit TokenCursor(PackedPieces packed);
  TokenCursor(const TokenCursor&) = delete;
  TokenCursor& operator=(const TokenCursor&) = delete;

  // Where the next token begins in the text.
  [[nodiscard]] std::uint64_t pos() const noexcept { return pos_; }

  // Whether the token in front of it is known, and is a match.
  [[nodiscard]] bool is_behind_match() const noexcept { return behind_match_; }

  // The next tokens, up to `most` of them, that begin before `end`. None where a stored block is next, which has no tokens, and
  // where there is no more.
  struct Tokens {
    std::size_t count = 0;
    std::size_t matched_count = 0;  // of these, up to the last match
    std::uint64_t matched_pos = 0;  // where that ends
  };
  Tokens read(Token* out, std::size_t most, std::uint64_t end);

  // To the first place between tokens at `target` or behind; stored blocks are passed. False if the stream ends before.
  [[nodiscard]] bool move_to(std::uint64_t target);

  // Of how much text the tokens would be passed for that.
  [[nodiscard]] std::uint64_t bytes_to(std::uint64_t target) const;

 private:
  struct Mark {
    std::uint64_t bit;  // where a block begins
    std::uint64_t pos;
  };

  [[nodiscard]] const Mark& mark_before(std::uint64_t target) const;
  void go_to(const Mark& mark);
  bool begin_block();
  void begin_stored();
  void decode(Token* out, std::size_t most, std::uint64_t end, Tokens& read);

  const PackedPieces packed_;
  PackedPieces from_;           // the same, from begin_ on
  std::uint64_t begin_ = 0;     // of what bits_ reads
  BitReader bits_;
  BlockCodes codes_;
  std::vector<Mark> marks_ = {{0, 0}};
  std::uint64_t pos_ = 0;
  std::uint64_t stored_bytes_ = 0;  // of the block that is next, if it has no tokens
  bool behind_match_ = false;
  bool in_block_ = false;
  bool is_last_ = false;            // the block
  bool ended_ = false;
};

}  // namespace bdelta::deflate
