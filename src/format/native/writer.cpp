#include "format/native/writer.hpp"

#include <algorithm>
#include <new>
#include <optional>

#include "base/try.hpp"

namespace bdelta::native {

namespace {

constexpr std::uint64_t kStreamOverhead = 6;  // bytes of tables and frame that a stream of its own takes

}  // namespace

const CodecSettings& Writer::settings_of(std::size_t stream) const noexcept {
  if (stream == kLiterals) return settings_.literals;
  return stream == kResidualValues ? settings_.values : settings_.numbers;
}

// A group in the making: each stream by its codec, then those packed that are smaller so.
struct Choices {
  CodedStreams coded;
  std::optional<PackedGroup> trial;  // all streams packed that may be, to see what each costs
};

namespace {

constexpr std::size_t kPack = kStreamCount;  // in place of a stream

// One piece of work for a thread.
struct Task {
  std::size_t group;
  std::size_t stream;
  std::size_t raw_bytes;
};

std::vector<Task> list_tasks(const std::vector<GroupDraft>& drafts, bool model) {
  std::vector<Task> tasks;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    std::size_t number_bytes = 0;
    for (std::size_t s = 0; s < kStreamCount; ++s) {
      const std::size_t raw_bytes = drafts[g].streams[s].size();
      if (raw_bytes > 0) tasks.push_back({g, s, raw_bytes});
      if (s <= kResidualValues) number_bytes += raw_bytes;
    }
    if (model && number_bytes > 0) tasks.push_back({g, kPack, number_bytes});
  }
  // The longest first, so that no thread is left alone with one at the end. The result does not depend on the order.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.raw_bytes > b.raw_bytes; });
  return tasks;
}

PackedGroup pack_trial(const GroupDraft& draft, std::uint64_t most_values) {
  unsigned streams = kModelStreams;
  if (draft.streams[kResidualValues].size() > most_values) streams &= ~(1u << kResidualValues);
  return pack_group(draft, fitting_scope(draft, streams));
}

std::uint64_t coded_bytes(const CodedStream& stream) {
  std::uint64_t bytes = 0;
  for (const Bytes& frame : stream.frames) bytes += frame.size();
  return bytes;
}

// The streams that the context coder made smaller, as bits.
unsigned winners(const PackedGroup& trial, const std::vector<CodedStream>& streams) {
  unsigned won = 0;
  for (std::size_t s = 0; s <= kResidualValues; ++s) {
    const bool better = trial.cost_bytes[s] < coded_bytes(streams[s]) + kStreamOverhead;
    if (trial.scope.has(s) && better) won |= 1u << s;
  }
  return won;
}

// Drops the trial or makes it the group's packed form, whichever gives fewer bytes in the patch.
CodedGroup assemble_smallest(const GroupDraft& draft, Choices& choices) {
  CodedGroup best = assemble_group(draft, choices.coded);
  if (!choices.trial) return best;
  const unsigned won = winners(*choices.trial, choices.coded.streams);
  if (won == 0) return best;
  if (won != choices.trial->scope.streams) choices.trial = pack_group(draft, fitting_scope(draft, won));
  std::swap(choices.coded.packed, choices.trial);
  CodedGroup packed = assemble_group(draft, choices.coded);
  if (packed.body_bytes < best.body_bytes) return packed;
  choices.coded.packed.reset();
  return best;
}

Status run_task(const Task& task, const GroupDraft& draft, const CodecSettings& settings, std::uint64_t most_values,
                Choices& made) {
  if (task.stream == kPack) {
    made.trial = pack_trial(draft, most_values);
    return {};
  }
  BDELTA_ASSIGN(made.coded.streams[task.stream], compress_stream(draft.streams[task.stream], settings));
  return {};
}

}  // namespace

Status Writer::compress(const std::vector<GroupDraft>& drafts, std::vector<Choices>& choices) const {
  const std::vector<Task> tasks = list_tasks(drafts, settings_.model);
  std::vector<std::optional<Error>> errors(tasks.size());
  pool_.for_each(tasks.size(), [&](std::size_t i) {
    const Task& task = tasks[i];
    const Span span(pool_.timeline(), PhaseId::kCompress, task.stream, task.raw_bytes);
    try {
      Status done = run_task(task, drafts[task.group], settings_of(task.stream), settings_.model_values,
                             choices[task.group]);
      if (!done) errors[i] = std::move(done).error();
    } catch (const std::bad_alloc&) {
      errors[i] = Error{ErrorCode::kOutOfMemory, "while compressing"};
    }
  });
  for (std::optional<Error>& error : errors) {
    if (error) return std::move(*error);
  }
  return {};
}

void Writer::count(const GroupDraft& draft, const CodedStreams& coded) {
  for (std::size_t s = 0; s < kStreamCount; ++s) {
    totals_.raw[s] += draft.streams[s].size();
    const bool packed = coded.packed && coded.packed->scope.has(s);
    totals_.coded[s] += packed ? coded.packed->cost_bytes[s] : coded_bytes(coded.streams[s]);
  }
}

Status Writer::add_groups(std::vector<GroupDraft>& drafts) {
  std::vector<Choices> choices(drafts.size());
  BDELTA_TRY(compress(drafts, choices));
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    const CodedGroup group = assemble_smallest(drafts[g], choices[g]);
    count(drafts[g], choices[g].coded);
    limits_.group_bytes = std::max(limits_.group_bytes, group.body_bytes);
    limits_.decoder_memory_bytes = std::max(limits_.decoder_memory_bytes, group.memory_bytes);
    for (const WindowRecord& window : drafts[g].windows) {
      if (!window.plain) limits_.window_bytes = std::max(limits_.window_bytes, window.target_length);
    }
    BDELTA_TRY(body_.append(group.record));
  }
  return {};
}

Status Writer::finish() {
  const std::uint8_t end = static_cast<std::uint8_t>(RecordTag::kEnd);
  return body_.append({&end, 1});
}

void Writer::declare(Header& header) const {
  header.window_bytes = limits_.window_bytes;
  header.group_bytes = limits_.group_bytes;
  header.decoder_memory_bytes = limits_.decoder_memory_bytes;
}

}  // namespace bdelta::native
