// Finds the header checksums of archives in the target that an applier can compute (delta/header_sums.hpp).
#pragma once

#include <vector>

#include "delta/header_sums.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// What is to stand in the target instead of a checksum, so that it costs nothing.
struct OtherSum {
  std::uint64_t pos = 0;  // in the target
  HeaderSum bytes{};
  bool operator==(const OtherSum&) const = default;
};

struct LeftOutSums {
  HeaderSumSpans spans;           // sound; proven: all headers in them have the checksum that an applier computes
  std::vector<OtherSum> others;   // inside the spans, in the order of the target
};

// Where enough checksums have changed to be worth a record; nothing else.
[[nodiscard]] LeftOutSums find_header_sums(ByteSpan source, ByteSpan target, WorkerPool& pool);

}  // namespace bdelta
