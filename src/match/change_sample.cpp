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
  ByteRanges changing;
  std::uint64_t total_bytes = 0, total_changed_bytes = 0;
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    if (changed[i] == 0) continue;
    changing.push_back(stretches[i]);
    total_bytes += stretches[i].end - stretches[i].begin;
    total_changed_bytes += changed[i];
  }
  const std::uint64_t most_changed_bytes = std::clamp(total_changed_bytes / kChangedShare, kAmpleChangedBytes, kMostChangedBytes);
  // Told by what is likely to be taken: to go by what is taken would prefer samples that lack where most changes.
  const auto is_too_much = [&](std::size_t every) {
    const std::uint64_t changed_bytes = total_changed_bytes / every;
    const std::uint64_t factor = changed_bytes < kAmpleChangedBytes ? kFewChangedFactor : 1;
    return total_bytes / every > factor * sample_bytes || changed_bytes > most_changed_bytes;
  };
  std::size_t every = 1;
  while (is_too_much(every) && every < changing.size()) every += 1 + every / kThinnedShare;
  ByteRanges sample;
  for (std::size_t i = every / 2; i < changing.size(); i += every) sample.push_back(changing[i]);
  return sample;
}

}  // namespace bdelta
