// What single parts of the work take, for both accounts of memory: that under a limit and that without one.
#pragma once

#include "create/budget.hpp"

namespace bdelta::budget {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// Program, stacks of threads, buffers of files, and what an allocator keeps back.
inline constexpr std::uint64_t kFixedBytes = 7 * kMiB;
inline constexpr std::uint64_t kThreadBytes = kMiB / 2;
inline constexpr std::uint64_t kMostAnchorBytes = 128 * kMiB;  // filter and table of the anchors of a parse

inline constexpr std::uint64_t kFreeSegment = 4095 * kMiB;  // without a limit: positions in it have 32 bits
inline constexpr std::uint64_t kFreeSpool = 16 * kMiB;

// The level's settings, without what a limit leaves no room for.
[[nodiscard]] LevelSettings settings_for(const BudgetRequest& request);

// What one compressor, or the context coder, takes at most for a stream of so many bytes.
[[nodiscard]] std::uint64_t coder_bytes_for(const native::WriterSettings& coding, std::uint64_t stream_bytes);

// What a thread takes that seeks covers.
[[nodiscard]] std::uint64_t worker_bytes(const BudgetRequest& request, const Budget& budget);

// Inputs that are held as a whole and not mapped.
[[nodiscard]] std::uint64_t heap_bytes(const BudgetRequest& request, const Budget& budget) noexcept;

// The work as it is best, whatever memory it takes: `needed_bytes` is an estimate.
[[nodiscard]] Budget without_limit(const BudgetRequest& request);

}  // namespace bdelta::budget
