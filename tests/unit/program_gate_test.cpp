// What says whether prediction is worth its time.
#include "create/program_gate.hpp"

#include "support/expect.hpp"

namespace bdelta::test::program_gate_test {
namespace {

// Fields: how many, predicted right, copied right, missed by prediction, missed by copies.
TEST(SavedBytes, AreThoseOfKindsThatPredictionForetellsBetter) {
  exe::KindCounts counts{};
  EXPECT_EQ(0U, saved_bytes(counts));
  counts[0] = {10'000, 100, 9'900, 30'000, 100};
  EXPECT_EQ(0U, saved_bytes(counts)) << "a kind that is predicted worse is left out and takes nothing from the others";
  counts[1] = {10'000, 9'900, 5'000, 100, 10'100};
  counts[2] = {10, 10, 9, 0, 3};
  EXPECT_EQ(10'003U, saved_bytes(counts));
}

TEST(Prediction, IsWorthWhatSavedBytesMayTake) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  EXPECT_FALSE(is_prediction_worth_it(0, 0, 1000)) << "nothing is saved";
  EXPECT_FALSE(is_prediction_worth_it(kMiB, 0, 0)) << "a byte may take no time";
  EXPECT_FALSE(is_prediction_worth_it(0, kMiB, ~std::uint64_t{0}));
  std::uint64_t least = 0;
  while (!is_prediction_worth_it(least, 100 * kMiB, 100'000)) least += 1000;
  EXPECT_TRUE(is_prediction_worth_it(least / 2, 50 * kMiB, 100'000)) << "half of the file takes half of the time";
  EXPECT_FALSE(is_prediction_worth_it(least / 2, 100 * kMiB, 100'000));
  EXPECT_TRUE(is_prediction_worth_it(least / 2, 100 * kMiB, 300'000)) << "a byte may take more";
}

}  // namespace
}  // namespace bdelta::test::program_gate_test
