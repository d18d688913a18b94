// Digests of files in an archive that an applier can compute, as they are found.
#include "view/file_digests.hpp"
#include "support/fills.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/package.hpp"

namespace bdelta::test::view_file_digests_test {
namespace {

constexpr std::uint64_t kEverything = ~std::uint64_t{0};

FoundFills found_in(const Bytes& source, const Bytes& target, std::uint64_t most_hashed_bytes = kEverything) {
  WorkerPool pool(2);
  return view::find_file_digests(source, members_of(source), target, members_of(target), most_hashed_bytes, pool);
}

class EachShape : public ::testing::TestWithParam<PackageShape> {};

TEST_P(EachShape, OfChangedFilesAreFound) {
  const PackagePair pair = package_pair(GetParam());
  const FoundFills found = found_in(pair.old_version, pair.new_version);
  EXPECT_EQ(Fills{pair.changed}, found.fills);
  EXPECT_OK(check_fills(found.fills, pair.new_version.size()));
  ASSERT_EQ(pair.changed.ranges.size(), found.others.size());
  Bytes bent = pair.new_version;
  for (const OtherBytes& other : found.others) {
    std::copy(other.bytes.begin(), other.bytes.end(), bent.begin() + static_cast<std::ptrdiff_t>(other.pos));
  }
  EXPECT_FALSE(same_bytes(pair.new_version, bent));
  // In place of each digest that of the old version; of the file that is new, none.
  for (std::size_t i = 0; i + 1 < found.others.size(); ++i) {
    const auto at = std::search(pair.old_version.begin(), pair.old_version.end(), found.others[i].bytes.begin(),
                                found.others[i].bytes.end());
    EXPECT_NE(pair.old_version.end(), at);
  }
  EXPECT_EQ(Bytes(43, 'A'), found.others.back().bytes);
  fill_slowly(bent, found.fills);
  EXPECT_TRUE(same_bytes(pair.new_version, bent));
}

PackageShape shape_of(void (*change)(PackageShape&)) {
  PackageShape shape;
  change(shape);
  return shape;
}

INSTANTIATE_TEST_SUITE_P(Shapes, EachShape, ::testing::Values(
    PackageShape{}, shape_of([](PackageShape& shape) { shape.reversed_list = true; }),
    shape_of([](PackageShape& shape) { shape.root = "./"; }),
    shape_of([](PackageShape& shape) { shape.root = "usr/lib/python3/"; }),
    shape_of([](PackageShape& shape) { shape.file_count = 300; })));

TEST(FileDigests, NothingIsLeftOutWhereNothingIsGained) {
  const PackagePair pair = package_pair();
  EXPECT_EQ(Fills{}, found_in(pair.new_version, pair.new_version).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, {}).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, wordy_bytes(50'000, 1)).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, tar_pair(10, 1).new_version).fills);
  const PackagePair before = package_pair(shape_of([](PackageShape& shape) { shape.list_first = true; }));
  EXPECT_EQ(Fills{}, found_in(before.old_version, before.new_version).fills);
}

TEST(FileDigests, AWrongDigestStays) {
  PackagePair pair = package_pair();
  std::vector<FillRange>& ranges = pair.changed.ranges;
  pair.new_version[static_cast<std::size_t>(ranges[2].place_pos)] ^= 1;
  pair.new_version[static_cast<std::size_t>(ranges[5].pos)] ^= 1;
  ranges.erase(ranges.begin() + 5);
  ranges.erase(ranges.begin() + 2);
  EXPECT_EQ(Fills{pair.changed}, found_in(pair.old_version, pair.new_version).fills);
}

TEST(FileDigests, TheSmallestFilesGoFirst) {
  const PackagePair pair = package_pair();
  std::vector<std::uint64_t> sizes;
  for (const FillRange& range : pair.changed.ranges) sizes.push_back(range.bytes);
  std::sort(sizes.begin(), sizes.end());
  const std::uint64_t three = sizes[0] + sizes[1] + sizes[2];
  for (const auto& [most_bytes, count] : {std::pair{three, 3u}, {three - 1, 2u}, {sizes[0], 0u}}) {
    const FoundFills found = found_in(pair.old_version, pair.new_version, most_bytes);
    EXPECT_EQ(count, found.others.size());
    for (const FillRule& rule : found.fills) {
      for (const FillRange& range : rule.ranges) EXPECT_LE(range.bytes, sizes[2]);
    }
  }
}

TEST(FileDigests, ArchivesCutAnywhereAreLookedThrough) {
  const PackagePair pair = package_pair();
  for (std::size_t size = 0; size < pair.new_version.size(); size += 509) {
    const Bytes cut(pair.new_version.begin(), pair.new_version.begin() + static_cast<std::ptrdiff_t>(size));
    const FoundFills found = found_in(pair.old_version, cut);
    EXPECT_OK(check_fills(found.fills, size));
    EXPECT_LE(found.others.size(), pair.changed.ranges.size());
  }
}

TEST(FileDigests, HavePositionsOfTheView) {
  constexpr std::size_t kBefore = 77;
  PackagePair pair = package_pair();
  Bytes source(300, 'x'), target(kBefore, 'y');
  append(source, pair.old_version);
  append(target, pair.new_version);
  WorkerPool pool(2);
  const FoundFills found =
      view::find_file_digests(source, members_of(source, 300), target, members_of(target, kBefore), kEverything, pool);
  for (FillRange& range : pair.changed.ranges) {
    range.pos += kBefore;
    range.place_pos += kBefore;
  }
  EXPECT_EQ(Fills{pair.changed}, found.fills);
  const FoundFills alone = found_in(pair.old_version, pair.new_version);
  ASSERT_EQ(alone.others.size(), found.others.size());
  for (std::size_t i = 0; i < found.others.size(); ++i) {
    EXPECT_EQ(alone.others[i].pos + kBefore, found.others[i].pos);
    EXPECT_EQ(alone.others[i].bytes, found.others[i].bytes);
  }
}

}  // namespace
}  // namespace bdelta::test::view_file_digests_test
