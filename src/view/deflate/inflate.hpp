// Inflating a deflate stream (RFC 1951), with all that its encoder chose: tokens, blocks, trees.
//
//   auto stream = bdelta::deflate::inflate(packed, {.most_raw_bytes = declared_size});
//   if (!stream) return data_stays_packed();
//   use(stream->raw(), stream->packed_bytes);
//
// What is accepted is what zlib's inflate accepts. Sets of codes are complete, but for a single code of one bit. There is an
// end-of-block code, and no distance reaches behind the start.
//
// Errors: kCodecFailed if the bytes are no deflate stream or end early, with the place in `offset`; kOutputLimit if
// there are more bytes than the limit says. Memory: raw bytes, 4 bytes a token, 1 KiB a block with trees of its own. None is
// taken before as many packed bytes as it needs have been seen, unless `reserve` is set. Thread safety: pure functions.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/error.hpp"
#include "view/deflate/bit_reader.hpp"
#include "view/deflate/block_tree.hpp"
#include "view/deflate/token.hpp"

namespace bdelta::deflate {

struct Block {
  static constexpr std::uint32_t kNoTree = 0xffffffff;

  BlockType type = BlockType::kStored;
  bool last = false;
  std::uint32_t tree = kNoTree;    // of Inflated::trees, if type is kDynamic
  std::uint64_t first_token = 0;   // of Inflated::tokens
  std::uint64_t token_count = 0;   // 0 of a stored block
  std::uint64_t raw_pos = 0;
  std::uint64_t raw_bytes = 0;
  std::uint64_t packed_bit = 0;    // where it begins
};

// A text that ends in kTextPadding further bytes, which may be read and mean nothing.
inline constexpr std::size_t kTextPadding = 16;

struct Inflated {
  Bytes text;                   // the raw bytes, and the padding
  std::vector<Token> tokens;    // of all blocks but stored ones
  std::vector<Block> blocks;
  std::vector<BlockTree> trees;
  std::uint64_t packed_bytes = 0;   // that the stream has; more may have been given
  // The bits that fill a byte, before stored blocks and at the end, are 0; and no length of 258 is written as 227 + 31.
  bool canonical = true;

  [[nodiscard]] ByteSpan raw() const noexcept { return {text.data(), text.size() - kTextPadding}; }
};

struct InflateOptions {
  std::uint64_t most_raw_bytes = ~std::uint64_t{0};
  bool reserve = false;         // takes memory at once for most_raw_bytes, or for a usual text of all of `packed` if that is less
  bool keep_tokens = true;      // and blocks and trees; without, `text` and `packed_bytes` alone are filled
};

// packed: starts with the stream and may go on behind it.
[[nodiscard]] Result<Inflated> inflate(ByteSpan packed, const InflateOptions& options = {});

struct InflatedSizes {
  std::uint64_t packed_bytes = 0, raw_bytes = 0;
};

// The same for a stream and a text of any size. `packed` gives the stream in pieces. The text goes to `sink`, in order, in
// pieces that are valid for the call. An error of the sink ends it. room: memory of a few hundred KiB, for the next call,
// too.
[[nodiscard]] Result<InflatedSizes> inflate_into(const PackedPieces& packed, std::uint64_t most_raw_bytes, Bytes& room,
                                                 const std::function<Status(ByteSpan)>& sink);

// Of a stream in memory, which outlives them.
[[nodiscard]] inline PackedPieces pieces_of(ByteSpan packed) {
  return [packed](std::uint64_t pos) { return packed.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(pos, packed.size()))); };
}

// How far inflating went, and how many tables it built for that.
struct InflateWork {
  InflatedSizes sizes;
  std::uint64_t table_count = 0;
};

// Of what may be no stream: `work` is set whether it is one or not. What fails may have counted bytes behind its end.
[[nodiscard]] Status try_inflate(const PackedPieces& packed, std::uint64_t most_raw_bytes, Bytes& room,
                                 const std::function<Status(ByteSpan)>& sink, InflateWork& work);

}  // namespace bdelta::deflate
