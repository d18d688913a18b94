// The codes that a block's tokens are written in, as the head of the block says them.
#pragma once

#include <memory>
#include <span>

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
  void use_fixed() noexcept { tables_ = &fixed_tables(); }

  // … or what comes next, of a block with trees of its own. kCodecFailed if these are no codes that deflate allows.
  Status read(BitReader& bits, BlockTree& tree);

  // Tables that were built for blocks with trees of their own: what those take beside their bits.
  [[nodiscard]] std::uint64_t built_count() const noexcept { return built_count_; }

  // Of the block at hand, once there is one.
  [[nodiscard]] const DecodeTable& literals() const noexcept { return tables_->literals; }
  [[nodiscard]] const DecodeTable& distances() const noexcept { return tables_->distances; }

 private:
  struct Tables {
    DecodeTable literals;
    DecodeTable distances;
  };

  Status read_code_bits(BitReader& bits, BlockTree& tree);
  bool build(DecodeTable& table, Alphabet alphabet, std::span<const std::uint8_t> code_bits) noexcept;
  [[nodiscard]] static const Tables& fixed_tables() noexcept;

  std::unique_ptr<Tables> own_;
  std::uint64_t built_count_ = 0;
  const Tables* tables_ = nullptr;
};

}  // namespace bdelta::deflate
