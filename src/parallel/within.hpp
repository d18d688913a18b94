// Pieces of work that take much memory: as many at a time as fit into a limit.
#pragma once

#include <functional>
#include <optional>
#include <queue>
#include <vector>

#include "base/guard.hpp"
#include "bdelta/error.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// How many pieces of work, in order, may be under way at a time: where any `thread_count` of them stay within most_bytes.
class Wave {
 public:
  Wave(unsigned thread_count, std::uint64_t most_bytes) : thread_count_(thread_count), most_bytes_(most_bytes) {}

  // False if one that takes so much memory has to wait for those before it.
  [[nodiscard]] bool take(std::uint64_t memory_bytes) {
    const bool first = largest_.empty();
    largest_.push(memory_bytes);
    sum_bytes_ += memory_bytes;
    if (largest_.size() > thread_count_) {
      sum_bytes_ -= largest_.top();
      largest_.pop();
    }
    return first || sum_bytes_ <= most_bytes_;
  }

 private:
  const std::size_t thread_count_;
  const std::uint64_t most_bytes_;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> largest_;  // the least on top
  std::uint64_t sum_bytes_ = 0;
};

// for_each of the pool for bodies that can fail: the first error by index. What is under way at a time stays within
// most_bytes of memory, of which piece i takes memory_of(i).
template <class MemoryOf, class Body>
Status for_each_within(WorkerPool& pool, std::size_t count, std::uint64_t most_bytes, const MemoryOf& memory_of,
                       const Body& body) {
  std::vector<std::optional<Error>> errors(count);
  for (std::size_t begin = 0; begin < count;) {
    Wave wave(pool.thread_count(), most_bytes);
    std::size_t end = begin;
    while (end < count && wave.take(memory_of(end))) ++end;
    pool.for_each(end - begin, [&](std::size_t i) {
      Status status = guarded([&] { return body(begin + i); });
      if (!status) errors[begin + i] = std::move(status).error();
    });
    begin = end;
  }
  for (std::optional<Error>& error : errors) {
    if (error) return std::move(*error);
  }
  return {};
}

}  // namespace bdelta
