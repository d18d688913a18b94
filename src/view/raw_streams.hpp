// Streams of zlib and of gzip that stand anywhere in a file: in documents, packs of objects, file systems, firmware.
//
// Two bytes of a head stand in many places by chance. So what seems to begin with one is inflated: a stream ends, and its
// checksum fits. What has many packed bytes may have a wrong one.
#pragma once

#include <optional>

#include "view/find_streams.hpp"

namespace bdelta::view {

// The first stream with its head in [begin, end) of the bytes, of no more than most_raw_bytes; it may end behind that range.
// Those whose windows are 32 KiB or, by the usual head, 4 KiB. Images in chunks (PNG) are passed over.
[[nodiscard]] std::optional<FoundStream> next_raw_stream(ByteSpan bytes, std::uint64_t begin, std::uint64_t end,
                                                         std::uint64_t most_raw_bytes);

// All of them, one behind the other, with no more than most_raw_bytes together.
[[nodiscard]] std::vector<FoundStream> find_raw_streams(ByteSpan bytes, std::uint64_t most_raw_bytes);

}  // namespace bdelta::view
