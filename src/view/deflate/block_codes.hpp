// The codes that a block's tokens are written in, as the head of the block says them.
#pragma once

#include <memory>

#include "bdelta/error.hpp"
#include "view/deflate/bit_reader.hpp"
#include "view/deflate/block_tree.hpp"
#include "view/deflate/decode_table.hpp"

namespace bdelta::deflate {

// kCodecFailed, of the byte at `offset` of a stream.
[[nodiscard]] Error broken_stream(const char* what, std::uint64_t offset);

class BlockCodes {
 public:
  // Behind the type of a block: those of all blocks with fixed trees, …
  Status use_fixed();

  // … or what comes next, of a block with trees of its own. kCodecFailed if these are no codes that deflate allows.
  Status read(BitReader& bits, BlockTree& tree);

  // Of the block at hand, once there is one.
  [[nodiscard]] const DecodeTable& literals() const noexcept { return tables_->literals; }
  [[nodiscard]] const DecodeTable& distances() const noexcept { return tables_->distances; }

 private:
  struct Tables {
    DecodeTable literals;
    DecodeTable distances;
  };

  Status read_code_bits(BitReader& bits, BlockTree& tree);

  std::unique_ptr<Tables> fixed_;
  std::unique_ptr<Tables> own_;
  const Tables* tables_ = nullptr;
};

}  // namespace bdelta::deflate
