// Checksums of tar headers that an applier can compute, as they are found.
#include "view/header_sums.hpp"
#include "support/fills.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/tar.hpp"

namespace bdelta::test::view_header_sums_test {
namespace {

using Form = FillEncoding;

FoundFills found_in(const Bytes& source, const Bytes& target) {
  WorkerPool pool(2);
  return view::find_header_sums(source, {{0, source.size()}}, target, {{0, target.size()}}, pool);
}

class EachForm : public ::testing::TestWithParam<Form> {};

TEST_P(EachForm, IsFoundWithTheSumsOfThePartners) {
  const TarPair pair = tar_pair(40, 1, "app-1.0", "app-1.1", GetParam());
  const FoundFills found = found_in(pair.old_version, pair.new_version);
  ASSERT_EQ(1u, found.fills.size());
  EXPECT_EQ(tar_checksums(GetParam()), found.fills[0].kind);
  ASSERT_EQ(1u, found.fills[0].ranges.size());
  const FillRange& range = found.fills[0].ranges[0];
  EXPECT_LE(38u, found.others.size());  // not the new file; two may have the same sum by chance
  Bytes bent = pair.new_version;
  for (const OtherBytes& other : found.others) {
    EXPECT_LE(range.pos, other.pos);
    EXPECT_GT(range.end(), other.pos);
    std::copy(other.bytes.begin(), other.bytes.end(), bent.begin() + static_cast<std::ptrdiff_t>(other.pos));
  }
  EXPECT_TRUE(same_bytes(ByteSpan(pair.old_version).subspan(kTarChecksumAt, 8), ByteSpan(bent).subspan(kTarChecksumAt, 8)));
  EXPECT_FALSE(same_bytes(pair.new_version, bent));
  fill_slowly(bent, found.fills);
  EXPECT_TRUE(same_bytes(pair.new_version, bent));
}

INSTANTIATE_TEST_SUITE_P(Forms, EachForm, ::testing::Values(Form::kSixNulSpace, Form::kSixSpaceNul, Form::kSevenNul));

TEST(HeaderSums, FilesOfTheSameNameGoBeforeThoseOfAnotherFolder) {
  std::vector<TarFile> before;
  std::vector<TarFile> after;
  for (unsigned i = 0; i < 20; ++i) {
    const std::string name = "/file" + std::to_string(i);
    before.push_back({"b" + name, 1'000'000 + i, {}});
    before.push_back({"a" + name, 2'000'000 + 64 * i, {}});
    after.push_back({"a" + name, 3'000'000 + 512 * i, {}});
  }
  const Bytes source = tar_of(before);
  const FoundFills found = found_in(source, tar_of(after));
  ASSERT_LT(10u, found.others.size());
  for (const OtherBytes& other : found.others) {
    const std::size_t file = other.pos / kTarBlockBytes;
    const std::size_t partner = (2 * file + 1) * kTarBlockBytes + kTarChecksumAt;
    EXPECT_TRUE(same_bytes(ByteSpan(source).subspan(partner, 8), other.bytes)) << file;
  }
}

// Python gives all of these one name; each belongs to the file behind it.
TEST(HeaderSums, EntriesThatTellMoreOfAFileGoWithIt) {
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
  const FoundFills found = found_in(source, target);
  ASSERT_LT(10u, found.others.size());
  for (const OtherBytes& other : found.others) {
    const std::size_t file = 19 - other.pos / kTarBlockBytes / 3;  // a header, a block, and the file's header
    const std::size_t partner = file * 3 * kTarBlockBytes + kTarChecksumAt;
    EXPECT_EQ(kTarChecksumAt, other.pos % (3 * kTarBlockBytes));
    EXPECT_TRUE(same_bytes(ByteSpan(source).subspan(partner, 8), other.bytes)) << file;
  }
}

TEST(HeaderSums, FilesOfOneNameGoByTheirOrder) {
  std::vector<TarFile> before;
  std::vector<TarFile> after;
  for (unsigned i = 0; i < 20; ++i) {
    before.push_back({"same", 1'000'000 + 8 * i, {}});
    after.push_back({"same", 2'000'000 + i, {}});
  }
  const Bytes source = tar_of(before);
  const FoundFills found = found_in(source, tar_of(after));
  ASSERT_LT(10u, found.others.size());
  for (const OtherBytes& other : found.others) {
    EXPECT_TRUE(same_bytes(ByteSpan(source).subspan(static_cast<std::size_t>(other.pos), 8), other.bytes));
  }
}

TEST(HeaderSums, NothingIsLeftOutWhereNothingIsGained) {
  const TarPair pair = tar_pair(40, 2);
  EXPECT_EQ(Fills{}, found_in(pair.new_version, pair.new_version).fills);
  EXPECT_EQ(Fills{}, found_in(wordy_bytes(50'000, 1), pair.new_version).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, {}).fills);
  EXPECT_EQ(Fills{}, found_in({}, pair.new_version).fills);
  const TarPair few = tar_pair(7, 3);
  EXPECT_EQ(Fills{}, found_in(few.old_version, few.new_version).fills);
  Bytes moved{0};  // headers at other places than multiples of a block
  append(moved, pair.new_version);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, moved).fills);
}

TEST(HeaderSums, AWrongChecksumEndsARange) {
  const TarPair pair = tar_pair(60, 4);
  Bytes target = pair.new_version;
  const FoundFills whole = found_in(pair.old_version, target);
  ASSERT_EQ(1u, whole.fills.size());
  ASSERT_EQ(1u, whole.fills[0].ranges.size());
  const OtherBytes& middle = whole.others[whole.others.size() / 2];
  target[static_cast<std::size_t>(middle.pos) + 4] ^= 1;
  const FoundFills found = found_in(pair.old_version, target);
  ASSERT_EQ(1u, found.fills.size());
  ASSERT_EQ(2u, found.fills[0].ranges.size());
  EXPECT_GE(middle.pos, found.fills[0].ranges[0].end());
  EXPECT_LT(middle.pos, found.fills[0].ranges[1].pos);
  EXPECT_EQ(whole.others.size(), found.others.size() + 1);
  EXPECT_OK(check_fills(found.fills, target.size()));
}

TEST(HeaderSums, FarStretchesAndOtherFormsHaveRangesOfTheirOwn) {
  const TarPair near = tar_pair(20, 5);
  const TarPair far = tar_pair(20, 6, "tool-1", "tool-2", Form::kSixSpaceNul);
  for (const std::size_t between : {std::size_t{0}, std::size_t{6} << 20}) {
    Bytes source = near.old_version;
    source.resize(source.size() + between, 7);
    append(source, far.old_version);
    Bytes target = near.new_version;
    target.resize(target.size() + between, 7);
    append(target, between == 0 ? far.new_version : near.new_version);
    const FoundFills found = found_in(source, target);
    ASSERT_EQ(between == 0 ? 2u : 1u, found.fills.size());
    EXPECT_EQ(between == 0 ? 1u : 2u, found.fills[0].ranges.size());
    EXPECT_EQ(tar_checksums(between == 0 ? Form::kSixSpaceNul : Form::kSixNulSpace), found.fills.back().kind);
  }
}

TEST(HeaderSums, HavePositionsOfTheView) {
  constexpr std::size_t kBefore = 77;
  const TarPair pair = tar_pair(40, 1);
  Bytes source(300, 'x'), target(kBefore, 'y');
  append(source, pair.old_version);
  append(target, pair.new_version);
  WorkerPool pool(2);
  const FoundFills found = view::find_header_sums(source, {{300, source.size()}}, target, {{kBefore, target.size()}}, pool);
  const FoundFills alone = found_in(pair.old_version, pair.new_version);
  ASSERT_EQ(1u, alone.fills.size());
  ASSERT_EQ(1u, found.fills.size());
  ASSERT_EQ(1u, found.fills[0].ranges.size());
  FillRange moved = alone.fills[0].ranges[0];
  moved.pos += kBefore;
  EXPECT_EQ(moved, found.fills[0].ranges[0]);
  ASSERT_EQ(alone.others.size(), found.others.size());
  for (std::size_t i = 0; i < found.others.size(); ++i) {
    EXPECT_EQ(alone.others[i].pos + kBefore, found.others[i].pos);
    EXPECT_EQ(alone.others[i].bytes, found.others[i].bytes);
  }
}

// Blocks are counted anew in each, and none between them is a header, whatever it looks like.
TEST(HeaderSums, ArchivesAreApart) {
  const TarPair pair = tar_pair(40, 1);
  const std::uint64_t bytes = pair.new_version.size(), other_begin = bytes + kTarBlockBytes + 3;
  Bytes target = pair.new_version;
  append(target, ByteSpan(pair.old_version).first(kTarBlockBytes));
  target.resize(target.size() + 3, 'x');
  append(target, pair.new_version);
  WorkerPool pool(2);
  const FoundFills found = view::find_header_sums(pair.old_version, {{0, pair.old_version.size()}}, target,
                                                  {{0, bytes}, {other_begin, target.size()}}, pool);
  ASSERT_EQ(1u, found.fills.size());
  ASSERT_EQ(2u, found.fills[0].ranges.size());
  EXPECT_GE(bytes, found.fills[0].ranges[0].end());
  EXPECT_EQ(0u, (found.fills[0].ranges[1].pos - other_begin) % kTarBlockBytes);
}

}  // namespace
}  // namespace bdelta::test::view_header_sums_test
