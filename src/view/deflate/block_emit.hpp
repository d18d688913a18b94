// Writing one block.
#pragma once

#include <span>

#include "view/deflate/bit_writer.hpp"
#include "view/deflate/block_tree.hpp"

namespace bdelta::deflate {

// text: at most 65,535 bytes.
void emit_stored(BitWriter& to, bool last, ByteSpan text);

// Which parts of a block are written, beside tokens.
struct BlockParts {
  bool head = true;  // with the trees
  bool end = true;
  bool fits = false;  // the trees are known to have a code for each token, which is not looked at then
};

// tree: of a dynamic block; null means the fixed trees. False, and nothing is written, if a token has no code.
[[nodiscard]] bool emit_tokens(BitWriter& to, bool last, std::span<const Token> tokens, const BlockTree* tree,
                               BlockParts parts = {});

}  // namespace bdelta::deflate
