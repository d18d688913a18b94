// What Go from 1.27 on makes of a piece of text: a block, or more of the block before.
//
// A piece can go on with the trees of the piece before if it has to write no new ones for that. It does so where new trees
// would hardly save more than they take. What new ones would save is estimated: from how often symbols are there, by a
// polynomial in the place of the logarithm, a little off. Here that is done in integers; where an encoder decides by the
// last bit of a floating-point number, a deviation says so.
#pragma once

#include "view/deflate/block_rule.hpp"

namespace bdelta::deflate {

struct PieceChoice {
  BlockType type = BlockType::kFixed;
  bool joined = false;  // with the trees of the piece before; kDynamic then
};

class PieceRule {
 public:
  explicit PieceRule(const Parameters& parameters = {}) noexcept : stored_bytes_(has_plain_trees(parameters) ? 12 : 32) {}

  // tree: what BlockRule makes of the piece. ends: the segment ends with it.
  [[nodiscard]] PieceChoice choose(const BlockCounts& counts, const BlockTree& tree, bool ends) const noexcept;

  // What became of a piece. tree: its own, if it has one.
  void pass(PieceChoice choice, const BlockCounts& counts, const BlockTree& tree, bool ends) noexcept;

  // The trees that a piece could go on with; null if there are none.
  [[nodiscard]] const BlockTree* open_tree() const noexcept { return open_ ? &tree_ : nullptr; }

 private:
  [[nodiscard]] PieceChoice choose_of_literals(const BlockCounts& counts, const BlockTree& tree) const noexcept;
  [[nodiscard]] PieceChoice choose_of_tokens(const BlockCounts& counts, const BlockTree& tree, std::uint64_t tokens) const noexcept;

  const std::uint64_t stored_bytes_;  // so short pieces are stored, but the first one
  bool first_ = true;         // no piece has passed
  bool open_ = false;
  bool of_literals_ = false;  // the tree is of a piece without matches
  BlockTree tree_;
};

}  // namespace bdelta::deflate
