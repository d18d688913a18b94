// The time of day as manifests tell it.
#include "bdelta/utc_time.hpp"

#include <cstdlib>

#include "support/expect.hpp"

namespace bdelta::cli::utc_time_test {
namespace {

TEST(UtcTime, IsRfc3339) {
  EXPECT_EQ("1970-01-01T00:00:00Z", rfc3339(0));
  EXPECT_EQ("2000-02-29T23:59:59Z", rfc3339(951'868'799));
  EXPECT_EQ("2001-09-09T01:46:40Z", rfc3339(1'000'000'000));
  EXPECT_EQ("9999-12-31T23:59:59Z", rfc3339(253'402'300'799));
}

TEST(UtcTime, OfBuildsThatAreToBeReproducible) {
  ::unsetenv("SOURCE_DATE_EPOCH");
  auto epoch = source_date_epoch();
  ASSERT_OK(epoch);
  EXPECT_EQ(std::nullopt, *epoch);
  for (const auto& [text, seconds] : {std::pair("0", 0ull), std::pair("1700000000", 1'700'000'000ull),
                                      std::pair("253402300799", 253'402'300'799ull)}) {
    ::setenv("SOURCE_DATE_EPOCH", text, 1);
    epoch = source_date_epoch();
    ASSERT_OK(epoch);
    EXPECT_EQ(seconds, *epoch);
  }
  for (const char* const text : {"", "-1", "now", "1.5", "1K", " 1", "253402300800", "99999999999999999999"}) {
    ::setenv("SOURCE_DATE_EPOCH", text, 1);
    EXPECT_FAILS(ErrorCode::kUsage, source_date_epoch());
  }
  ::unsetenv("SOURCE_DATE_EPOCH");
}

}  // namespace
}  // namespace bdelta::cli::utc_time_test
