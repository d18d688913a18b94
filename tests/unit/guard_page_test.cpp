// That the page behind guarded bytes really guards: what the fuzz targets rely on in builds without AddressSanitizer.
#include "support/guard_page.hpp"

#include <gtest/gtest.h>

#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::guard_page_test {
namespace {

TEST(GuardedBytes, HoldWhatTheyWereGiven) {
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 70000u}) {
    const Bytes bytes = random_bytes(size, size);
    GuardedBytes guarded(bytes);
    EXPECT_TRUE(same_bytes(bytes, guarded.bytes())) << size;
    if (size != 0) guarded.writable().back() = 7;
  }
}

#if defined(__unix__) || defined(__APPLE__)
TEST(GuardedBytesDeathTest, OneByteFurtherIsAFault) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const std::size_t size : {0u, 5u, 4096u}) {
    const GuardedBytes guarded(random_bytes(size, 1));
    const volatile std::uint8_t* const end = guarded.bytes().data() + size;
    EXPECT_DEATH((void)*end, "") << size;
  }
}
#endif

}  // namespace
}  // namespace bdelta::test::guard_page_test
