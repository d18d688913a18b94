// What is told of the time left: once it can be told, right for even work, and soon right after a change of pace.
#include "cli/time_left.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/text.hpp"

namespace bdelta::cli::time_left_test {
namespace {

TEST(TimeLeft, SaysNothingBeforeItCan) {
  TimeLeft left;
  EXPECT_FALSE(left.update(0, 0));
  EXPECT_FALSE(left.update(0.3, 0.2));     // too soon
  EXPECT_TRUE(left.update(0.3, 0.6));
  TimeLeft slow;
  EXPECT_FALSE(slow.update(0.001, 20));    // too little done
  EXPECT_TRUE(slow.update(0.03, 600));
  TimeLeft idle;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(idle.update(0, i));
}

TEST(TimeLeft, IsRightForEvenWork) {
  TimeLeft left;
  for (int i = 1; i <= 100; ++i) {
    const auto seconds = left.update(i / 100.0, i * 0.5);
    EXPECT_EQ(i > 1, seconds.has_value());
    EXPECT_NEAR(50 - i * 0.5, seconds.value_or(49.5), 1e-9) << i;
  }
}

TEST(TimeLeft, DoesNotCountWhatPassedBeforeWorkBegan) {
  TimeLeft left;
  for (int i = 0; i <= 30; ++i) EXPECT_FALSE(left.update(0, i));
  for (int i = 1; i <= 9; ++i) {
    const auto seconds = left.update(i / 10.0, 30 + i);
    ASSERT_TRUE(seconds);
    EXPECT_NEAR(10 - i, *seconds, 1e-9);
  }
}

TEST(TimeLeft, FollowsTheMeanPaceAndNeverJumps) {
  TimeLeft left;
  double share = 0;
  double before = 24.5;
  for (int i = 1; i <= 400; ++i) {  // a tenth of a second each; from 10 s on a quarter as fast, but for a leap at 20 s
    share += i == 200 ? 0.1 : i <= 100 ? 0.004 : 0.001;
    const auto seconds = left.update(share, i / 10.0);
    ASSERT_EQ(i >= 5, seconds.has_value());
    EXPECT_LT(std::abs(seconds.value_or(before) - before), 0.8) << i;
    before = seconds.value_or(before);
  }
  EXPECT_NEAR(40 / share - 40, before, 1.5);
}

TEST(TimeLeft, EndsWithNothingAndIsNeverNegative) {
  TimeLeft left;
  (void)left.update(0.5, 1);
  EXPECT_GE(*left.update(0.99, 500), 0);
  EXPECT_GE(*left.update(0.999, 501), 0);
  EXPECT_EQ(0, *left.update(1, 502));
  TimeLeft at_once;
  EXPECT_EQ(0, *at_once.update(1, 0));
}

TEST(DurationText, IsShort) {
  EXPECT_EQ("0 s", duration_text(0));
  EXPECT_EQ("1 s", duration_text(0.01));
  EXPECT_EQ("59 s", duration_text(58.2));
  EXPECT_EQ("1 min 00 s", duration_text(59.5));
  EXPECT_EQ("3 min 05 s", duration_text(185));
  EXPECT_EQ("1 h 02 min", duration_text(3725));
  EXPECT_EQ("99 h 59 min", duration_text(1e300));
}

}  // namespace
}  // namespace bdelta::cli::time_left_test
