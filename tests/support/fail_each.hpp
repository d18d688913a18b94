// Every allocation of a piece of work fails in turn. The hooks that make them fail belong to the test program, because
// there can be one set of them only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <new>

#include "bdelta/error.hpp"

namespace bdelta::test {

constexpr long kAllocationsInTurn = 2000;  // each of the first ones fails; of those beyond, as many again evenly spread
constexpr long kMostAllocations = 1L << 40;

// `left` is the count of allocations that still succeed, negative for all; the hook sets it to -1 when it fails one, so
// that the error can be reported. `work` gives a Result; `check(succeeded)` looks at what is left of each run.
template <class Work, class Check>
void fail_each_allocation(std::atomic<long>& left, Work work, Check check) {
  left = kMostAllocations;
  const bool sound = static_cast<bool>(work());
  const long total = kMostAllocations - left.exchange(-1);
  ASSERT_TRUE(sound);
  check(true);
  ASSERT_GT(total, 0) << "the hook does not count";
  const long step = std::max(1L, (total - kAllocationsInTurn) / kAllocationsInTurn);
  for (long nth = 0; nth < total; nth += nth < kAllocationsInTurn ? 1 : step) {
    bool succeeded = false;
    bool escaped = false;
    ErrorCode code{};
    left = nth;
    try {
      const auto result = work();
      succeeded = static_cast<bool>(result);
      if (!result) code = result.error().code;
    } catch (const std::bad_alloc&) {
      escaped = true;
    }
    left = -1;
    ASSERT_FALSE(escaped) << "std::bad_alloc came out of the library at allocation " << nth << " of " << total;
    ASSERT_TRUE(succeeded || code == ErrorCode::kOutOfMemory)
        << error_name(code) << " at allocation " << nth << " of " << total;
    check(succeeded);
    if (::testing::Test::HasFailure()) return;
  }
}

template <class Work>
void fail_each_allocation(std::atomic<long>& left, Work work) {
  fail_each_allocation(left, work, [](bool) {});
}

}  // namespace bdelta::test
