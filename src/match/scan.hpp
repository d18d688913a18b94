// The scan: reads one chunk of the target and covers it with what the source holds.
#pragma once

#include <algorithm>

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

// What a scan knows of the target before the stretch it begins with, and leaves for the next one.
struct ScanState {
  static constexpr std::int64_t kMostCredit = kMostCreditBytes;

  std::int64_t diagonal = 0;           // of the cover before: where to look first
  std::int64_t credit = kMostCredit;   // target bytes passed that the local table may be filled for
  std::int64_t home = 0;               // diagonal of the last long cover: short ones beside it come from anywhere

  // Goes past a cover that was found elsewhere.
  void pass(const Cover& cover) noexcept {
    diagonal = cover.diagonal();
    if (cover.length >= kHomeCoverBytes) home = diagonal;
    credit = std::min(credit + static_cast<std::int64_t>(cover.length), kMostCredit);
  }
};

// Appends covers of target[begin, end) to `covers`, ascending. `table` may hold anything; what it holds affects the result,
// so callers make a rule of it.
void scan_range(const ScanInput& input, std::uint64_t begin, std::uint64_t end, ScanState& state, LocalTable& table,
                Covers& covers);

}  // namespace bdelta
