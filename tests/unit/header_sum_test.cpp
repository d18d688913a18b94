// Checksums of archive headers that a patch leaves out: told apart, written, found, read and filled in.
#include "apply/header_sum_filler.hpp"
#include "create/header_sum_pass.hpp"
#include "format/native/header_sum_record.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/plain_record.hpp"
#include "support/tar.hpp"

namespace bdelta::test::header_sum_test {
namespace {

using Form = HeaderSumForm;

constexpr std::uint64_t kTargetBlocks = 1000;

Bytes one_header(Form form) {
  const Bytes archive = tar_of({{"a/file", 1'700'000'000, {}}}, form);
  return {archive.begin(), archive.begin() + kHeaderBlockBytes};
}

LeftOutSums found_in(const Bytes& source, const Bytes& target) {
  WorkerPool pool(2);
  return find_header_sums(source, target, pool);
}

TEST(HeaderSum, IsWrittenInEachForm) {
  const Bytes six = one_header(Form::kSixNulSpace);
  const HeaderSum sum = header_sum(six, Form::kSixNulSpace);
  EXPECT_TRUE(std::equal(sum.begin(), sum.end(), six.begin() + kHeaderSumAt));
  EXPECT_EQ((HeaderSum{'0', '1', '0', '1', '3', '1', 0, ' '}), sum);
  EXPECT_EQ((HeaderSum{'0', '1', '0', '1', '3', '1', ' ', 0}), header_sum(six, Form::kSixSpaceNul));
  EXPECT_EQ((HeaderSum{'0', '0', '1', '0', '1', '3', '1', 0}), header_sum(six, Form::kSevenNul));
  const Bytes most(kHeaderBlockBytes, 0xff);
  EXPECT_EQ((HeaderSum{'3', '7', '3', '4', '1', '0', 0, ' '}), header_sum(most, Form::kSixNulSpace));
}

TEST(HeaderSum, BlocksThatAreNoHeadersStay) {
  Bytes block = one_header(Form::kSevenNul);
  Bytes bent = block;
  bent[kHeaderSumAt + 3] ^= 5;
  fill_header_sum(bent, Form::kSevenNul);
  EXPECT_TRUE(same_bytes(block, bent));
  for (std::size_t at = 257; at < 262; ++at) {
    Bytes other = block;
    other[at] ^= 1;
    other[kHeaderSumAt] ^= 5;
    const Bytes before = other;
    fill_header_sum(other, Form::kSevenNul);
    EXPECT_TRUE(same_bytes(before, other));
  }
}

class EachForm : public ::testing::TestWithParam<Form> {};

TEST_P(EachForm, IsFoundWithTheSumsOfThePartners) {
  const TarPair pair = tar_pair(40, 1, "app-1.0", "app-1.1", GetParam());
  const LeftOutSums found = found_in(pair.old_version, pair.new_version);
  ASSERT_EQ(1u, found.spans.size());
  EXPECT_EQ(GetParam(), found.spans[0].form);
  EXPECT_LE(38u, found.others.size());  // not the new file; two may have the same sum by chance
  Bytes bent = pair.new_version;
  for (const OtherSum& other : found.others) {
    EXPECT_LE(found.spans[0].begin(), other.pos);
    EXPECT_GT(found.spans[0].end(), other.pos);
    std::copy(other.bytes.begin(), other.bytes.end(), bent.begin() + static_cast<std::ptrdiff_t>(other.pos));
  }
  EXPECT_TRUE(same_bytes(ByteSpan(pair.old_version).subspan(kHeaderSumAt, 8), ByteSpan(bent).subspan(kHeaderSumAt, 8)));
  EXPECT_FALSE(same_bytes(pair.new_version, bent));
  for (std::size_t pos = found.spans[0].begin(); pos < found.spans[0].end(); pos += kHeaderBlockBytes) {
    fill_header_sum(MutableByteSpan(bent).subspan(pos, kHeaderBlockBytes), GetParam());
  }
  EXPECT_TRUE(same_bytes(pair.new_version, bent));
}

INSTANTIATE_TEST_SUITE_P(Forms, EachForm, ::testing::Values(Form::kSixNulSpace, Form::kSixSpaceNul, Form::kSevenNul));

TEST(HeaderSumPass, FilesOfTheSameNameGoBeforeThoseOfAnotherFolder) {
  std::vector<TarFile> before;
  std::vector<TarFile> after;
  for (unsigned i = 0; i < 20; ++i) {
    const std::string name = "/file" + std::to_string(i);
    before.push_back({"b" + name, 1'000'000 + i, {}});
    before.push_back({"a" + name, 2'000'000 + 64 * i, {}});
    after.push_back({"a" + name, 3'000'000 + 512 * i, {}});
  }
  const Bytes source = tar_of(before);
  const LeftOutSums found = found_in(source, tar_of(after));
  ASSERT_LT(10u, found.others.size());
  for (const OtherSum& other : found.others) {
    const std::size_t file = other.pos / kHeaderBlockBytes;
    const std::size_t partner = (2 * file + 1) * kHeaderBlockBytes + kHeaderSumAt;
    EXPECT_TRUE(same_bytes(ByteSpan(source).subspan(partner, 8), other.bytes)) << file;
  }
}

// Python gives all of these one name; each belongs to the file behind it.
TEST(HeaderSumPass, EntriesThatTellMoreOfAFileGoWithIt) {
  const auto archive = [](bool reversed, std::size_t added) {
    std::vector<TarFile> files;
    for (unsigned i = 0; i < 20; ++i) {
      const unsigned file = reversed ? 19 - i : i;
      files.push_back({"././@PaxHeader", 0, Bytes(10 + 7 * file + added, 'x'), 'x'});
      files.push_back({"file" + std::to_string(file), 1000, {}});
    }
    return tar_of(files);
  };
  const Bytes source = archive(false, 0);
  const Bytes target = archive(true, 64);
  const LeftOutSums found = found_in(source, target);
  ASSERT_LT(10u, found.others.size());
  for (const OtherSum& other : found.others) {
    const std::size_t file = 19 - other.pos / kHeaderBlockBytes / 3;  // a header, a block, and the file's header
    const std::size_t partner = file * 3 * kHeaderBlockBytes + kHeaderSumAt;
    EXPECT_EQ(kHeaderSumAt, other.pos % (3 * kHeaderBlockBytes));
    EXPECT_TRUE(same_bytes(ByteSpan(source).subspan(partner, 8), other.bytes)) << file;
  }
}

TEST(HeaderSumPass, FilesOfOneNameGoByTheirOrder) {
  std::vector<TarFile> before;
  std::vector<TarFile> after;
  for (unsigned i = 0; i < 20; ++i) {
    before.push_back({"same", 1'000'000 + 8 * i, {}});
    after.push_back({"same", 2'000'000 + i, {}});
  }
  const Bytes source = tar_of(before);
  const LeftOutSums found = found_in(source, tar_of(after));
  ASSERT_LT(10u, found.others.size());
  for (const OtherSum& other : found.others) {
    EXPECT_TRUE(same_bytes(ByteSpan(source).subspan(static_cast<std::size_t>(other.pos), 8), other.bytes));
  }
}

TEST(HeaderSumPass, NothingIsLeftOutWhereNothingIsGained) {
  const TarPair pair = tar_pair(40, 2);
  EXPECT_EQ(HeaderSumSpans{}, found_in(pair.new_version, pair.new_version).spans);
  EXPECT_EQ(HeaderSumSpans{}, found_in(wordy_bytes(50'000, 1), pair.new_version).spans);
  EXPECT_EQ(HeaderSumSpans{}, found_in(pair.old_version, {}).spans);
  EXPECT_EQ(HeaderSumSpans{}, found_in({}, pair.new_version).spans);
  const TarPair few = tar_pair(7, 3);
  EXPECT_EQ(HeaderSumSpans{}, found_in(few.old_version, few.new_version).spans);
  Bytes moved{0};  // headers at other places than multiples of a block
  append(moved, pair.new_version);
  EXPECT_EQ(HeaderSumSpans{}, found_in(pair.old_version, moved).spans);
}

TEST(HeaderSumPass, AWrongChecksumEndsASpan) {
  const TarPair pair = tar_pair(60, 4);
  Bytes target = pair.new_version;
  const LeftOutSums whole = found_in(pair.old_version, target);
  ASSERT_EQ(1u, whole.spans.size());
  const OtherSum& middle = whole.others[whole.others.size() / 2];
  target[static_cast<std::size_t>(middle.pos) + 4] ^= 1;
  const LeftOutSums found = found_in(pair.old_version, target);
  ASSERT_EQ(2u, found.spans.size());
  EXPECT_GE(middle.pos, found.spans[0].end());
  EXPECT_LT(middle.pos, found.spans[1].begin());
  EXPECT_EQ(whole.others.size(), found.others.size() + 1);
  EXPECT_OK(check_header_sums(found.spans, target.size()));
}

TEST(HeaderSumPass, FarStretchesAndOtherFormsHaveSpansOfTheirOwn) {
  const TarPair near = tar_pair(20, 5);
  const TarPair far = tar_pair(20, 6, "tool-1", "tool-2", Form::kSixSpaceNul);
  for (const std::size_t between : {std::size_t{0}, std::size_t{6} << 20}) {
    Bytes source = near.old_version;
    source.resize(source.size() + between, 7);
    append(source, far.old_version);
    Bytes target = near.new_version;
    target.resize(target.size() + between, 7);
    append(target, between == 0 ? far.new_version : near.new_version);
    const LeftOutSums found = found_in(source, target);
    ASSERT_EQ(2u, found.spans.size());
    EXPECT_EQ(between == 0 ? Form::kSixSpaceNul : Form::kSixNulSpace, found.spans[1].form);
  }
}

Result<HeaderSumSpans> read_record(ByteSpan record) {
  return read_behind_tag(record, kTargetBlocks * kHeaderBlockBytes + 511, 0, native::read_header_sums);
}

Bytes record_of(const std::vector<std::uint64_t>& numbers) { return record_of_numbers(7, numbers); }

TEST(HeaderSumRecord, IsReadAsItWasWritten) {
  const HeaderSumSpans spans = {{Form::kSixNulSpace, 0, 200}, {Form::kSevenNul, 200, 1}, {Form::kSixSpaceNul, 999, 1}};
  const Bytes record = native::encode_header_sums(spans);
  EXPECT_EQ(record_of({3, 0, 0, 200, 2, 0, 1, 1, 798, 1}), record);
  const auto read = read_record(record);
  ASSERT_OK(read);
  EXPECT_EQ(spans, *read);
  for (std::size_t size = 1; size < record.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchTruncated, read_record(ByteSpan(record).first(size)));
  }
}

TEST(HeaderSumRecord, OnlySoundSpansAreTaken) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const std::vector<std::vector<std::uint64_t>> bad = {
      {0},                                // no span
      {},                                 // no count
      {2, 0, 0, 1},                       // one too few
      {1, 0, 0},                          // without a length
      {1, 0, 0, 1, 0},                    // a byte too many
      {1, 0, 0, 0},                       // no block
      {1, 0, 0, kTargetBlocks + 1},       // longer than the target
      {1, 0, kTargetBlocks, 1},           // behind it
      {1, 0, kTargetBlocks + 1, 1},
      {1, 0, 1, kHuge},                   // wraps
      {2, 0, 5, 5, 0, kHuge - 6, 1},      // in front of the one before
      {2, 0, 5, 5, 0, kHuge, 1},
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of(bad[i])));
  }
  ASSERT_OK(read_record(record_of({1, 0, 0, kTargetBlocks})));
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, read_record(record_of({1, 3, 0, 1})));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(empty_record(7, 64 * 1024 + 1)));
}

TEST(HeaderSumRecord, HasRoomForAllThatAPatchMayHave) {
  constexpr std::uint64_t kFar = std::uint64_t{1} << 31;  // blocks of 1 TiB
  constexpr std::uint64_t kTargetBytes = std::uint64_t{1} << 60;
  HeaderSumSpans spans;
  for (std::uint64_t i = 0; i < kMostHeaderSumSpans; ++i) spans.push_back({Form::kSixNulSpace, (2 * i + 1) * kFar, kFar});
  EXPECT_GT(native::kMaxHeaderSumRecordBytes, native::encode_header_sums(spans).size());
  EXPECT_OK(check_header_sums(spans, kTargetBytes));
  spans.push_back({Form::kSixNulSpace, (2 * kMostHeaderSumSpans + 1) * kFar, kFar});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_header_sums(spans, kTargetBytes));
}

// What comes out of a filler for windows of a size.
Bytes filled(const Bytes& bent, const HeaderSumSpans& spans, std::size_t window_bytes) {
  HeaderSumFiller filler(spans);
  Bytes made;
  for (std::size_t pos = 0; pos < bent.size(); pos += window_bytes) {
    Bytes window(bent.begin() + static_cast<std::ptrdiff_t>(pos),
                 bent.begin() + static_cast<std::ptrdiff_t>(std::min(pos + window_bytes, bent.size())));
    const auto pass = [&](std::uint64_t at, ByteSpan bytes) {
      EXPECT_EQ(made.size(), at);
      append(made, bytes);
      return Status();
    };
    if (filler.fills(pos, window.size())) {
      EXPECT_OK(filler.fill(pos, window, pass));
    } else {
      EXPECT_OK(pass(pos, window));
    }
  }
  return made;
}

TEST(HeaderSumFiller, WindowsMayEndAnywhere) {
  const Bytes target = tar_pair(12, 7).new_version;
  Bytes bent = target;
  std::uint64_t outside = 0;  // the first header behind all spans
  const HeaderSumSpans spans = {{Form::kSixNulSpace, 0, 3}, {Form::kSixNulSpace, 3, 10}, {Form::kSixNulSpace, 17, 12}};
  for (std::uint64_t pos = 0; pos < bent.size(); pos += kHeaderBlockBytes) {
    const auto in_span = [&](const HeaderSumSpan& span) { return pos >= span.begin() && pos < span.end(); };
    const bool inside = std::any_of(spans.begin(), spans.end(), in_span);
    if (!is_sum_header(ByteSpan(bent).subspan(pos, kHeaderBlockBytes))) continue;
    if (inside) bent[pos + kHeaderSumAt + 2] ^= 3;
    if (!inside && pos > spans.back().end() && outside == 0) outside = pos;
  }
  ASSERT_NE(0u, outside);
  bent[outside + kHeaderSumAt] = 'x';  // stays as it is
  Bytes expected = target;
  expected[outside + kHeaderSumAt] = 'x';
  for (const std::size_t window_bytes : {1u, 7u, 148u, 511u, 512u, 513u, 1000u, 4096u, 1u << 20}) {
    EXPECT_TRUE(same_bytes(expected, filled(bent, spans, window_bytes))) << window_bytes;
  }
}

TEST(HeaderSumFiller, AnErrorOfTheTargetEndsIt) {
  const TarPair pair = tar_pair(3, 8);
  const HeaderSumSpans spans = pair.spans();
  HeaderSumFiller filler(spans);
  Bytes window(pair.new_version.begin(), pair.new_version.begin() + 700);
  const auto fails = [](std::uint64_t, ByteSpan) -> Status { return Error{ErrorCode::kWriteFailed, {}}; };
  EXPECT_FAILS(ErrorCode::kWriteFailed, filler.fill(0, window, fails));
}

}  // namespace
}  // namespace bdelta::test::header_sum_test
