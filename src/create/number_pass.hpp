// Learns by how much the numbers in a source's lists of types have moved (delta/moved_numbers.hpp).
#pragma once

#include "bdelta/io.hpp"
#include "delta/moved_numbers.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// No lists if the files have none, or if moving their numbers would not make the patch smaller. What is learned is as
// check_moved_numbers wants it, and fits in a record. Depends on no thread count.
[[nodiscard]] MovedNumbers learn_moved_numbers(ByteSpan source, ByteSpan target, WorkerPool& pool);

// Of the source's lists that numbers may be learned of. The watch may be null.
[[nodiscard]] std::uint64_t learned_type_bytes(ByteSpan source, Watch* watch);

// Puts the other numbers into the source that they were learned from, whose lists are as they were. The watch may be null.
void move_numbers(MutableByteSpan source, const MovedNumbers& numbers, Watch* watch = nullptr);

}  // namespace bdelta
