// Memory: what a level takes, and how it gives way to a limit.
#pragma once

#include "create/level.hpp"
#include "bdelta/create.hpp"

namespace bdelta {

// Makes the index of `settings` sparser until everything fits options.memory_limit_bytes; kMemoryLimit with the figure
// that would do if nothing fits. heap_bytes: inputs that are not mapped.
Status fit_memory(const CreateOptions& options, std::uint64_t source_size, std::uint64_t heap_bytes,
                  LevelSettings& settings);

}  // namespace bdelta
