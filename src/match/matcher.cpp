#include "match/matcher.hpp"

#include <algorithm>
#include <optional>

#include "base/deciding/choosing.hpp"
#include "base/deciding/search.hpp"
#include "base/timeline.hpp"
#include "match/near_source.hpp"
#include "match/scan.hpp"
#include "match/select.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kIndexPiece = std::uint64_t{16} << 20;  // of source, indexed at a time under a limit

// Scans what is free. Where the data of an aligned range begins, the other version's is what to look at first: where changes
// are dense, comparing finds no cover that would lead there.
class GapScan {
 public:
  GapScan(const ScanInput& input, const Diagonals& diagonals, std::uint64_t begin, Covers& covers)
      : input_(input), table_(input.source), covers_(covers) {
    const auto is_before = [begin](const AlignedRange& part) { return part.begin < begin; };
    parts_ = {std::partition_point(diagonals.parts.begin(), diagonals.parts.end(), is_before), diagonals.parts.end()};
    state_.diagonal = state_.home = diagonals.from_start;
  }

  void run(std::uint64_t begin, std::uint64_t end) {
    for (; !parts_.empty() && parts_.front().begin < end; parts_ = parts_.subspan(1)) {
      const AlignedRange& part = parts_.front();
      if (part.data_pos == AlignedRange::kNoData || part.data_pos < begin) continue;
      if (part.data_pos >= end) break;
      scan_range(input_, begin, part.data_pos, state_, table_, covers_);
      begin = part.data_pos;
      state_.diagonal = state_.home = part.from_data;
    }
    if (begin < end) scan_range(input_, begin, end, state_, table_, covers_);
  }

  void pass(const Cover& cover) { state_.pass(cover); }

 private:
  const ScanInput& input_;
  std::span<const AlignedRange> parts_;  // those that are not passed yet
  LocalTable table_;
  ScanState state_;
  Covers& covers_;
};

// Scans what `known` leaves free in one chunk, and hands on both in order.
Covers scan_chunk(const ScanInput& input, const Covers& known, const Diagonals& diagonals, std::uint64_t begin, std::uint64_t end) {
  Covers covers;
  GapScan scan(input, diagonals, begin, covers);
  auto next = std::lower_bound(known.begin(), known.end(), begin,
                               [](const Cover& cover, std::uint64_t pos) { return cover.target_pos < pos; });
  std::uint64_t pos = begin;
  if (next != known.begin()) {
    const Cover& before = *std::prev(next);
    scan.pass(before);
    pos = std::max(pos, before.target_end());  // a known cover may reach in from the chunk before
  }
  for (; next != known.end() && next->target_pos < end; ++next) {
    scan.run(pos, next->target_pos);
    covers.push_back(*next);
    scan.pass(*next);
    pos = next->target_end();
  }
  scan.run(pos, end);
  return covers;
}

}  // namespace

// Of stages, as passes take time beside each other; what comes behind the scan has the rest.
Matcher::Goals Matcher::goals() const noexcept {
  return params_.parse ? Goals{0.03, 0.07, 0.11, 0.18} : Goals{0.05, 0.25, 0.4, 0.8};
}

// What is left open without it decides, summed up over all targets: less is too little to earn an index.
void Matcher::build_index_if_worth(std::uint64_t left_bytes) {
  uncovered_ += left_bytes;
  if (!index_.empty() || uncovered_ <= unindexed_bytes()) return;
  pool_.begin_stage(goals().indexed, source_.size());
  if (limits_.index_bytes == 0) return index_.build(source_, params_.sample_shift, pool_);
  index_.start(params_.sample_shift, limits_.index_bytes / SourceIndex::kBucketBytes, pool_);
  for (std::uint64_t pos = 0; pos < source_.size(); pos += kIndexPiece) {
    const std::uint64_t length = std::min(kIndexPiece + kAnchorSpan - 1, source_.size() - pos);
    index_.add(source_.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(length)), pos, pool_);
  }
}

// How much may be left open without an index.
std::uint64_t Matcher::unindexed_bytes() const noexcept {
  return source_.size() / (params_.parse ? kParsedIndexShare : kIndexShare);
}

// So much that the index may turn out to be of no use, and too much for that to be known.
bool Matcher::is_nearly_covered(std::uint64_t left_bytes, std::uint64_t target_size) const noexcept {
  if (!index_.empty()) return false;
  return left_bytes > unindexed_bytes() && left_bytes < target_size / kNearlyCoveredShare;
}

Covers Matcher::scan(ByteSpan target, const Covers& known, const Diagonals& diagonals) {
  ScanInput input{source_, target, &index_, &params_};
  input.watch = pool_.watch();
  const std::uint64_t size = target.size();
  const std::uint64_t chunk_bytes = limits_.chunk_bytes;
  if (limits_.bytes_per_cover != 0) input.max_covers = static_cast<std::size_t>(chunk_bytes / limits_.bytes_per_cover);
  const std::size_t chunk_count = static_cast<std::size_t>((size + chunk_bytes - 1) / chunk_bytes);
  std::vector<Covers> chunks(chunk_count);
  pool_.for_each(chunk_count, [&](std::size_t i) {
    const std::uint64_t begin = i * chunk_bytes;
    const std::uint64_t end = std::min(begin + chunk_bytes, size);
    const Span span(pool_.timeline(), PhaseId::kScan, i, end - begin);
    chunks[i] = scan_chunk(input, known, diagonals, begin, end);
    pool_.advance(end - begin);
  });
  std::size_t count = 0;
  for (const Covers& chunk : chunks) count += chunk.size();
  Covers all;
  all.reserve(count);
  for (const Covers& chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
  join_covers(all);
  return all;
}

// A parse knows prices as they are in the mean. Where little changes, they may be far off, and covers without a parse are
// another set to choose from that takes no time.
bool Matcher::is_quick_to_settle(ByteSpan target, const Covers& covers) const noexcept {
  return target.size() - covered_bytes(covers) + covers.size() * sizeof(Cover) <= kSampledChangedBytes;
}

// What of the source a parse reads for this target.
ByteRanges Matcher::ranges_to_read(ByteSpan target, const Covers& covers) const {
  if (!limits_.near_only) return {};
  return near_source(covers, source_.size(), kNearRatio * target.size());
}

std::vector<Covers> Matcher::parse(ByteSpan target, const Covers& covers, const CostChoice* choice) const {
  ParseScope scope;
  scope.anchors.ranges = ranges_to_read(target, covers);
  scope.anchors.memory_bytes = limits_.anchor_bytes;
  scope.gram_blocks = limits_.gram_blocks;
  scope.chunk_bytes = limits_.chunk_bytes;
  scope.bytes_per_cover = limits_.bytes_per_cover == 0 ? 0 : kParsedBytesPerCover;
  return parse_covers(source_, target, covers, params_.parse_params, {}, pool_, scope, choice);
}

Covers Matcher::settled(ByteSpan target, Covers covers) const {
  loosen_covers(source_, target, covers, pool_);
  join_covers(covers);
  prune_covers(source_, target, covers, pool_);
  join_covers(covers);
  return covers;
}

Covers Matcher::find_seeds(ByteSpan target, const Diagonals& diagonals, const CostChoice::FoundSoFar& found_so_far) {
  if (source_.empty() || target.empty()) return {};
  const auto timed = [this](PhaseId phase, double until_share, std::uint64_t bytes, const auto& pass) {
    const Step step(pool_, phase);
    if (bytes != 0) pool_.begin_stage(until_share, bytes);
    return pass();
  };
  const auto tell = [&](std::uint64_t free_bytes, bool searches) {
    if (found_so_far) found_so_far({free_bytes, {}, 1}, searches);
  };

  // What lies on the diagonals from the start and from the end needs no index.
  Covers covers = timed(PhaseId::kCompare, goals().compared, target.size(), [&] {
    return cover_diagonals(source_, target, diagonals, pool_);
  });

  // What is nearby needs none either. But with the index a scan chooses better: what was found without is kept only where
  // none is built.
  std::uint64_t left_bytes = target.size() - covered_bytes(covers);
  if (params_.parse) tell(left_bytes, true);
  Covers near;
  if (is_nearly_covered(left_bytes, target.size())) {
    near = timed(PhaseId::kScan, goals().seen_nearby, target.size(), [&] { return scan(target, covers, diagonals); });
    left_bytes = target.size() - covered_bytes(near);
  }

  // The index, once it is earned.
  timed(PhaseId::kIndex, 0, 0, [&] { build_index_if_worth(left_bytes); });
  if (!near.empty() && index_.empty()) covers = std::move(near);

  // The scan covers most of the rest.
  covers = timed(PhaseId::kScan, goals().scanned, target.size(), [&] { return scan(target, covers, diagonals); });
  tell(target.size() - covered_bytes(covers), false);
  return covers;
}

std::vector<Covers> Matcher::find_from(ByteSpan target, Covers seeds, const CostChoice* choice) const {
  if (source_.empty() || target.empty()) return {{}};
  if (!params_.parse) {
    const Step step(pool_, PhaseId::kSelect, target.size());
    pool_.begin_stage(1, 0);
    return {settled(target, std::move(seeds))};
  }

  // The cheapest way through the target, with what was found so far as candidates. It leaves open where of several places
  // that cost the same a border stands.
  std::vector<Covers> sets;
  {
    const Step step(pool_, PhaseId::kParse);
    std::optional<Watch::Part> part;
    if (!choice || !choice->found_so_far) part.emplace(pool_.watch(), 1);
    sets = parse(target, seeds, choice);
  }
  const Step step(pool_, PhaseId::kSelect);
  for (Covers& set : sets) round_borders(source_, target, set, pool_);
  if (sets.empty() || !is_quick_to_settle(target, seeds)) return sets;
  seeds = settled(target, std::move(seeds));
  if (std::find(sets.begin(), sets.end(), seeds) == sets.end()) sets.push_back(std::move(seeds));
  return sets;
}

std::vector<Covers> Matcher::find(ByteSpan target, const Diagonals& diagonals) {
  return find_from(target, find_seeds(target, diagonals));
}

Covers find_covers(ByteSpan source, ByteSpan target, const MatchParams& params, WorkerPool& pool) {
  return Matcher(source, params, {}, pool).find(target, whole_diagonals(source, target)).front();
}

}  // namespace bdelta
