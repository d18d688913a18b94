// Unpacking what was found in the two files.
#pragma once

#include <vector>

#include "bdelta/report.hpp"
#include "hash/xxh3.hpp"
#include "parallel/worker_pool.hpp"
#include "view/deflate/recipe.hpp"
#include "view/find_streams.hpp"

namespace bdelta {

struct UnpackedStream {
  view::PackedStream place;
  std::string name;  // of a member of an archive, else empty
  Bytes text;
  deflate::StreamRecipe recipe;  // of a stream of NEW
  Digest128 text_digest{};       // likewise
  std::uint64_t rebuilding_ns = 0;  // likewise, nominal
};

// Those of OLD that decompress, in order.
[[nodiscard]] std::vector<UnpackedStream> unpack_source_streams(ByteSpan file, const std::vector<view::FoundStream>& found,
                                                                WorkerPool& pool);

// The same, each to its place in the view, where there is room for the text that the file says it has. False if that is not so of
// all of them: `found` is then as it turned out, without those that don't decompress, and the view is not to be used.
[[nodiscard]] bool inflate_source_streams(ByteSpan file, std::vector<view::FoundStream>& found, MutableByteSpan view,
                                          const std::vector<std::size_t>& text_pos, WorkerPool& pool);

// Those of NEW that can be made again, proven by making them; unless at_any_cost at a cost that is small beside them. The report
// counts the others.
[[nodiscard]] std::vector<UnpackedStream> unpack_target_streams(ByteSpan file, const std::vector<view::FoundStream>& found,
                                                                bool at_any_cost, WorkerPool& pool, UnpackReport& report);

}  // namespace bdelta
