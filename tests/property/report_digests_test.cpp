// The digests that reports tell, whatever way the bytes come, and those of NEW that the caller knows already.
#include "hash/sha256.hpp"
#include "hash/xxh3.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::report_digests_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

void expect_digests(ByteSpan of, bool with_sha256, const KnownDigests& found) {
  ASSERT_TRUE(found.xxh3_128);
  EXPECT_EQ(xxh3_128(of), *found.xxh3_128);
  EXPECT_EQ(with_sha256 ? std::optional(sha256(of)) : std::nullopt, found.sha256);
}

void expect_none(const KnownDigests& found) { EXPECT_FALSE(found.xxh3_128 || found.sha256); }

CreateOptions asked_for_all() {
  CreateOptions options = create_options(1);
  options.digest_patch = options.sha256_inputs = true;
  return options;
}

TEST(ReportDigests, AreToldAsFarAsAskedFor) {
  const Bytes source = wordy_bytes(200'000, 1);
  const Bytes target = edited(source, random_edits(20, source.size(), 3000, 2));
  for (const PatchFormat format : {PatchFormat::kBdt2, PatchFormat::kBdt1}) {
    CreateOptions options = create_options(1, format);
    const auto plain = make_reported(source, target, options);
    ASSERT_OK(plain);
    expect_digests(source, false, plain->report.source_digests);
    expect_digests(target, false, plain->report.target_digests);
    expect_none(plain->report.patch_digests);
    options.digest_patch = options.sha256_inputs = true;
    const auto told = make_reported(source, target, options);
    ASSERT_OK(told);
    expect_digests(source, true, told->report.source_digests);
    expect_digests(target, true, told->report.target_digests);
    expect_digests(told->bytes, true, told->report.patch_digests);
    EXPECT_TRUE(same_bytes(plain->bytes, told->bytes));
  }
}

TEST(ReportDigests, OfInputsThatAreReadInParts) {
  const Bytes source = random_bytes(24 * kMiB, 3);
  const Bytes target = edited(source, random_edits(20, source.size(), 3000, 4));
  CreateOptions options = asked_for_all();
  options.memory_limit_bytes = 48 * kMiB;
  for (const bool known : {false, true}) {
    Bytes patch;
    MemoryWriter writer(patch);
    HiddenReader from(source), to(target);
    const auto report = create(from, to, writer, options);
    ASSERT_OK(report);
    expect_digests(source, true, report->source_digests);
    expect_digests(target, true, report->target_digests);
    expect_digests(patch, true, report->patch_digests);
    if (!known) options.known_target = report->target_digests;
    expect_rebuilt(source, patch, target);
  }
}

TEST(ReportDigests, OfApplyingAreThoseProven) {
  const Bytes source = wordy_bytes(100'000, 5);
  const Bytes target = edited(source, random_edits(9, source.size(), 3000, 6));
  const auto patch = make_patch(source, target);
  ASSERT_OK(patch);
  ApplyOptions options;
  options.expected_patch_sha256 = sha256(*patch);
  io::MemoryReader reader(source);
  io::MemorySequentialReader input(*patch);
  const auto report = check(reader, input, options);
  ASSERT_OK(report);
  expect_digests(source, false, report->source_digests);
  expect_digests(target, false, report->target_digests);
  EXPECT_EQ(options.expected_patch_sha256, report->patch_digests.sha256);
  EXPECT_FALSE(report->patch_digests.xxh3_128);
}

TEST(ReportDigests, OfApplyingLeaveOutAnOldThatWasNotLookedAt) {
  const Folder folder;
  const Bytes source = wordy_bytes(100'000, 7), target = wordy_bytes(90'000, 8);
  put(folder / "old", source);
  put(folder / "new", target);
  ASSERT_OK(create_file(folder / "old", folder / "new", folder / "patch", create_options(1)));
  const auto report = apply_file(folder / "old", folder / "new", folder / "patch", {});
  ASSERT_OK(report);
  ASSERT_TRUE(report->up_to_date);
  expect_none(report->source_digests);
  expect_digests(target, false, report->target_digests);
}

// Counts what is read, to see that nothing reads for a digest alone.
class CountingReader final : public RandomReader {
 public:
  explicit CountingReader(ByteSpan bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override {
    read_bytes += out.size();
    return bytes_.read_at(pos, out);
  }
  std::atomic<std::uint64_t> read_bytes{0};

 private:
  HiddenReader bytes_;
};

TEST(KnownTarget, OpenNewServesSeveralPatches) {
  const Folder folder;
  const Bytes target = wordy_bytes(300'000, 9);
  CountingReader reader(target);
  CreateOptions options = asked_for_all();
  Bytes patches[2];
  for (int i = 0; i < 2; ++i) {
    const std::filesystem::path old = folder / ("old" + std::to_string(i)), patch = folder / ("patch" + std::to_string(i));
    const Bytes source = edited(target, random_edits(9, target.size(), 3000, static_cast<std::uint64_t>(10 + i)));
    put(old, source);
    const auto report = create_file(old, reader, patch, options);
    ASSERT_OK(report);
    // It has no view, so each call reads it, and once; but first its ends, where an archive would show.
    constexpr std::uint64_t kEndBytes = 512 + 22 + 65535;
    EXPECT_EQ(std::uint64_t(i + 1) * (target.size() + kEndBytes), reader.read_bytes);
    expect_digests(source, true, report->source_digests);
    expect_digests(target, true, report->target_digests);
    expect_rebuilt(source, get(patch), target);
    options.known_target = report->target_digests;
  }
  EXPECT_FAILS(ErrorCode::kSamePath, create_file(folder / "old0", reader, folder / "old0", options));
}

TEST(KnownTarget, IsDigestedAgainWhereItsSha256IsMissing) {
  const Bytes source = wordy_bytes(50'000, 11), target = wordy_bytes(60'000, 12);
  CreateOptions options = asked_for_all();
  options.known_target.xxh3_128 = xxh3_128(target);
  const auto made = make_reported(source, target, options);
  ASSERT_OK(made);
  expect_digests(target, true, made->report.target_digests);
}

TEST(KnownTarget, ThatIsWrongIsNeverPublishedVerified) {
  const Bytes source = wordy_bytes(50'000, 13), target = wordy_bytes(60'000, 14);
  CreateOptions options = create_options(1);
  options.known_target.xxh3_128 = xxh3_128(source);
  EXPECT_FAILS(ErrorCode::kSelfCheckFailed, make_patch(source, target, options));
  options.verify = false;
  const auto patch = make_patch(source, target, options);
  ASSERT_OK(patch);
  EXPECT_FAILS(ErrorCode::kTargetDigest, apply_patch(source, *patch));
}

}  // namespace
}  // namespace bdelta::test::report_digests_test
