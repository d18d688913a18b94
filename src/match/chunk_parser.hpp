// The kernel of the parse: the cheapest way through one stretch of the target.
#pragma once

#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/anchor_table.hpp"
#include "match/parse_costs.hpp"
#include "match/source_grams.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// Refers to what its caller owns.
struct ParseTask {
  ByteSpan source;
  ByteSpan target;
  const Covers& seeds;
  std::span<const ParseCosts> costs;
  std::size_t beam;
  bool long_grams;
  std::span<const std::uint8_t> miss_scale;  // as in parse.hpp
  std::uint64_t begin;                       // of the stretch in the target
  std::uint64_t end;
};

// Covers of target[begin, end), ascending, for each of the costs. The watch may be null.
[[nodiscard]] std::vector<Covers> parse_chunk(const ParseTask& task, const AnchorTable& anchors, SourceGrams& grams,
                                              Watch* watch);

}  // namespace bdelta
