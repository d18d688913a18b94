// The patch depends on no thread count and on no kind of reader; NEW on no kind of sink.
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::threads_test {
namespace {

struct Pair {
  Bytes source;
  Bytes target;
};

// Over 20 MB, so that every pass has several chunks and level 1 has several groups.
const Pair& large_pair() {
  static const Pair pair = [] {
    Bytes source = wordy_bytes(std::size_t{12} << 20, 1);
    append(source, random_bytes(std::size_t{12} << 20, 2));
    Bytes target = edited(source, {{Edit::kInsert, 3'000'000, 70'000, 0, 3},
                                   {Edit::kMove, 20'000'000, 900'000, 5'000'000, 0},
                                   {Edit::kDelete, 9'000'000, 40'000, 0, 0},
                                   {Edit::kOverwrite, 15'000'000, 3'000'000, 0, 4}});
    for (std::size_t i = 0; i < 12'000'000; i += 4001) ++target[i];
    return Pair{std::move(source), std::move(target)};
  }();
  return pair;
}

class Threads : public ::testing::TestWithParam<int> {};

TEST_P(Threads, AnyNumberGivesTheSamePatch) {
  const Pair& pair = large_pair();
  (void)expect_same_patch_by_any_threads(pair.source, pair.target, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Levels, Threads, ::testing::Values(1, 3));

class ThreadsApplyFormats : public ::testing::TestWithParam<PatchFormat> {};

TEST_P(ThreadsApplyFormats, AnyNumberThroughEverySink) {
  const Pair& pair = large_pair();
  const auto patch = make_patch(pair.source, pair.target, create_options(1, GetParam(), 2));
  ASSERT_OK(patch);
  expect_rebuilt_everywhere(pair.source, *patch, pair.target);
}

INSTANTIATE_TEST_SUITE_P(Formats, ThreadsApplyFormats, ::testing::Values(PatchFormat::kBdt2, PatchFormat::kBdt1));

TEST(ThreadsApply, CancellationEndsCleanly) {
  const Pair& pair = large_pair();
  const auto patch = make_patch(pair.source, pair.target, create_options(1));
  ASSERT_OK(patch);
  for (const unsigned threads : {1u, 2u, 7u}) {
    for (const std::uint64_t after : {0u, 1u, 5'000'000u, 20'000'000u}) {
      ApplyOptions options;
      options.threads = threads;
      options.progress = [after](std::uint64_t done, std::uint64_t) { return done < after; };
      EXPECT_FAILS(ErrorCode::kCancelled, apply_patch(pair.source, *patch, Sink::kPositioned, options));
    }
  }
}

TEST(ThreadsApply, AFailingWriterEndsCleanly) {
  const Pair& pair = large_pair();
  const auto patch = make_patch(pair.source, pair.target, create_options(1));
  ASSERT_OK(patch);
  for (const unsigned threads : {1u, 2u, 7u}) {
    io::MemoryReader source(pair.source);
    io::MemorySequentialReader reader(*patch);
    FailingWriter writer(9'000'000, ErrorCode::kNoSpace);
    ApplyOptions options;
    options.threads = threads;
    EXPECT_FAILS(ErrorCode::kNoSpace, apply(source, reader, writer, options));
  }
}

TEST(ThreadsApply, DamageIsReportedAlikeByAnyNumber) {
  const Pair& pair = large_pair();
  const auto patch = make_patch(pair.source, pair.target, create_options(1));
  ASSERT_OK(patch);
  Bytes bad = *patch;
  bad[bad.size() / 2] ^= 0x10;
  const auto one = apply_patch(pair.source, bad);
  ASSERT_FALSE(static_cast<bool>(one));
  for (const unsigned threads : {2u, 7u}) {
    ApplyOptions options;
    options.threads = threads;
    const auto many = apply_patch(pair.source, bad, Sink::kSequential, options);
    ASSERT_FALSE(static_cast<bool>(many));
    EXPECT_EQ(one.error().code, many.error().code);
    EXPECT_EQ(one.error().offset, many.error().offset);
  }
}

TEST(ThreadsCreate, CancellationAtAnyPoint) {
  const Pair& pair = large_pair();
  for (const unsigned threads : {1u, 2u}) {
    for (const int calls : {0, 1, 2, 3, 5}) {
      CreateOptions options = create_options(1, PatchFormat::kBdt2, threads);
      int left = calls;
      options.progress = [&left](std::uint64_t, std::uint64_t) { return left-- > 0; };
      EXPECT_FAILS(ErrorCode::kCancelled, make_patch(pair.source, pair.target, options));
    }
  }
}

TEST(Readers, WithAndWithoutAViewGiveTheSamePatch) {
  const Pair& pair = large_pair();
  const auto viewed = make_patch(pair.source, pair.target, create_options(1, PatchFormat::kBdt2, 2));
  ASSERT_OK(viewed);
  HiddenReader source(pair.source);
  HiddenReader target(pair.target);
  Bytes patch;
  MemoryWriter writer(patch);
  ASSERT_OK(create(source, target, writer, create_options(1, PatchFormat::kBdt2, 2)));
  EXPECT_TRUE(same_bytes(*viewed, patch));

  for (const unsigned threads : {1u, 7u}) {
    io::MemorySequentialReader reader(patch);
    Bytes made;
    BytesWriter out(made);
    ApplyOptions options;
    options.threads = threads;
    ASSERT_OK(apply(source, reader, out, options));
    EXPECT_TRUE(same_bytes(pair.target, made));
  }
}

TEST(Progress, NeverGoesBackAndEndsWithAll) {
  const Pair& pair = large_pair();
  CreateOptions options = create_options(1, PatchFormat::kBdt2, 2);
  std::uint64_t last = 0;
  bool back = false;
  options.progress = [&](std::uint64_t done, std::uint64_t total) {
    back |= done < last || done > total;
    last = done;
    return true;
  };
  const auto patch = make_patch(pair.source, pair.target, options);
  ASSERT_OK(patch);
  EXPECT_FALSE(back);
  EXPECT_EQ(pair.target.size(), last);

  ApplyOptions apply_options;
  apply_options.threads = 3;
  apply_options.progress = options.progress;
  last = 0;
  ASSERT_OK(apply_patch(pair.source, *patch, Sink::kPositioned, apply_options));
  EXPECT_FALSE(back);
  EXPECT_EQ(pair.target.size(), last);
}

TEST(Size, OneByteInSixtyFourMegabytesIsATinyPatch) {
  const Bytes source = random_bytes(std::size_t{64} << 20, 5);
  Bytes target = source;
  target[40'000'000] ^= 0x20;
  for (const int level : {1, 3}) {
    const auto patch = make_patch(source, target, create_options(level, PatchFormat::kBdt2, 2));
    ASSERT_OK(patch);
    EXPECT_LT(patch->size(), 120u) << "level " << level;
    expect_rebuilt(source, *patch, target);
  }
}

}  // namespace
}  // namespace bdelta::test::threads_test
