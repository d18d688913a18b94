// What progress goes by: shares of steps, and that they follow what is known of the files.
#include "create/work_estimate.hpp"

#include <algorithm>
#include <string_view>

#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::work_estimate_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

WorkEstimate estimate_of(int level, const LevelSettings& settings, bool verifies = true) {
  return {level, settings, WorkEstimate::Files{8 * kMiB, 8 * kMiB}, verifies};
}

TEST(WorkEstimate, TheLastStepTakesWhatIsLeft) {
  for (int level = kMinLevel; level <= kUltraLevel; ++level) {
    const LevelSettings settings = level_settings(level);
    EXPECT_EQ(1, estimate_of(level, settings).share(WorkStep::kVerify, WorkStep::kVerify)) << level;
    EXPECT_EQ(1, estimate_of(level, settings).share(WorkStep::kLoad, WorkStep::kVerify)) << level;
    EXPECT_EQ(1, estimate_of(level, settings, false).share(WorkStep::kCode, WorkStep::kCode)) << level;
  }
}

TEST(WorkEstimate, CodingTakesMoreOfWhatIsLeftTheMoreThereIsToCode) {
  const LevelSettings settings = level_settings(6);
  WorkEstimate work = estimate_of(6, settings);
  double before = 0;
  for (const std::uint64_t literals : {std::uint64_t{0}, kMiB / 64, kMiB, 8 * kMiB}) {
    work.set_streams({literals, 0});
    const double share = work.share(WorkStep::kCode, WorkStep::kCode);
    EXPECT_LT(before, share) << literals;
    EXPECT_LT(share, 1) << literals;
    before = share;
  }
}

TEST(WorkEstimate, ASegmentOfManyTakesItsPart) {
  const LevelSettings settings = level_settings(3);
  WorkEstimate work = estimate_of(3, settings, false);
  work.set_segment(0, 2 * kMiB, true);
  EXPECT_NEAR(0.25, work.share(WorkStep::kFetch, WorkStep::kCode), 1e-9);
  work.set_segment(6 * kMiB, 8 * kMiB, true);
  EXPECT_NEAR(1, work.share(WorkStep::kFetch, WorkStep::kCode), 1e-9);
}

// How far progress is when the first byte is coded. Where nothing is found in OLD, coding is nearly all there is to do.
TEST(WorkEstimate, ProgressWaitsForCodingWhereAllIsNew) {
  const Bytes old_version = random_bytes(kMiB, 1), new_version = random_bytes(kMiB, 2);
  io::MemoryReader source(old_version), target(new_version);
  Bytes patch_bytes;
  MemoryWriter patch(patch_bytes);
  double at_coding = 1;
  CreateOptions options;
  options.level = 6;
  options.progress = [&](const Progress& now) {
    const double share = static_cast<double>(now.done) / static_cast<double>(std::max<std::uint64_t>(1, now.total));
    if (std::string_view(now.phase) == "compress") at_coding = std::min(at_coding, share);
    return true;
  };
  ASSERT_OK(create(source, target, patch, options));
  EXPECT_LT(at_coding, 0.3);
}

}  // namespace
}  // namespace bdelta::test::work_estimate_test
