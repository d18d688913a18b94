// What zlib or Go makes of a block's tokens: its type, and its trees and how they are written.
#pragma once

#include <span>

#include "view/deflate/block_tree.hpp"
#include "view/deflate/code_lengths.hpp"
#include "view/deflate/parameters.hpp"
#include "view/deflate/token.hpp"

namespace bdelta::deflate {

struct BlockCounts {
  std::array<std::uint32_t, kLiteralSymbols> literals{};
  std::array<std::uint32_t, kDistanceSymbols> distances{};
  std::uint64_t raw_bytes = 0;
};

// With one end of block.
[[nodiscard]] BlockCounts count_symbols(std::span<const Token> tokens) noexcept;

// The op that zlib writes for the code length at `at`, one of `code_bits`: runs of the same length, of zeros also long
// ones, are written as such. `at` is 0, or the one before was written by the op before.
[[nodiscard]] LengthOp length_op_by_rule(std::span<const std::uint8_t> code_bits, std::size_t at) noexcept;

// Of a dynamic block, behind its type: what says the trees.
[[nodiscard]] std::uint64_t head_bits(const BlockTree& tree) noexcept;

class BlockRule {
 public:
  explicit BlockRule(const Parameters& parameters = {}) noexcept
      : go_(is_of_go(parameters)),
        says_all_(joins_pieces(parameters) && parameters.block_end == BlockEnd::kAllCounts),
        plain_(has_plain_trees(parameters)),
        counts_bytes_(counts_bytes(parameters)),
        always_stored_(parameters.search == Search::kBlocks ? 16 : 0) {}

  // The tree for such symbols, with the ops and the code of code lengths that it is given. ends: the segment does, too.
  void make_tree(const BlockCounts& counts, BlockTree& tree, bool ends) noexcept;

  // The code of code lengths for the ops that are there: order_bits and order_count.
  void make_order(BlockTree& tree) noexcept;

  // Whether a run of ops may go on from the literals' lengths to the distances'.
  [[nodiscard]] bool joins_lists() const noexcept { return go_; }

  // tree: what make_tree() gave. may_store: whether the encoder still has the block's text.
  [[nodiscard]] BlockType choose_type(const BlockCounts& counts, const BlockTree& tree, bool may_store) const noexcept;

 private:
  unsigned build(std::span<const std::uint32_t> frequencies, unsigned most_bits, std::span<std::uint8_t> code_bits) noexcept;
  void add_ops(std::span<const std::uint8_t> lengths, BlockTree& tree) noexcept;

  const bool go_;
  const bool says_all_;  // lengths, unless there are no matches, or the segment ends
  const bool plain_;     // trees of Go's kind
  const bool counts_bytes_;
  const std::uint64_t always_stored_;  // bytes of text, at most
  CodeLengthBuilder builder_;
};

}  // namespace bdelta::deflate
