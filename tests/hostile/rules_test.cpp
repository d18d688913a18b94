// Rules of hardened appliers (RULES.md) that no other test holds: the order of the checks, what is touched before they
// are done, and how the errors say what was expected and found.
#include "bdelta/apply.hpp"
#include "delta/op.hpp"
#include "io/file_ops.hpp"
#include "support/craft.hpp"
#include "support/crash_disk.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::rules_test {
namespace {

namespace fs = std::filesystem;

const Bytes kOld = wordy_bytes(4000, 1);
const Bytes kNew = edited(kOld, {{Edit::kInsert, 1000, 500, 0, 2}, {Edit::kOverwrite, 3000, 60, 0, 3}});

Bytes good_patch(PatchFormat format = PatchFormat::kBdt2) {
  auto patch = make_patch(kOld, kNew, create_options(3, format));
  EXPECT_OK(patch);
  return std::move(*patch);
}

Error error_of(ByteSpan source, ByteSpan patch, const ApplyOptions& options = {}) {
  const auto made = apply_patch(source, patch, Sink::kSequential, options);
  EXPECT_FALSE(static_cast<bool>(made));
  return made ? Error{} : made.error();
}

void expect_says(const Error& error, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    EXPECT_NE(std::string::npos, to_string(error).find(word)) << "no " << word << " in: " << to_string(error);
  }
}

Bytes other_old() {
  Bytes other = kOld;
  other[99] ^= 1;
  return other;
}

// --- files: what is touched when ---

class Files : public ::testing::Test {
 protected:
  Folder folder{quick_directory()};

  void SetUp() override {
    put(folder / "old", kOld);
    put(folder / "patch", good_patch());
  }

  Result<Report> apply_to(const fs::path& name) {
    ApplyOptions options;
    options.files.overwrite = true;
    return apply_file(folder / "old", folder / name, folder / "patch", options);
  }
};

TEST_F(Files, NothingIsCreatedBeforeOldIsProven) {
  put(folder / "old", other_old());
  const DiskRecorder recorder({folder.path()});
  EXPECT_FAILS(ErrorCode::kWrongSourceDigest, apply_to("new"));
  EXPECT_TRUE(recorder.record().events.empty()) << "no file was created, not even a temporary one";
}

TEST_F(Files, NothingIsWrittenWhereNewIsThere) {
  put(folder / "new", kNew);
  const DiskRecorder recorder({folder.path()});
  const auto report = apply_to("new");
  ASSERT_OK(report);
  EXPECT_TRUE(report->up_to_date && report->verified);
  for (const DiskEvent& event : recorder.record().events) {
    EXPECT_TRUE(event.kind == DiskEvent::kSync || event.kind == DiskEvent::kSyncDirectory);
  }
}

TEST_F(Files, AsLongAsNewButNotNewIsReplaced) {
  Bytes nearly = kNew;
  nearly.back() ^= 1;
  put(folder / "new", nearly);
  const auto report = apply_to("new");
  ASSERT_OK(report);
  EXPECT_FALSE(report->up_to_date);
  EXPECT_EQ(kNew, get(folder / "new"));
}

TEST_F(Files, AWrongDigestOfTheWholeLeavesThePlaceAsItWas) {
  SplitPatch split = split_patch(good_patch());  // all windows are right
  split.header.target_digest[3] ^= 1;
  put(folder / "patch", with_header(split.header, split.body));
  EXPECT_FAILS(ErrorCode::kTargetDigest, apply_to("old"));
  EXPECT_EQ(kOld, get(folder / "old"));
  EXPECT_FAILS(ErrorCode::kTargetDigest, apply_to("new"));
  EXPECT_EQ(2, folder.count());
}

// --- what is checked first ---

TEST(Order, OldIsProvenBeforeTheBodyIsDecoded) {
  Bytes patch = good_patch();
  const SplitPatch split = split_patch(patch);
  patch.resize(patch.size() - split.body.size());  // no body at all
  EXPECT_EQ(ErrorCode::kWrongSourceDigest, error_of(other_old(), patch).code);
  EXPECT_EQ(ErrorCode::kWrongSourceSize, error_of(Bytes(7), patch).code);
  EXPECT_EQ(ErrorCode::kPatchTruncated, error_of(kOld, patch).code);
}

TEST(Order, AnOldThatAlreadyIsNewIsTold) {
  const auto is_told = [](ByteSpan source, ByteSpan patch, ErrorCode code) {
    const Error error = error_of(source, patch);
    EXPECT_EQ(code, error.code);
    return error.remedy.find("OLD already is NEW") != std::string::npos;
  };
  Bytes almost_new = kNew;
  almost_new.back() ^= 1;
  EXPECT_TRUE(is_told(kNew, good_patch(), ErrorCode::kWrongSourceSize));
  EXPECT_FALSE(is_told(almost_new, good_patch(), ErrorCode::kWrongSourceSize));
  EXPECT_FALSE(is_told(Bytes(7), good_patch(), ErrorCode::kWrongSourceSize));
  EXPECT_FALSE(is_told(kNew, good_patch(PatchFormat::kBdt1), ErrorCode::kWrongSourceSize)) << "no digest tells";

  const auto as_long = make_patch(kOld, other_old(), create_options(3));
  ASSERT_OK(as_long);
  EXPECT_TRUE(is_told(other_old(), *as_long, ErrorCode::kWrongSourceDigest));
  EXPECT_FALSE(is_told(Bytes(kOld.size()), *as_long, ErrorCode::kWrongSourceDigest));
}

TEST(Order, TheHeaderIsProvenBeforeAnythingInItIsBelieved) {
  SplitPatch split = split_patch(good_patch());
  split.header.decoder_memory_bytes = ~std::uint64_t{0};
  split.header.required_features = std::uint64_t{1} << 63;
  split.header.source_size = 1;
  Bytes patch = with_header(split.header, split.body);
  EXPECT_EQ(ErrorCode::kUnsupportedFeature, error_of(kOld, patch).code) << "a feature before limits";
  patch[10] ^= 1;
  EXPECT_EQ(ErrorCode::kHeaderChecksum, error_of(kOld, patch).code) << "the checksum before any field";
}

// --- no progress, no more than was declared ---

TEST(Progress, EmptyMatchesCostNoMoreThanTheirBytes) {
  // Nothing but empty matches: no windows come of them, and positions that they add up to stay in range.
  std::vector<Bdt1Match> matches(300'000, Bdt1Match{0x7fffffff, 0, 0});
  const Bytes patch = bdt1_patch(static_cast<std::uint32_t>(kOld.size()), 3, matches, bytes_of("new"));
  io::MemoryReader source(kOld);
  io::MemorySequentialReader reader(patch);
  Bytes made;
  MemoryWriter writer(made);
  const auto report = apply(source, reader, writer, {});
  ASSERT_OK(report);
  EXPECT_EQ(bytes_of("new"), made);
  EXPECT_EQ(1u, report->window_count);
  EXPECT_EQ(0u, report->cover_count);
  matches.push_back({0, 0, 1});
  EXPECT_EQ(ErrorCode::kOpOutOfRange,
            error_of(kOld, bdt1_patch(static_cast<std::uint32_t>(kOld.size()), 3, matches, bytes_of("ne"))).code);
}

TEST(Progress, AnEmptyOpOfAnyKindIsRefused) {
  WindowDelta window;
  window.target_length = 4;
  window.literals = {1, 2, 3, 4};
  window.ops = {{OpKind::kLiteral, 4, 0}};
  EXPECT_OK(validate_window(window, 10));
  for (const OpKind kind : {OpKind::kCopy, OpKind::kLiteral}) {
    WindowDelta stuck = window;
    stuck.ops.push_back({kind, 0, 0});
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, validate_window(stuck, 10));
  }
  WindowDelta stuck = window;
  stuck.residual_runs.push_back({0, 0});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, validate_window(stuck, 10));
}

TEST(Budget, AStreamGetsNoByteMoreThanTheHeaderSays) {
  for (const PatchFormat format : {PatchFormat::kBdt2, PatchFormat::kBdt1}) {
    const Bytes patch = good_patch(format);
    for (const Sink sink : {Sink::kPositioned, Sink::kSequential}) {
      for (std::size_t at = 5; at < patch.size(); ++at) {
        Bytes bad = patch;
        bad[at] ^= 0x41;
        io::MemoryReader source(kOld);
        io::MemorySequentialReader head_reader(bad);
        const auto info = inspect(head_reader);
        if (!info || info->target_size > 1'000'000) continue;
        io::MemorySequentialReader reader(bad);
        Bytes made;
        BytesWriter positioned(made);
        MemoryWriter sequential(made);
        (void)(sink == Sink::kPositioned ? apply(source, reader, positioned, {})
                                         : apply(source, reader, sequential, {}));
        ASSERT_LE(made.size(), info->target_size) << "byte " << at;
      }
    }
  }
}

// --- nothing but what the caller gave ---

TEST(Given, ApplyingFromMemoryMakesNoFileCall) {
  io::FileOps table{};  // any call is a jump to nowhere
  const Bytes patches[] = {good_patch(), good_patch(PatchFormat::kBdt1)};
  const io::ScopedFileOps scope(table);
  for (const Bytes& patch : patches) {
    for (const Sink sink : kAllSinks) EXPECT_OK(apply_patch(kOld, patch, sink));
    io::MemorySequentialReader reader(patch);
    EXPECT_OK(inspect(reader));
  }
}

// --- words ---

TEST(Words, ExpectedAndFoundAndWhatToDo) {
  const Bytes patch = good_patch();
  const std::string old_size = std::to_string(kOld.size());
  expect_says(error_of(Bytes(7), patch), {"expected " + old_size + " bytes", "found 7", "give the version"});
  expect_says(error_of(other_old(), patch), {"expected digest ", "found ", "give the version"});
  ApplyOptions options;
  options.output_limit_bytes = 100;
  expect_says(error_of(kOld, patch, options), {std::to_string(kNew.size()), "100", "raise output_limit_bytes"});
  SplitPatch split = split_patch(patch);
  split.header.decoder_memory_bytes = std::uint64_t{1} << 40;
  expect_says(error_of(kOld, with_header(split.header, split.body)), {"1099511627776", "268435456", "raise memory_limit_bytes"});
  expect_says(error_of(kOld, bdt1_header(4000, 10, 0x7fffffff)), {"2147483647", "268435456", "raise memory_limit_bytes"});
}

}  // namespace
}  // namespace bdelta::test::rules_test
