#include "format/native/group_tasks.hpp"

#include <algorithm>

#include "base/deciding/coding.hpp"
#include "format/native/compress_probe.hpp"
#include "format/native/packed_choice.hpp"

namespace bdelta::native {
namespace {

// Whether it is worth waiting for the context coder before a stream goes through its codec.
bool is_packed_first(const GroupDraft& draft, std::size_t stream, const WriterSettings& settings) noexcept {
  const bool slow = settings_of(settings, stream).id == CodecId::kLzma && draft.streams[stream].size() >= kQuickStreamBytes;
  return slow && settings.model && (streams_to_pack(draft, settings.model_values) >> stream & 1) != 0;
}

void sort_tasks(std::vector<Task>& tasks) {
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.raw_bytes > b.raw_bytes; });
}

// What the context coder makes of the numbers of a group.
void add_trial(const std::vector<GroupDraft>& drafts, std::size_t group, const WriterSettings& settings,
               const GroupChoices& made, std::vector<Task>& tasks) {
  if (!settings.model) return;
  std::size_t number_bytes = 0;
  for (std::size_t s = 0; s <= kResidualValues; ++s) {
    if (!made.misses_settled || !is_residual(s)) number_bytes += drafts[group].streams[s].size();
  }
  const bool are_few = number_bytes <= settings.model_most_bytes &&
                       (settings.model_target_share == 0 ||
                        number_bytes <= drafts[group].target_bytes() / settings.model_target_share);
  if (number_bytes > 0 && are_few) tasks.push_back({group, kPack, number_bytes});
}

}  // namespace

const CodecSettings& settings_of(const WriterSettings& settings, std::size_t stream) noexcept {
  if (stream == kLiterals) return settings.literals;
  return stream == kResidualValues ? settings.values : settings.numbers;
}

unsigned trial_streams(const GroupDraft& draft, const GroupChoices& made, const WriterSettings& settings) noexcept {
  unsigned streams = streams_to_pack(draft, settings.model_values);
  for (const StreamId s : kResidualStreams) streams &= ~(made.misses_settled ? 1u << s : 0u);
  return streams;
}

std::vector<Task> list_first_tasks(const std::vector<GroupDraft>& drafts, const WriterSettings& settings,
                                   const LiteralCache& cache, const std::vector<GroupChoices>& choices) {
  std::vector<Task> tasks;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    const GroupDraft& draft = drafts[g];
    const bool modelled_misses = choices[g].modelled.scope.misses;
    for (std::size_t s = 0; s < kStreamCount; ++s) {
      const std::size_t raw_bytes = draft.streams[s].size();
      if (raw_bytes == 0 || (s == kLiterals && cache.knows(g))) continue;
      tasks.push_back({g, s, raw_bytes, is_packed_first(draft, s, settings) || (modelled_misses && is_residual(s))});
    }
    if (!modelled_misses) add_trial(drafts, g, settings, choices[g], tasks);
  }
  sort_tasks(tasks);
  return tasks;
}

std::vector<Task> list_lanes(const std::vector<GroupDraft>& drafts, const std::vector<GroupChoices>& choices) {
  std::vector<Task> tasks;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    const std::size_t raw_bytes = drafts[g].streams[kLiterals].size() + drafts[g].streams[kResidualValues].size();
    for (std::size_t lane = 0; lane < choices[g].modelled.lanes.size(); ++lane) {
      tasks.push_back({g, kFirstLane + lane, raw_bytes});
    }
  }
  sort_tasks(tasks);
  return tasks;
}

std::vector<Task> list_late_trials(const std::vector<GroupDraft>& drafts, const WriterSettings& settings,
                                   const std::vector<GroupChoices>& choices) {
  std::vector<Task> tasks;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    if (!choices[g].trial) add_trial(drafts, g, settings, choices[g], tasks);
  }
  sort_tasks(tasks);
  return tasks;
}

std::vector<Task> list_open_tasks(const std::vector<Task>& first, const std::vector<GroupDraft>& drafts,
                                  const WriterSettings& settings, const std::vector<GroupChoices>& choices) {
  std::vector<Task> tasks;
  for (const Task& task : first) {
    const GroupChoices& made = choices[task.group];
    const bool settled = made.misses_settled && is_residual(task.stream);
    if (!task.quick || settled || is_far_ahead(drafts[task.group], made, task.stream, settings)) continue;
    tasks.push_back({task.group, task.stream, task.raw_bytes});
  }
  return tasks;
}

std::uint64_t memory_of(const Task& task, const GroupDraft& draft, const WriterSettings& settings) {
  if (task.stream == kPack) return packer_memory_bytes(draft);
  if (task.stream >= kFirstLane) return modelled_packer_bytes(settings.window_bytes);
  return codec_memory_bytes(settings_of(settings, task.stream), task.raw_bytes);
}

}  // namespace bdelta::native
