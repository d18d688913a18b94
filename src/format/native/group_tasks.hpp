// What there is to compress for groups, in pieces that threads take one by one.
#pragma once

#include "format/native/group_choice.hpp"

namespace bdelta::native {

// In place of a stream: the context coder, and the first lane of modelled bytes.
inline constexpr std::size_t kPack = kStreamCount;
inline constexpr std::size_t kFirstLane = kStreamCount + 1;

// One piece of work for a thread.
struct Task {
  std::size_t group;
  std::size_t stream;
  std::size_t raw_bytes;
  bool quick = false;  // by kQuickCodec for now, to see whether the context coder is ahead of the slow one anyway
};

// The codec of a stream.
[[nodiscard]] const CodecSettings& settings_of(const WriterSettings& settings, std::size_t stream) noexcept;

// Streams that the context coder is tried with, as bits.
[[nodiscard]] unsigned trial_streams(const GroupDraft& draft, const GroupChoices& made,
                                     const WriterSettings& settings) noexcept;

// Each stream by its codec, but for literals that are known, and numbers by the context coder. Where the model of
// misses may make all else vain, the residual goes through a fast codec for now, and the context coder waits. All
// lists: the longest first, so that no thread is left alone with one at the end; the result does not depend on the
// order.
[[nodiscard]] std::vector<Task> list_first_tasks(const std::vector<GroupDraft>& drafts, const WriterSettings& settings,
                                                 const LiteralCache& cache, const std::vector<GroupChoices>& choices);

// Contents by their models.
[[nodiscard]] std::vector<Task> list_lanes(const std::vector<GroupDraft>& drafts, const std::vector<GroupChoices>& choices);

// Numbers by the context coder, where it has waited.
[[nodiscard]] std::vector<Task> list_late_trials(const std::vector<GroupDraft>& drafts, const WriterSettings& settings,
                                                 const std::vector<GroupChoices>& choices);

// Those of the first tasks that went through a fast codec, where no other form is far ahead of that.
[[nodiscard]] std::vector<Task> list_open_tasks(const std::vector<Task>& first, const std::vector<GroupDraft>& drafts,
                                                const WriterSettings& settings, const std::vector<GroupChoices>& choices);

// What a task takes.
[[nodiscard]] std::uint64_t memory_of(const Task& task, const GroupDraft& draft, const WriterSettings& settings);

}  // namespace bdelta::native
