// What the file layer did, for tests, benchmarks and --verbose. Belongs to the caller; a null pointer counts nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace bdelta::io {

struct IoCounters {
  std::atomic<std::uint64_t> read_calls{0};   // calls into stdio or the system, not into our own buffers
  std::atomic<std::uint64_t> write_calls{0};
  std::atomic<std::uint64_t> bytes_read{0};
  std::atomic<std::uint64_t> bytes_written{0};
};

inline void count_read(IoCounters* counters, std::uint64_t bytes) noexcept {
  if (counters == nullptr) return;
  counters->read_calls.fetch_add(1, std::memory_order_relaxed);
  counters->bytes_read.fetch_add(bytes, std::memory_order_relaxed);
}

inline void count_write(IoCounters* counters, std::uint64_t bytes) noexcept {
  if (counters == nullptr) return;
  counters->write_calls.fetch_add(1, std::memory_order_relaxed);
  counters->bytes_written.fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace bdelta::io
