// Memory: what a level takes, and how it gives way to a limit.
#pragma once

#include <optional>

#include "create/level.hpp"
#include "bdelta/create.hpp"
#include "match/matcher.hpp"

namespace bdelta {

// What there is to do, as far as memory depends on it.
struct BudgetRequest {
  int level = kDefaultLevel;
  std::uint64_t limit_bytes = 0;   // 0 = none
  unsigned threads = 1;
  bool verify = true;
  bool models = true;              // may be used
  std::uint64_t held_bytes = 0;    // of memory that is taken already, such as what is known of trees
  std::uint64_t source_size = 0;
  std::uint64_t target_size = 0;
  bool source_view = false;        // its bytes are at hand without memory of ours
  bool target_view = false;
};

// How the work is cut so that it stays within the limit. Everything but `threads` and `codec_bytes`, which have no effect
// on the patch, follows from level, limit, sizes and views alone, and where that is asked from how much differs.
struct Budget {
  LevelSettings settings;
  MatchLimits match;
  bool ample = true;                   // one segment, and memory for what looks at both files as a whole
  bool source_whole = true;            // else `gathered_bytes` of it at a time
  bool target_whole = true;            // else segment by segment
  std::uint64_t segment_bytes = 0;     // of target, found, encoded and forgotten as one
  std::uint64_t gathered_bytes = 0;    // of source, for one segment
  std::uint64_t survey_bytes = 0;      // of the sparse index of a source that is gathered, a power of two
  unsigned survey_shift = 0;           // its samples: one position in 2^shift
  std::uint64_t outline_bytes = 0;        // coded target bytes that are encoded as one and may then join a group
  std::uint64_t batch_bytes = 0;       // target bytes encoded together
  std::uint64_t draft_bytes = 0;       // of the streams of a group, before compression
  std::uint64_t codec_bytes = 0;       // of the compressors at work at the same time
  std::uint64_t spool_bytes = 0;       // of a patch kept in memory
  unsigned threads = 1;
  std::uint64_t needed_bytes = 0;      // what all this takes at most; without a limit, what it takes with usual files
};

// kMemoryLimit with the figure that would do if nothing fits.
Result<Budget> make_budget(const BudgetRequest& request);

// What a fast look at two files tells. By default, that they are the same.
struct Likeness {
  std::uint64_t changed_bytes = 0;  // in NEW, and what it takes to tell where
  bool has_programs = false;        // that may be predicted
  std::uint64_t type_bytes = 0;     // of lists in OLD whose numbers may be moved
};

// A limit that does for work as it is without one: for two files of such a likeness, or without it for any files of such sizes.
// None would where the files are worked on in segments.
[[nodiscard]] std::optional<std::uint64_t> ample_limit(const BudgetRequest& request,
                                                       const std::optional<Likeness>& likeness = {});

// The budget of work without a limit, for the same, if that stays within the limit; else none. For inputs that are mapped or
// loaded.
[[nodiscard]] std::optional<Budget> ample_budget(const BudgetRequest& request, const std::optional<Likeness>& likeness = {});

}  // namespace bdelta
