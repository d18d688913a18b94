// Unpacking what was found in the two files.
#pragma once

#include <vector>

#include "create/tree_pair.hpp"
#include "parallel/worker_pool.hpp"
#include "view/deflate/recipe.hpp"
#include "view/find_streams.hpp"

namespace bdelta {

struct UnpackedStream {
  view::PackedStream place;
  std::string name;  // of a member of an archive, else empty
  Bytes text;
  deflate::StreamRecipe recipe;  // of a stream of NEW
};

// Streams of the archive that the file is, if it is one; none of a gzip file with more raw bytes than most_raw_bytes. Sizes
// are known of all, and no stream is unpacked to more than is said here.
[[nodiscard]] std::vector<view::FoundStream> find_streams(ByteSpan file, std::uint64_t most_raw_bytes);

// The same of the files of a tree, whose stream `file` is.
[[nodiscard]] std::vector<view::FoundStream> find_streams(ByteSpan file, const TreePair::Parts& parts, std::uint64_t most_raw_bytes);

// Leaves out of both lists the streams that stand in both files alike: these are copied as they are.
void leave_out_unchanged(ByteSpan source, std::vector<view::FoundStream>& of_source, ByteSpan target,
                         std::vector<view::FoundStream>& of_target);

// Those of OLD that decompress, in order.
[[nodiscard]] std::vector<UnpackedStream> unpack_source_streams(ByteSpan file, const std::vector<view::FoundStream>& found,
                                                                WorkerPool& pool);

// Those of NEW that can be made again, proven by making them; unless at_any_cost at a cost that is small beside them.
[[nodiscard]] std::vector<UnpackedStream> unpack_target_streams(ByteSpan file, const std::vector<view::FoundStream>& found,
                                                                bool at_any_cost, WorkerPool& pool);

}  // namespace bdelta
