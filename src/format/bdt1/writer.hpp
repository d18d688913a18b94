// Writing a version 1 patch, for the original bpatch.
#pragma once

#include "delta/cover.hpp"
#include "io/record_writer.hpp"
#include "parallel/watch.hpp"

namespace bdelta::bdt1 {

// kFormatCannotHold if a file is too large for the original; asked before work starts.
Status check_sizes(std::uint64_t source_size, std::uint64_t target_size);

// What the format can say of `covers`: the exact stretches inside them that save more than the 12 bytes of a match.
// Covered bytes are units of `watch`, which may be null.
[[nodiscard]] Covers lower_covers(ByteSpan source, ByteSpan target, const Covers& covers, Watch* watch = nullptr);

// `exact` are exact covers. Writes the whole patch.
Status write_patch(std::uint64_t source_size, ByteSpan target, const Covers& exact, io::RecordWriter& out);

}  // namespace bdelta::bdt1
