#include "match/parse.hpp"

#include <algorithm>
#include <memory>

#include "match/anchor_table.hpp"
#include "match/change_sample.hpp"
#include "match/chunk_parser.hpp"
#include "match/source_grams.hpp"
#include "parallel/free_list.hpp"

namespace bdelta {
namespace {

constexpr double kAnchored = 0.12;  // goal of the stage of anchors; those behind it are told by CostChoice
constexpr std::size_t kTasksPerThread = 6;  // at least, so that no thread is left alone with a long one at the end

// Sets of costs that one task parses a chunk with: all, as they ask for the same blocks of grams, unless threads would
// then find too few tasks. One where memory is bounded, as each keeps its paths.
std::size_t costs_at_a_time(std::size_t set_count, std::size_t chunk_count, unsigned threads, const ParseScope& scope) {
  if (scope.bytes_per_cover != 0) return 1;
  const std::size_t tasks_wanted = threads == 1 ? 1 : kTasksPerThread * threads;
  const std::size_t parts = 1 + (tasks_wanted - 1) / std::max<std::size_t>(chunk_count, 1);
  return (set_count + parts - 1) / parts;
}

Covers join_chunks(std::span<const Covers> chunks) {
  Covers all;
  for (const Covers& chunk : chunks) {
    for (const Cover& cover : chunk) add_joined(all, cover);
  }
  return all;
}

// Those of `params` that count for this pair.
std::vector<ParseCosts> costs_for(ByteSpan target, const Covers& seeds, const CoverChanges& changes,
                                  const ParseParams& params) {
  const FreeBytes free = free_bytes(target, seeds);
  const bool little_changes = !params.little_costs.empty() && changes.changed_bytes() <= params.little_bytes;
  const bool text_changes = !params.text_costs.empty() && free.are_text();
  std::vector<ParseCosts> costs;
  const auto add = [&](const std::vector<ParseCosts>& starts) {
    for (const ParseCosts& start : starts) costs.push_back(fit_costs(changes, start));
  };
  add(text_changes ? params.text_costs : little_changes ? params.little_costs : params.costs);
  if (!params.dense_costs.empty() && free.are_dense()) add(params.dense_costs);
  return costs;
}

// What every chunk is parsed with.
struct Shared {
  ByteSpan source;
  ByteSpan target;
  const Covers& seeds;
  const ParseParams& params;
  std::span<const std::uint8_t> miss_scale;
  const ParseScope& scope;
  const AnchorTable& anchors;
  FreeList<SourceGrams>& tables;  // one for each worker in the end
  WorkerPool& pool;
};

// The covers of those chunks of the target, ascending, for each of the costs.
std::vector<Covers> parse_chunks(const Shared& with, const ByteRanges& ranges, std::span<const ParseCosts> costs) {
  const ParseScope& scope = with.scope;
  with.pool.set_phase(PhaseId::kParse);
  const auto most_covers = static_cast<std::size_t>(scope.bytes_per_cover ? scope.chunk_bytes / scope.bytes_per_cover : 0);
  const std::size_t together = costs_at_a_time(costs.size(), ranges.size(), with.pool.thread_count(), scope);
  const std::size_t parts = (costs.size() + together - 1) / together;
  std::vector<Covers> chunks(costs.size() * ranges.size());
  with.pool.for_each(parts * ranges.size(), [&](std::size_t i) {
    const std::size_t chunk = i / parts;
    const std::size_t first = i % parts * together;
    const auto sets = costs.subspan(first, std::min(together, costs.size() - first));
    const auto [begin, end] = ranges[chunk];
    const Span span(with.pool.timeline(), PhaseId::kParse, chunk, end - begin);
    const auto grams = with.tables.lend([&] {
      return std::make_unique<SourceGrams>(with.source, scope.gram_blocks, with.params.gram_bytes);
    });
    const ParseTask task{with.source, with.target, with.seeds, sets, with.params.beam, with.params.long_grams,
                         with.miss_scale, begin, end};
    std::vector<Covers> parsed = parse_chunk(task, with.anchors, *grams, with.pool.watch());
    for (std::size_t set = 0; set < parsed.size(); ++set) {
      if (most_covers != 0) keep_longest(parsed[set], most_covers);
      chunks[(first + set) * ranges.size() + chunk] = std::move(parsed[set]);
    }
  });
  std::vector<Covers> found;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    found.push_back(join_chunks(std::span(chunks).subspan(i * ranges.size(), ranges.size())));
  }
  return found;
}

// Those that do best in a sample, or the first where nothing changes.
std::vector<ParseCosts> chosen_costs(const Shared& with, const std::vector<ParseCosts>& costs, const CostChoice& choice) {
  const ByteRanges sample = sample_changes(with.source, with.target, with.seeds, choice.sample_bytes, with.pool);
  if (sample.empty()) return {costs.front()};
  with.pool.begin_stage(CostChoice::kParsed, costs.size() * total_bytes(sample));
  std::vector<ParseCosts> chosen;
  for (const std::size_t i : choice.best_of(parse_chunks(with, sample, costs), sample, with.seeds)) {
    chosen.push_back(costs[i]);
  }
  return chosen;
}

}  // namespace

std::vector<Covers> parse_covers(ByteSpan source, ByteSpan target, const Covers& seeds, const ParseParams& params,
                                 std::span<const std::uint8_t> miss_scale, WorkerPool& pool, const ParseScope& scope,
                                 const CostChoice* choice) {
  pool.set_phase(PhaseId::kParse);
  const CoverChanges changes = cover_changes(source, target, seeds);
  if (choice && choice->found_so_far) choice->found_so_far(changes, false);
  std::vector<ParseCosts> costs = costs_for(target, seeds, changes, params);
  const std::uint64_t read_bytes = scope.anchors.ranges.empty() ? source.size() : total_bytes(scope.anchors.ranges);
  pool.begin_stage(kAnchored, read_bytes + target.size());
  AnchorTable anchors;
  anchors.build(source, target, seeds, params.anchor_shift, pool, scope.anchors);
  FreeList<SourceGrams> tables;
  const Shared with{source, target, seeds, params, miss_scale, scope, anchors, tables, pool};
  bool chooses = choice && (choice->of_one || costs.size() > 1) && changes.changed_bytes() >= choice->least_changed_bytes;
  if (choice && choice->are_cheap && choice->are_cheap(seeds, costs.front())) {
    chooses = chooses || costs.size() == 1;  // two parses of the whole would take twice the time
    costs.push_back(with_cheap_covers(costs.front()));
  }
  if (chooses) costs = chosen_costs(with, costs, *choice);
  if (costs.empty()) return {};
  // A chunk may have a share of the covers that fit into memory; then it stays as large as that was reckoned for.
  const std::uint64_t parsed_bytes = scope.targets.empty() ? target.size() : total_bytes(scope.targets);
  const std::uint64_t chunk_bytes =
      scope.bytes_per_cover == 0 ? even_task_bytes(parsed_bytes, scope.chunk_bytes) : scope.chunk_bytes;
  pool.begin_stage(1, costs.size() * parsed_bytes);
  return parse_chunks(with, cut_ranges(scope.targets, target.size(), chunk_bytes), costs);
}

}  // namespace bdelta
