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

// Too few fields tell nothing, and a share of none asks for none.
TEST(ForetoldFields, AreCountedOverTheKindsThatFit) {
  exe::KindCounts counts{};
  counts[0] = {6'000, 1'000, 0, 0, 0};
  counts[1] = {6'000, 999, 6'000, 0, 0};
  counts[2] = {6'000, 0, 0, 0, 0};
  EXPECT_FALSE(are_fields_foretold(counts, 3, 6));
  EXPECT_TRUE(are_fields_foretold(counts, 3, 7));
  EXPECT_TRUE(are_fields_foretold(counts, 3, 0));
  EXPECT_TRUE(are_fields_foretold(counts, 1, 6));
  EXPECT_FALSE(are_fields_foretold(counts, 7, 7));
  ++counts[1].right_count;
  EXPECT_TRUE(are_fields_foretold(counts, 3, 6));
  EXPECT_TRUE(are_fields_foretold({exe::KindCount{100, 0, 0, 0, 0}}, 1, 6));
  EXPECT_FALSE(are_fields_foretold({exe::KindCount{100'000, 0, 0, 0, 0}}, 1, 6));
}

// Fields: how many, predicted right, copied right, missed by prediction, missed by copies.
TEST(ChangedFields, AreThoseThatPredictionPutsRight) {
  exe::KindCounts counts{};
  counts[0] = {10'000, 10'000, 9'900, 100, 1'100};
  counts[1] = {10'000, 10'000, 0, 0, 50'000};
  EXPECT_TRUE(are_fields_changed(counts, 1, 2'000));
  EXPECT_FALSE(are_fields_changed(counts, 1, 1'000'000));
  EXPECT_TRUE(are_fields_changed(counts, 3, 1'000'000)) << "the second kind counts";
  counts[0].plain_count = 5'000;
  EXPECT_TRUE(are_fields_changed(counts, 1, 1'000'000)) << "half of all fields are wrong";
  EXPECT_TRUE(are_fields_changed({exe::KindCount{100, 100, 100, 0, 0}}, 1, 1'000'000)) << "too few to tell";
}

}  // namespace
}  // namespace bdelta::test::program_gate_test
