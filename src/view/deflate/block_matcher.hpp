// Go's fastest level: a block of text at a time, all its tokens at once. The method is that of Snappy.
//
// A table has the latest position for each hash of four bytes. A place is looked up there; the longer nothing has been
// found, the more bytes lie between one place and the next. Where four bytes are alike the match goes on as far as it
// can, and the place behind it is looked up at once. A block in which that saves little has literals alone.
#pragma once

#include <vector>

#include "view/deflate/stepped.hpp"

namespace bdelta::deflate {

class BlockMatcher : public Matcher {
 public:
  BlockMatcher() : BlockMatcher(std::size_t{1} << kTableBits) {}

  void begin(const Parameters& parameters, std::uint64_t first, std::uint64_t pos) override;
  void join(JointKind kind) override;
  Token predict() final;
  void commit(Token token) final;
  std::size_t run(Token* out, std::size_t most, std::uint64_t stop) final { return run_steps(*this, out, most, stop); }
  std::size_t follow(std::span<const Token> tokens) final { return follow_steps(*this, tokens, predicted_); }

 protected:
  explicit BlockMatcher(std::size_t table_size) : tokens_(kBytesOfBlock), table_(table_size) {}

  // Those from block_ to block_end_, if it finds matches.
  virtual void make_tokens();

  void add_literals(std::uint64_t pos, std::uint64_t end);

  static constexpr std::uint64_t kLeastSearched = 128;  // bytes of a block, else it has literals alone

  std::uint64_t block_ = 0;       // where the current one begins, and
  std::uint64_t block_end_ = 0;   // ends
  std::vector<Token> tokens_;     // of the current one, the first token_count_
  std::size_t token_count_ = 0;

 private:
  static constexpr unsigned kTableBits = 14;

  void make_block();
  [[nodiscard]] bool look_up(std::uint64_t pos, std::uint64_t& candidate) noexcept;
  [[nodiscard]] unsigned length_of_match(std::uint64_t pos, std::uint64_t candidate) const noexcept;

  // Positions, and what was counted before this stream; so the table is never cleared.
  std::vector<std::uint64_t> table_;
  std::uint64_t counted_ = 1;
  std::uint64_t first_ = 0;       // what is before is no candidate
  std::uint64_t before_ = 0;      // where the block before begins
  std::size_t next_ = 0;          // of tokens_, at pos_
  bool as_foreseen_ = true;       // so far in this block; else literals follow
};

}  // namespace bdelta::deflate
