// The scan: reads one chunk of the target and covers it with what the source holds.
#pragma once

#include "delta/cover.hpp"
#include "match/local_table.hpp"
#include "match/params.hpp"
#include "match/source_index.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

struct ScanInput {
  ByteSpan source;
  ByteSpan target;
  const SourceIndex* index;   // may be empty
  const MatchParams* params;
  std::size_t max_covers = ~std::size_t{0};  // the scan stops where the list has so many
  Watch* watch = nullptr;     // looked at now and then
};

// Appends covers of target[begin, end) to `covers`, ascending. `diagonal` is where the scan starts looking and is left
// where it ended. `table` may hold anything; what it holds affects the result, so callers make a rule of it.
void scan_range(const ScanInput& input, std::uint64_t begin, std::uint64_t end, std::int64_t& diagonal,
                LocalTable& table, Covers& covers);

}  // namespace bdelta
