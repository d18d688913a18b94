// The literals of a group as one code of the literal model: the mirror image of literal_unpacker.
#pragma once

#include <span>
#include <vector>

#include "model/literal_scope.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

struct PackedLiterals {
  LiteralScope scope;
  Bytes code;
  std::vector<std::uint64_t> taken_bytes;  // for each run: of the code, by a decoder that has read this run
};

// `literals` are the bytes of all `runs`, in order and without gaps; runs may be empty. `watch` may be null; it is
// asked after each run and every 4 KiB. Errors are those of the source.
[[nodiscard]] Result<PackedLiterals> pack_literals(ByteSpan literals, std::span<const LiteralRun> runs,
                                                   LiteralSource& source, const LiteralScope& scope,
                                                   Watch* watch = nullptr);

}  // namespace bdelta
