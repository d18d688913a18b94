// The matcher: from two byte ranges to covers. Flat list of passes in matcher.cpp.
#pragma once

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/diagonal.hpp"
#include "match/params.hpp"
#include "match/source_index.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// What keeps a matcher's memory within bounds. By default nothing does, and nothing is lost.
struct MatchLimits {
  std::uint64_t index_bytes = 0;          // of the table over the source, a power of two; 0 = as its samples need
  std::uint64_t anchor_bytes = 0;         // of the anchors of a parse, see AnchorScope; 0 = as it likes
  std::size_t gram_blocks = ParseScope().gram_blocks;  // of a parse, as in ParseScope
  bool near_only = false;                 // a parse reads what of the source covers lie in, not all of it
  std::uint64_t bytes_per_cover = 0;      // of target, in the mean of a chunk, at least; 0 = covers without end
  std::uint64_t chunk_bytes = std::uint64_t{8} << 20;  // of target, scanned or parsed by one task
};

// Holds one source and its index, and covers one stretch of the target after the other.
class Matcher {
 public:
  // `source` and `params` must outlive the matcher. The passes are recorded on the timeline of the pool, and are stages of its watch.
  Matcher(ByteSpan source, const MatchParams& params, const MatchLimits& limits, WorkerPool& pool)
      : source_(source), params_(params), limits_(limits), pool_(pool) {}

  // Covers of `target`, whose positions begin at 0. Same bytes, parameters and calls before give the same covers for any
  // thread count. The stages are those of a part.
  // Several sets for the caller to choose from where the parse weighs costs in several ways, and where little changes; at
  // least one.
  [[nodiscard]] std::vector<Covers> find(ByteSpan target, const Diagonals& diagonals);

  // The same in two steps. First what fast passes find; `found_so_far`, which may be empty, is called as CostChoice says.
  [[nodiscard]] Covers find_seeds(ByteSpan target, const Diagonals& diagonals, const CostChoice::FoundSoFar& found_so_far = {});

  // Then covers of that. With `choice` all costs are tried on a sample, and those that it tells on the whole target.
  [[nodiscard]] std::vector<Covers> find_from(ByteSpan target, Covers seeds, const CostChoice* choice = nullptr) const;

  // Seeds as they are without a parse: what nobody wanted goes to the neighbours, then borders and doubtful covers are settled.
  [[nodiscard]] Covers settled(ByteSpan target, Covers seeds) const;

 private:
  struct Goals {
    double compared, seen_nearby, indexed, scanned;
  };
  [[nodiscard]] Goals goals() const noexcept;
  [[nodiscard]] std::uint64_t unindexed_bytes() const noexcept;
  [[nodiscard]] bool is_nearly_covered(std::uint64_t left_bytes, std::uint64_t target_size) const noexcept;
  void build_index_if_worth(std::uint64_t left_bytes);
  [[nodiscard]] Covers scan(ByteSpan target, const Covers& known, const Diagonals& diagonals);
  [[nodiscard]] bool is_quick_to_settle(ByteSpan target, const Covers& covers) const noexcept;
  [[nodiscard]] ByteRanges ranges_to_read(ByteSpan target, const Covers& covers) const;
  [[nodiscard]] std::vector<Covers> parse(ByteSpan target, const Covers& covers, const CostChoice* choice) const;

  const ByteSpan source_;
  const MatchParams& params_;
  const MatchLimits limits_;
  WorkerPool& pool_;
  SourceIndex index_;
  std::uint64_t uncovered_ = 0;  // without the index, in all targets so far
};

// The covers of a whole target, without limits; the first set where there are several.
[[nodiscard]] Covers find_covers(ByteSpan source, ByteSpan target, const MatchParams& params, WorkerPool& pool);

}  // namespace bdelta
