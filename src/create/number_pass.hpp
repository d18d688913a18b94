// Learns by how much the numbers in a source's lists of types have moved (delta/moved_numbers.hpp).
#pragma once

#include "bdelta/io.hpp"
#include "delta/moved_numbers.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// No lists if the files have none, or if moving their numbers would not make the patch smaller. Depends on no thread count.
[[nodiscard]] MovedNumbers learn_moved_numbers(ByteSpan source, ByteSpan target, WorkerPool& pool);

// Puts the other numbers into the source, for which they were learned.
void move_numbers(MutableByteSpan source, const MovedNumbers& numbers);

}  // namespace bdelta
