// The cheapest pass: what stands at the same distance from the start, or from the end, in both files.
#pragma once

#include <span>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/params.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// A stretch of the target that is known to be a stretch of the source in another version: where that one's start and
// end are.
struct AlignedRange {
  std::uint64_t begin = 0;  // in the target
  std::uint64_t end = 0;
  std::int64_t from_start = 0;
  std::int64_t from_end = 0;
  std::uint64_t data_pos = kNoData;  // where data begins behind its headers, if neither has them packed, …
  std::int64_t from_data = 0;        // … and its diagonal

  static constexpr std::uint64_t kNoData = ~std::uint64_t{0};
};

// The diagonals on which a target is likeliest to lie: as far from the start as in the source, and as far from the end.
struct Diagonals {
  std::int64_t from_start = 0;
  std::int64_t from_end = 0;
  std::span<const AlignedRange> parts{};  // that have likelier ones of their own; ascending, disjoint, within both files
};

// Those of two whole files.
[[nodiscard]] inline Diagonals whole_diagonals(ByteSpan source, ByteSpan target) noexcept {
  return {0, static_cast<std::int64_t>(source.size()) - static_cast<std::int64_t>(target.size()), {}};
}

// Covers of the target on these diagonals, at compare speed. Only long, sure ground is taken: the passes behind fill the
// rest.
[[nodiscard]] Covers cover_diagonals(ByteSpan source, ByteSpan target, const Diagonals& diagonals, WorkerPool& pool);

}  // namespace bdelta
