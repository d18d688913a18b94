// PNG files in views: runs of chunks of image data, and then the streams in these.
#pragma once

#include "create/view_parts.hpp"

namespace bdelta {

// Runs of chunks of image data, in all parts; those with such a run are no whole files any more.
[[nodiscard]] FoundParts find_png_runs(ByteSpan file, ViewParts parts);

// In a view where such runs are joined, the streams that these have.
[[nodiscard]] std::vector<view::FoundStream> find_png_streams(ByteSpan view, const view::PackedStreams& runs,
                                                                std::uint64_t most_raw_bytes);

// Whether a chunk of image data begins in [begin, end) of a file.
[[nodiscard]] bool has_png_run(ByteSpan file, std::uint64_t begin, std::uint64_t end);

}  // namespace bdelta
