// Real pairs (testdata/pairs) there and back, at every kind of level and in both formats. The bounds on size are loose:
// they catch a matcher that has gone blind, not one that has become a little worse.
#include <filesystem>

#include "support/io_support.hpp"
#include "support/memory.hpp"

namespace bdelta::test::pairs_test {
namespace {

struct Pair {
  const char* name;
  std::size_t largest_percent;  // of NEW, at level 1
};

class RealPair : public ::testing::TestWithParam<Pair> {
 protected:
  const std::filesystem::path folder_ = std::filesystem::path(BDELTA_TESTDATA) / "pairs" / GetParam().name;
  const Bytes source_ = get(folder_ / "old");
  const Bytes target_ = get(folder_ / "new");
};

TEST_P(RealPair, ThereAndBack) {
  ASSERT_FALSE(target_.empty()) << "no such pair here; tests run in the source directory";
  std::size_t last_bytes = target_.size() * GetParam().largest_percent / 100;
  for (const int level : {1, 3, 6}) {
    const auto patch = make_patch(source_, target_, create_options(level));
    ASSERT_OK(patch);
    EXPECT_LE(patch->size(), last_bytes) << "level " << level;
    last_bytes = patch->size();
    expect_rebuilt(source_, *patch, target_);
  }
}

TEST_P(RealPair, ThereAndBackInVersion1) {
  const auto patch = make_patch(source_, target_, create_options(3, PatchFormat::kBdt1));
  ASSERT_OK(patch);
  const auto made = apply_patch(source_, *patch, Sink::kSequential, {});
  ASSERT_OK(made);
  EXPECT_TRUE(same_bytes(target_, *made));
}

INSTANTIATE_TEST_SUITE_P(Pairs, RealPair, ::testing::Values(Pair{"bpatch-elf", 25}, Pair{"sources", 10}),
                         [](const auto& pair) { return pair.index == 0 ? "BpatchElf" : "Sources"; });

}  // namespace
}  // namespace bdelta::test::pairs_test
