// Giving up: where nothing matches the patch is no larger than NEW compressed, and a call that is cancelled, too slow
// or makes too much ends with its own error and leaves nothing behind.
#include "format/native/compress_probe.hpp"
#include "format/native/group_writer.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::bail_out_test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

Bytes joined(const Bytes& a, const Bytes& b) {
  Bytes all = a;
  append(all, b);
  return all;
}

// Fragments of `source` too short to be worth a copy each, in any order.
Bytes fragments(const Bytes& source, std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Bytes bytes;
  for (std::size_t i = 0; i < count; ++i) {
    append(bytes, ByteSpan(source).subspan(random.below(source.size() - 40), random.between(8, 34)));
  }
  return bytes;
}

class Strangers : public ::testing::TestWithParam<int> {
 protected:
  // Against a file of nothing NEW is plain literals: the size that another OLD may pass by a trifle only.
  static void expect_no_larger_than_plain(const Bytes& source, const Bytes& target) {
    const auto plain = make_patch({}, target, create_options(GetParam()));
    const auto patch = make_patch(source, target, create_options(GetParam()));
    ASSERT_OK(plain);
    ASSERT_OK(patch);
    EXPECT_LE(patch->size(), plain->size() + plain->size() / 200 + 100);
    expect_rebuilt(source, *patch, target);
  }
};

TEST_P(Strangers, RandomBytesAreStored) {
  const Bytes target = random_bytes(9 * kMiB, 1);
  expect_no_larger_than_plain(random_bytes(3 * kMiB, 2), target);
  const auto patch = make_patch(random_bytes(3 * kMiB, 2), target, create_options(GetParam()));
  ASSERT_OK(patch);
  EXPECT_LE(patch->size(), target.size() + target.size() / 200 + 100);
}

TEST_P(Strangers, WordsAgainstRandomBytes) {
  expect_no_larger_than_plain(random_bytes(2 * kMiB, 3), wordy_bytes(2 * kMiB, 4));
}

TEST_P(Strangers, WordsAgainstOtherWords) {
  expect_no_larger_than_plain(wordy_bytes(2 * kMiB, 5), wordy_bytes(2 * kMiB, 6));
}

TEST_P(Strangers, MixedContent) {
  const Bytes target = joined(joined(random_bytes(2 * kMiB, 7), wordy_bytes(kMiB, 8)), Bytes(kMiB));
  expect_no_larger_than_plain(random_bytes(2 * kMiB, 9), target);
  expect_no_larger_than_plain(wordy_bytes(2 * kMiB, 10), target);
}

TEST_P(Strangers, FragmentsOfWords) {
  const Bytes source = wordy_bytes(kMiB, 11);
  expect_no_larger_than_plain(source, fragments(source, 60'000, 12));
}

INSTANTIATE_TEST_SUITE_P(Levels, Strangers, ::testing::Values(1, 3, 6));

TEST(LiteralGroups, AreCountedAsWhatTheyAre) {
  // Words against fragments of them: whether or not copies were given up, the report adds up and NEW comes back.
  const Bytes source = wordy_bytes(kMiB, 13);
  const Bytes target = fragments(source, 30'000, 14);
  io::MemoryReader old_reader(source);
  io::MemoryReader new_reader(target);
  Bytes patch;
  MemoryWriter writer(patch);
  const auto report = create(old_reader, new_reader, writer, create_options(6));
  ASSERT_OK(report);
  EXPECT_EQ(target.size(), report->covered_bytes + report->literal_bytes);
  EXPECT_EQ(report->literal_bytes, report->streams[kLiterals].raw_bytes);
  EXPECT_EQ(report->cover_count == 0, report->covered_bytes == 0);
}

// Bytes that don't repeat, of which one in `period` is cut down to `mask`: an entropy coder saves something, and finds no match.
Bytes skewed_bytes(std::size_t size, std::uint8_t mask, std::uint64_t period, std::uint64_t seed) {
  Random random(seed);
  Bytes bytes = random_bytes(size, seed + 1);
  for (std::uint8_t& byte : bytes) {
    if (random.below(period) == 0) byte &= mask;
  }
  return bytes;
}

TEST(CompressProbe, SeesWhatRepeatsNearAndFar) {
  const auto codec_for = [](const Bytes& bytes, CodecSettings settings) {
    return native::codec_worth_trying(bytes, settings, nullptr)->id;
  };
  const Bytes noise = random_bytes(3 * kMiB, 19);
  for (const CodecId id : {CodecId::kZstd, CodecId::kLzma}) {
    const CodecSettings slow{id, 6, 0};
    EXPECT_EQ(codec_for(noise, slow), CodecId::kStore);
    EXPECT_EQ(codec_for(wordy_bytes(kMiB, 20), slow), id);
    EXPECT_EQ(codec_for(random_bytes(100'000, 21), slow), id);  // short: quick with any codec
    EXPECT_EQ(codec_for(joined(noise, Bytes(kMiB / 8)), slow), id == CodecId::kLzma ? CodecId::kZstd : id);
  }
  EXPECT_EQ(codec_for(noise, {CodecId::kZstd, 1, 0}), CodecId::kZstd);
  EXPECT_EQ(codec_for(noise, {CodecId::kStore, 0, 0}), CodecId::kStore);
}

TEST(CompressProbe, TakesAFasterCodecWhereTheSlowOneMakesNoLess) {
  const CodecSettings slow{CodecId::kLzma, 6, 0};
  const Bytes noise = random_bytes(kMiB + 40'000, 19);
  const auto repeated = native::codec_worth_trying(joined(noise, noise), slow, nullptr);
  ASSERT_OK(repeated);
  EXPECT_EQ(repeated->id, CodecId::kZstd);
  const auto skewed = native::codec_worth_trying(skewed_bytes(kMiB, 63, 3, 20), slow, nullptr);
  ASSERT_OK(skewed);
  EXPECT_EQ(skewed->id, CodecId::kZstd);
  CodecSettings narrow = slow;
  narrow.max_window_log = 20;  // with little memory
  EXPECT_EQ(native::codec_worth_trying(joined(noise, noise), narrow, nullptr)->max_window_log, 20u);
}

TEST(CompressProbe, CountsWhatAFastCodecFindsTooLittle) {
  const Bytes target = skewed_bytes(kMiB, 15, 10, 21);  // entropy is 99 % of the bytes
  const auto codec_for = [&](CodecSettings settings) { return native::codec_worth_trying(target, settings, nullptr)->id; };
  EXPECT_EQ(codec_for({CodecId::kZstd, 9, 0}), CodecId::kStore);
  EXPECT_EQ(codec_for({CodecId::kZstd, 19, 0}), CodecId::kZstd);
  EXPECT_EQ(codec_for({CodecId::kLzma, 6, 0}), CodecId::kZstd);
  EXPECT_EQ(native::codec_worth_trying(skewed_bytes(kMiB, 127, 3, 22), {CodecId::kLzma, 6, 0}, nullptr)->id,
            CodecId::kStore);  // as uneven, but no prefix code is shorter
  const auto patch = make_patch({}, target, create_options(6));
  ASSERT_OK(patch);
  EXPECT_LT(patch->size(), target.size() - target.size() / 256);
  expect_rebuilt({}, *patch, target);
}

TEST(MaxPatchRatio, IsExact) {
  const Bytes source = wordy_bytes(300'000, 22);
  const Bytes target = edited(source, random_edits(20, source.size(), 3000, 23));
  for (const PatchFormat format : {PatchFormat::kBdt2, PatchFormat::kBdt1}) {
    CreateOptions options = create_options(3, format);
    const auto patch = make_patch(source, target, options);
    ASSERT_OK(patch);
    const double bytes = static_cast<double>(target.size());
    options.max_patch_ratio = (static_cast<double>(patch->size()) + 0.5) / bytes;
    const auto limited = make_patch(source, target, options);
    ASSERT_OK(limited);
    EXPECT_TRUE(same_bytes(*patch, *limited));
    options.max_patch_ratio = (static_cast<double>(patch->size()) - 0.5) / bytes;
    EXPECT_FAILS(ErrorCode::kPatchTooLarge, make_patch(source, target, options));
    options.max_patch_ratio = 1e300;
    EXPECT_OK(make_patch(source, target, options));
  }
}

TEST(MaxPatchRatio, EndsBeforeThePatchIsWhole) {
  const Bytes target = random_bytes(12 * kMiB, 24);
  CreateOptions options = create_options(1);
  options.max_patch_ratio = 0.1;
  std::uint64_t most = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t) { return most = done, true; };
  EXPECT_FAILS(ErrorCode::kPatchTooLarge, make_patch({}, target, options));
  EXPECT_LT(most, target.size() * 9 / 10);  // where encoding would end
}

TEST(TimeLimit, StopsOrChangesNothing) {
  const Bytes source = wordy_bytes(200'000, 25);
  const Bytes target = edited(source, random_edits(10, source.size(), 500, 26));
  CreateOptions options = create_options(3);
  const auto patch = make_patch(source, target, options);
  ASSERT_OK(patch);
  options.time_limit_seconds = 1e-9;
  EXPECT_FAILS(ErrorCode::kTimeLimit, make_patch(source, target, options));
  options.time_limit_seconds = 1e6;
  const auto timed = make_patch(source, target, options);
  ASSERT_OK(timed);
  EXPECT_TRUE(same_bytes(*patch, *timed));
}

TEST(TimeLimit, EndsApplyingOrChangesNothing) {
  const Bytes source = wordy_bytes(200'000, 27);
  const Bytes target = edited(source, random_edits(10, source.size(), 500, 28));
  const auto patch = make_patch(source, target, create_options(3));
  ASSERT_OK(patch);
  for (const Sink sink : kAllSinks) {
    ApplyOptions options;
    options.time_limit_seconds = 1e-9;
    EXPECT_FAILS(ErrorCode::kTimeLimit, apply_patch(source, *patch, sink, options));
    options.time_limit_seconds = 1e6;
    const auto made = apply_patch(source, *patch, sink, options);
    ASSERT_OK(made);
    EXPECT_TRUE(sink == Sink::kCheck || same_bytes(target, *made));
  }
}

TEST(Limits, ThatAreNegativeAreRefused) {
  CreateOptions options;
  options.time_limit_seconds = -1;
  EXPECT_FAILS(ErrorCode::kUsage, make_patch({}, {}, options));
  const auto patch = make_patch({}, {});
  ASSERT_OK(patch);
  ApplyOptions apply_options;
  apply_options.time_limit_seconds = -1;
  EXPECT_FAILS(ErrorCode::kUsage, apply_patch({}, *patch, Sink::kCheck, apply_options));
  options.time_limit_seconds = 0;
  options.max_apply_seconds = -1;
  EXPECT_FAILS(ErrorCode::kUsage, make_patch({}, {}, options));
  options.max_apply_seconds = 0;
  options.max_patch_ratio = -0.1;
  EXPECT_FAILS(ErrorCode::kUsage, make_patch({}, {}, options));
}

// Cancels at the n-th call for every n that a whole run reaches; nothing but the inputs may be there afterwards.
TEST(Cancelling, AtAnyCallLeavesNothingBehind) {
  const Folder folder;
  const Bytes source = wordy_bytes(kMiB, 27);
  put(folder / "old", source);
  put(folder / "new", edited(source, random_edits(40, source.size(), 3000, 28)));
  for (const PatchFormat format : {PatchFormat::kBdt2, PatchFormat::kBdt1}) {
    CreateOptions options = create_options(3, format, 2);
    options.files.sync = false;
    bool done = false;
    int calls = 0;
    for (; !done && calls < 1000; ++calls) {
      int left = calls;
      options.progress = [&left](std::uint64_t, std::uint64_t) { return left-- > 0; };
      const auto report = create_file(folder / "old", folder / "new", folder / "patch", options);
      done = static_cast<bool>(report);
      if (done) break;
      EXPECT_EQ(ErrorCode::kCancelled, report.error().code) << to_string(report.error());
      EXPECT_EQ(2, folder.count());
    }
    EXPECT_TRUE(done);
    EXPECT_GE(calls, 8);  // a call for each stage at least
    std::filesystem::remove(folder / "patch");
  }
}

TEST(Cancelling, ApplyingLeavesNothingBehind) {
  const Folder folder;
  const Bytes source = random_bytes(6 * kMiB, 29);
  put(folder / "old", source);
  put(folder / "new", edited(source, random_edits(40, source.size(), 3000, 30)));
  CreateOptions create;
  create.files.sync = false;
  ASSERT_OK(create_file(folder / "old", folder / "new", folder / "patch", create));
  ApplyOptions options;
  options.files.sync = false;
  bool done = false;
  for (int calls = 0; !done && calls < 1000; ++calls) {
    int left = calls;
    options.progress = [&left](std::uint64_t, std::uint64_t) { return left-- > 0; };
    const auto report = apply_file(folder / "old", folder / "made", folder / "patch", options);
    done = static_cast<bool>(report);
    if (done) break;
    EXPECT_EQ(ErrorCode::kCancelled, report.error().code) << to_string(report.error());
    EXPECT_EQ(3, folder.count());
  }
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace bdelta::test::bail_out_test
