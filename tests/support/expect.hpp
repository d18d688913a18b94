// Assertions about results and bytes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "bdelta/error.hpp"

namespace bdelta::test {

// Equal, or where the first difference is: two buffers of megabytes are no readable message.
inline ::testing::AssertionResult same_bytes(ByteSpan expected, ByteSpan found) {
  if (expected.size() != found.size()) {
    return ::testing::AssertionFailure() << "expected " << expected.size() << " bytes, found " << found.size();
  }
  const auto differ = std::mismatch(expected.begin(), expected.end(), found.begin()).first;
  if (differ == expected.end()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "first difference at byte " << (differ - expected.begin()) << " of "
                                       << expected.size();
}

}  // namespace bdelta::test

#define EXPECT_OK(expression)                                           \
  do {                                                                  \
    const auto& expect_ok_ = (expression);                              \
    EXPECT_TRUE(static_cast<bool>(expect_ok_)) << to_string(expect_ok_.error()); \
  } while (false)

#define ASSERT_OK(result) ASSERT_TRUE(static_cast<bool>(result)) << to_string((result).error())

#define EXPECT_FAILS(error_code, expression)                                      \
  do {                                                                            \
    const auto& expect_fails_ = (expression);                                     \
    ASSERT_FALSE(static_cast<bool>(expect_fails_)) << "expected a failure";       \
    EXPECT_EQ(error_code, expect_fails_.error().code) << to_string(expect_fails_.error()); \
  } while (false)
