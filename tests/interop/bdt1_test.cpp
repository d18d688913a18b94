// What we write of version 1 is right for a reader like the original. That what the original wrote is right for us takes
// a corpus (corpus/corpus_test.cpp).
#include "format/bdt1/writer.hpp"
#include "interop/reference_bdt1.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test::bdt1_test {
namespace {

void expect_reference_applies(const Bytes& source, const Bytes& target, const Bytes& patch) {
  const ReferenceResult result = reference_bdt1_apply(source, patch);
  ASSERT_TRUE(result.ok) << result.complaint;
  ASSERT_TRUE(same_bytes(target, result.target));
}

class WrittenByUs : public ::testing::TestWithParam<int> {
 protected:
  void round(const Bytes& source, const Bytes& target) const {
    const auto patch = make_patch(source, target, create_options(GetParam(), PatchFormat::kBdt1));
    ASSERT_OK(patch);
    expect_reference_applies(source, target, *patch);
  }
};

TEST_P(WrittenByUs, EditedFiles) {
  Random random(1);
  for (int i = 0; i < 40; ++i) {
    const auto size = static_cast<std::size_t>(random.between(1, 80'000));
    const Bytes source = i % 2 == 0 ? wordy_bytes(size, random.next()) : random_bytes(size, random.next());
    SCOPED_TRACE(i);
    round(source, edited(source, random_edits(static_cast<std::size_t>(random.below(25)), size, 2000, random.next())));
  }
}

TEST_P(WrittenByUs, BlocksInReverseOrderAreBackwardSteps) {
  const Bytes source = random_bytes(200'000, 2);
  Bytes target;
  for (std::size_t block = 40; block-- > 0;) append(target, ByteSpan(source).subspan(block * 5000, 5000));
  const auto patch = make_patch(source, target, create_options(GetParam(), PatchFormat::kBdt1));
  ASSERT_OK(patch);
  expect_reference_applies(source, target, *patch);
  EXPECT_LT(patch->size(), 3000u) << "the blocks were not found, so nothing went backwards";
}

TEST_P(WrittenByUs, ScatteredChangesInsideCovers) {
  const Bytes source = random_bytes(300'000, 3);
  Bytes target = source;
  for (std::size_t i = 0; i < target.size(); i += 1 + i % 97) target[i] ^= 3;
  round(source, target);
}

TEST_P(WrittenByUs, Degenerate) {
  const Bytes some = wordy_bytes(3000, 4);
  round({}, {});
  round({}, some);
  round(some, {});
  round(some, some);
  round(Bytes(100'000), Bytes(123'456));
}

INSTANTIATE_TEST_SUITE_P(Levels, WrittenByUs, ::testing::Values(1, 3, 6));

TEST(LowerCovers, KeepsExactStretchesThatPay) {
  const Bytes source = random_bytes(1000, 5);
  Bytes target = source;
  target[100] ^= 1;
  target[110] ^= 1;  // nine equal bytes between: dearer as a match than as literals
  target[500] ^= 1;
  const Covers exact = bdt1::lower_covers(source, target, {{0, 0, 1000}});
  EXPECT_EQ(Covers({{0, 0, 100}, {111, 111, 389}, {501, 501, 499}}), exact);
}

}  // namespace
}  // namespace bdelta::test::bdt1_test
