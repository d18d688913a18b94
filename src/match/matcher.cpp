#include "match/matcher.hpp"

#include <algorithm>

#include "base/timeline.hpp"
#include "match/diagonal.hpp"
#include "match/gap_pass.hpp"
#include "match/gap_probe.hpp"
#include "match/parse.hpp"
#include "match/scan.hpp"
#include "match/select.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{8} << 20;  // target scanned by one task, whatever the threads
constexpr std::uint64_t kWorthRatio = 16384;  // no pass over the source while less than 1/ratio of it is uncovered

// Enough is uncovered to read the whole source for it.
bool is_worth_a_pass(const Covers& covers, ByteSpan source, ByteSpan target) {
  std::uint64_t covered = 0;
  for (const Cover& cover : covers) covered += cover.length;
  return target.size() - covered > source.size() / kWorthRatio;
}

// Scans what `known` leaves free in one chunk, and hands on both in order.
Covers scan_chunk(const ScanInput& input, const Covers& known, std::uint64_t begin, std::uint64_t end) {
  LocalTable table(input.source);
  Covers covers;
  auto next = std::lower_bound(known.begin(), known.end(), begin,
                               [](const Cover& cover, std::uint64_t pos) { return cover.target_pos < pos; });
  std::int64_t diagonal = next == known.begin() ? 0 : std::prev(next)->diagonal();
  std::uint64_t pos = begin;
  for (; next != known.end() && next->target_pos < end; ++next) {
    scan_range(input, pos, next->target_pos, diagonal, table, covers);
    covers.push_back(*next);
    diagonal = next->diagonal();
    pos = next->target_end();
  }
  scan_range(input, pos, end, diagonal, table, covers);
  return covers;
}

Covers scan_target(const ScanInput& input, const Covers& known, WorkerPool& pool) {
  const std::uint64_t size = input.target.size();
  const std::size_t chunk_count = static_cast<std::size_t>((size + kChunkBytes - 1) / kChunkBytes);
  std::vector<Covers> chunks(chunk_count);
  pool.for_each(chunk_count, [&](std::size_t i) {
    const std::uint64_t begin = i * kChunkBytes;
    const std::uint64_t end = std::min(begin + kChunkBytes, size);
    const Span span(pool.timeline(), PhaseId::kScan, i, end - begin);
    chunks[i] = scan_chunk(input, known, begin, end);
    pool.advance(end - begin);
  });
  Covers all;
  for (const Covers& chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

}  // namespace

Covers find_covers(ByteSpan source, ByteSpan target, const MatchParams& params, WorkerPool& pool) {
  if (source.empty() || target.empty()) return {};
  const auto timed = [&pool](PhaseId phase, const auto& pass, std::uint64_t bytes = 0) {
    const Span span(pool.timeline(), phase, TraceSpan::kNone, bytes);
    return pass();
  };

  // What lies on the diagonals from the start and from the end needs no index.
  pool.begin_stage(0.1, target.size());
  Covers covers = timed(PhaseId::kCompare, [&] { return cover_diagonals(source, target, params, pool); });

  // The index, unless what is left is too little to earn it.
  SourceIndex index;
  if (is_worth_a_pass(covers, source, target)) {
    pool.begin_stage(0.25, source.size());
    timed(PhaseId::kIndex, [&] { index.build(source, params.sample_shift, pool); });
  }

  // The scan covers most of the rest.
  pool.begin_stage(0.5, target.size());
  timed(PhaseId::kScan, [&] {
    covers = scan_target({source, target, &index, &params, pool.watch()}, covers, pool);
    join_covers(covers);
  });

  // Gap passes look for shorter keys, at every source position, in what is still uncovered; unless samples of it say
  // that there is nothing to find.
  double goal = 0.5;
  for (const unsigned span : params.gap_spans) {
    goal += 0.45 / static_cast<double>(params.gap_spans.size());
    if (!is_worth_a_pass(covers, source, target)) break;
    timed(PhaseId::kGaps, [&] {
      pool.begin_stage(goal, 2 * source.size() + target.size());
      if (!gaps_may_match(source, target, covers, span, pool)) return;
      fill_gaps(source, target, params, span, pool, covers);
      join_covers(covers);
    });
  }

  // The cheapest way through the target, with what was found so far as candidates; nothing is left to settle then.
  if (params.parse) {
    pool.begin_stage(1, source.size() + 2 * target.size());
    timed(PhaseId::kParse, [&] { covers = parse_covers(source, target, covers, params.parse_params, {}, pool); });
    return covers;
  }

  // What nobody wanted goes to the neighbours, then borders and doubtful covers are settled.
  pool.begin_stage(1, 0);
  timed(PhaseId::kSelect, [&] {
    if (params.loosen) {
      loosen_covers(source, target, params, covers, pool.watch());
      join_covers(covers);
    }
    if (params.prune) {
      prune_covers(source, target, params, covers, pool.watch());
      join_covers(covers);
    }
  }, target.size());
  return covers;
}

}  // namespace bdelta
