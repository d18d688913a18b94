// Finding the recipe of a deflate stream.
//
//   Analyser analyser;                                  // one for a thread
//   Parameters hint;                                    // what the stream before in the file had
//   auto analysis = analyser.analyse(packed, {.hint = hint, .most_raw_bytes = ...});
//   if (analysis && recipe_cost_bytes(analysis->recipe, analysis->sizes()) is little enough) ...
//
// Every valid stream has a recipe, if not a small one, but for those that no encoder makes: see the errors. The result
// depends on the bytes and on the hint alone. Whoever relies on it proves it by a Rebuilder.
//
// Errors: those of inflate(); kFormatCannotHold if it is not Inflated::canonical; kOutputLimit if it would have more
// deviations or larger blocks than a reader takes.
#pragma once

#include "parallel/worker_pool.hpp"
#include "view/deflate/describe.hpp"
#include "view/deflate/recipe_models.hpp"

namespace bdelta::deflate {

struct AnalyseOptions {
  Parameters hint = {};  // tried first
  std::uint64_t most_raw_bytes = ~std::uint64_t{0};
  bool reserve = false;  // as of inflate(): `packed` ends where the stream is likely to end
  WorkerPool* pool = nullptr;  // shares out a large stream, if it is one that can be; as of a Rebuilder
  Watch* watch = nullptr;  // looked at between pieces of some milliseconds; raw bytes are units, each about once
};

struct Analysis {
  Inflated stream;      // the text, and what was found in it
  StreamRecipe recipe;
  std::uint64_t misses = 0;       // tokens that M does not foresee
  std::uint32_t trial_count = 0;  // how many times M went over a part of the stream
  std::uint64_t looked_at = 0;    // candidates, by making it again: as Matcher counts them, estimated for long streams

  [[nodiscard]] StreamSizes sizes() const noexcept { return {stream.raw().size(), stream.packed_bytes}; }
};

class Analyser {
 public:
  // packed: starts with the stream and may go on behind it; analysis.stream.packed_bytes says how long it is.
  [[nodiscard]] Result<Analysis> analyse(ByteSpan packed, const AnalyseOptions& options = {});

  // The matchers may be used for rebuilding between two calls.
  [[nodiscard]] MatcherSet& matchers() noexcept { return matchers_; }

 private:
  MatcherSet matchers_;
};

// Bytes of a recipe of this stream alone. 1 or 2 where all is as zlib's level 6 has it.
[[nodiscard]] std::uint64_t recipe_cost_bytes(const StreamRecipe& recipe, const StreamSizes& sizes);

}  // namespace bdelta::deflate
