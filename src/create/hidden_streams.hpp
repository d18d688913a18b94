// Streams that only a search tells of: where a file is no archive, and nothing of it stands in OLD.
#pragma once

#include "base/bytes.hpp"
#include "bdelta/report.hpp"
#include "delta/cover.hpp"

namespace bdelta {

// Whether one begins or ends where `covers` (ascending) leave the target free. Looks at those bytes, and at some in front of
// each such stretch. Programs have none. Counts the bytes that nobody looked at, as too much there only looks like streams.
[[nodiscard]] bool has_hidden_streams(ByteSpan target, const Covers& covers, UnpackReport::Streams& unscanned);

}  // namespace bdelta
