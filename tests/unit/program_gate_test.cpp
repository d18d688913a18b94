// What differs in a file and in its programs, which says whether prediction is worth a thought.
#include "create/program_gate.hpp"

#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::program_gate_test {
namespace {

// Bytes of no cover differ, too.
TEST(PlainChanges, AreThoseOfEachByte) {
  constexpr std::size_t kSize = 30'000;
  const Bytes source = random_bytes(kSize, 9);
  Bytes target = source;
  for (std::size_t i = 0; i < kSize; i += 37) target[i] ^= 0x55;
  const Covers covers = {{100, 100, 9'900}, {10'003, 10'003, 7}, {10'020, 10'020, 9'000}, {29'000, 29'000, 1'000}};
  std::vector<exe::Image> images(2);
  images[0].sections.push_back({500, 1'000, 0x1000, 1'000, exe::SectionKind::kCode});
  images[1].sections.push_back({10'000, 10'000, 0x1000, 10'000, exe::SectionKind::kCode});
  images[1].sections.push_back({10'000, 0, 0x9000, 0, exe::SectionKind::kData});  // no bytes
  images[1].sections.push_back({15'000, 10'000, 0x9000, 10'000, exe::SectionKind::kData});  // both share bytes
  std::vector<bool> differs(kSize, true);
  for (const Cover& cover : covers) {
    for (std::uint64_t i = cover.target_pos; i < cover.target_end(); ++i) differs[i] = source[i] != target[i];
  }
  PlainChanges expected;
  for (std::size_t i = 0; i < kSize; ++i) {
    const bool of_program = (i >= 500 && i < 1'500) || (i >= 10'000 && i < 25'000);
    expected.all_bytes += differs[i];
    expected.program_bytes += differs[i] && of_program;
  }
  for (const unsigned threads : {1u, 3u}) {
    WorkerPool pool(threads);
    const PlainChanges changes = count_changes(source, target, covers, images, pool);
    EXPECT_EQ(expected.all_bytes, changes.all_bytes);
    EXPECT_EQ(expected.program_bytes, changes.program_bytes);
  }
}

// Fields: how many, predicted right, copied right, missed by prediction, missed by copies.
TEST(SavedBytes, AreThoseOfKindsThatPredictionForetellsBetter) {
  exe::KindCounts counts{};
  EXPECT_EQ(0U, saved_bytes(counts, 8));
  counts[0] = {10'000, 100, 9'900, 30'000, 100};
  EXPECT_EQ(0U, saved_bytes(counts, 8)) << "a kind that is foretold worse is left out and takes nothing from the others";
  counts[1] = {10'000, 9'900, 5'000, 100, 10'100};
  counts[2] = {10, 10, 9, 0, 3};
  EXPECT_EQ(8U * 10'003, saved_bytes(counts, 8));
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
