// A stream through analysis, recipe and rebuilding.
#pragma once

#include "view/deflate/analyse.hpp"
#include "view/deflate/rebuild.hpp"
#include "view/deflate/recipe_reader.hpp"
#include "view/deflate/recipe_writer.hpp"

namespace bdelta::test {

struct RoundTrip {
  std::uint64_t misses = 0;
  std::size_t recipe_bytes = 0;
  bool dense = false;
};

// Expects that the stream comes back, from its recipe as it was written and read.
RoundTrip round_trip(ByteSpan packed, const deflate::Parameters& hint = {});

// A valid stream such as no encoder writes: blocks of all types, also empty ones and ones that end anywhere; matches
// as they come; trees that suit other symbols, said in odd ways. most_tokens: of a block.
[[nodiscard]] Bytes odd_stream(std::uint64_t seed, std::uint32_t most_tokens = 20'000);

}  // namespace bdelta::test
