// One in so many of the stretches where something changes, evenly over the target. Those with many changes take most of
// the time to parse, so it is their changed bytes that are bounded. Many short stretches tell more than few long ones:
// neighbours change alike.
#include "match/change_sample.hpp"

#include <algorithm>
#include <vector>

#include "base/deciding/parse.hpp"
#include "match/changed_bytes.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kTaskStretches = 64;

struct Stretch {
  ByteRange range;
  std::uint64_t changed_bytes;
};

struct Sample {
  ByteRanges ranges;
  std::uint64_t bytes = 0;
  std::uint64_t changed_bytes = 0;
};

// One in `every`.
Sample take(const std::vector<Stretch>& stretches, std::size_t every) {
  Sample sample;
  for (std::size_t i = every / 2; i < stretches.size(); i += every) {
    sample.ranges.push_back(stretches[i].range);
    sample.bytes += stretches[i].range.end - stretches[i].range.begin;
    sample.changed_bytes += stretches[i].changed_bytes;
  }
  return sample;
}

}  // namespace

ByteRanges sample_changes(ByteSpan source, ByteSpan target, const Covers& covers, std::uint64_t sample_bytes,
                          WorkerPool& pool) {
  const ByteRanges stretches = cut_ranges({}, target.size(), kSampleStretchBytes);
  std::vector<std::uint64_t> changed(stretches.size());
  pool.for_each((stretches.size() + kTaskStretches - 1) / kTaskStretches, [&](std::size_t task) {
    const std::size_t end = std::min<std::size_t>(stretches.size(), (task + 1) * kTaskStretches);
    const Span span(pool.timeline(), PhaseId::kParse, task, (end - task * kTaskStretches) * kSampleStretchBytes);
    for (std::size_t i = task * kTaskStretches; i < end; ++i) {
      changed[i] = changed_bytes(source, target, covers, stretches[i]);
    }
  });
  std::vector<Stretch> changing;
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (changed[i] > 0) changing.push_back({stretches[i], changed[i]});
    total += changed[i];
  }
  const std::uint64_t most_changed = std::clamp(total / kChangedShare, kAmpleChangedBytes, kMostChangedBytes);
  const auto is_too_much = [&](const Sample& sample) {
    const std::uint64_t factor = sample.changed_bytes < kAmpleChangedBytes ? kFewChangedFactor : 1;
    const std::uint64_t most_bytes = factor * sample_bytes;
    return sample.bytes > most_bytes || sample.changed_bytes > most_changed;
  };
  std::size_t every = 1;
  Sample sample = take(changing, every);
  while (is_too_much(sample) && every < changing.size()) {
    every += 1 + every / kThinnedShare;
    sample = take(changing, every);
  }
  return std::move(sample.ranges);
}

}  // namespace bdelta
