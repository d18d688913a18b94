// Digests of files in an archive that an applier can compute, as they are found.
#include "create/file_digest_pass.hpp"
#include "create/tar_members.hpp"
#include "support/fills.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/package.hpp"

namespace bdelta::test::file_digest_test {
namespace {

constexpr std::uint64_t kEverything = ~std::uint64_t{0};

FoundFills found_in(const Bytes& source, const Bytes& target, std::uint64_t most_hashed_bytes = kEverything) {
  WorkerPool pool(2);
  return find_file_digests(source, target, most_hashed_bytes, pool);
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

TEST(FileDigestPass, NothingIsLeftOutWhereNothingIsGained) {
  const PackagePair pair = package_pair();
  EXPECT_EQ(Fills{}, found_in(pair.new_version, pair.new_version).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, {}).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, wordy_bytes(50'000, 1)).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, tar_pair(10, 1).new_version).fills);
  const PackagePair before = package_pair(shape_of([](PackageShape& shape) { shape.list_first = true; }));
  EXPECT_EQ(Fills{}, found_in(before.old_version, before.new_version).fills);
}

TEST(FileDigestPass, AWrongDigestStays) {
  PackagePair pair = package_pair();
  std::vector<FillRange>& ranges = pair.changed.ranges;
  pair.new_version[static_cast<std::size_t>(ranges[2].place_pos)] ^= 1;
  pair.new_version[static_cast<std::size_t>(ranges[5].pos)] ^= 1;
  ranges.erase(ranges.begin() + 5);
  ranges.erase(ranges.begin() + 2);
  EXPECT_EQ(Fills{pair.changed}, found_in(pair.old_version, pair.new_version).fills);
}

TEST(FileDigestPass, TheSmallestFilesGoFirst) {
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

TEST(FileDigestPass, ArchivesCutAnywhereAreLookedThrough) {
  const PackagePair pair = package_pair();
  for (std::size_t size = 0; size < pair.new_version.size(); size += 509) {
    const Bytes cut(pair.new_version.begin(), pair.new_version.begin() + static_cast<std::ptrdiff_t>(size));
    const FoundFills found = found_in(pair.old_version, cut);
    EXPECT_OK(check_fills(found.fills, size));
    EXPECT_LE(found.others.size(), pair.changed.ranges.size());
  }
}

std::vector<std::string> names_in(const Bytes& archive) {
  std::vector<std::string> names;
  for_each_tar_member(archive, [&](const TarMember& member) {
    if (member.is_file) names.push_back(member.name);
  });
  return names;
}

TEST(TarMembers, HaveTheNamesOfTheirExtensions) {
  const auto bytes_of = [](const std::string& text) { return Bytes(text.begin(), text.end()); };
  const std::string name(120, 'n');
  const Bytes pax = bytes_of("13 mtime=123\n130 path=" + name + "\n");
  const std::vector<std::string> expected = {name, "short", name, "last"};
  EXPECT_EQ(expected, names_in(tar_of({{"././@PaxHeader", 0, pax, 'x'},
                                       {"cut", 0, bytes_of("a")},
                                       {"short", 0, {}},
                                       {"folder/", 0, {}, '5'},
                                       {"././@LongLink", 0, bytes_of(name + '\0'), 'L'},
                                       {"cut", 0, bytes_of("b")},
                                       {"link", 0, {}, '2'},
                                       {"last", 0, bytes_of("c"), '\0'}})));
  for (const char* strange : {"", "x", "5", "0 path=a\n", "99 path=a\n", "3 p", "999999999 path=a\n", "7 path=\n"}) {
    EXPECT_EQ(std::vector<std::string>{"own"}, names_in(tar_of({{"pax", 0, bytes_of(strange), 'x'}, {"own", 0, {}}}))) << strange;
  }
}

TEST(TarMembers, EndWhereTheArchiveIsNotUnderstood) {
  const Bytes archive = tar_of({{"one", 0, Bytes(700, 'x')}, {"two", 0, Bytes(1, 'y')}});
  EXPECT_EQ((std::vector<std::string>{"one", "two"}), names_in(archive));
  Bytes large = archive;
  large[3 * kTarBlockBytes + 124] = 0x80;  // a size that is not octal
  EXPECT_EQ(std::vector<std::string>{"one"}, names_in(large));
  large[3 * kTarBlockBytes + 124] = '7';  // behind the end
  EXPECT_EQ(std::vector<std::string>{"one"}, names_in(large));
}

}  // namespace
}  // namespace bdelta::test::file_digest_test
