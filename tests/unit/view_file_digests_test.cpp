// Digests of files in an archive that an applier can compute, as they are found.
#include "view/file_digests.hpp"

#include "hash/sha256.hpp"
#include "support/fills.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/package.hpp"
#include "support/signed_jar.hpp"

namespace bdelta::test::view_file_digests_test {
namespace {

FoundFills found_in(const Bytes& source, const Bytes& target, std::uint64_t apply_byte_ns = 0, const Fills& before = {}) {
  WorkerPool pool(2);
  return view::find_file_digests(source, members_of(source), target, members_of(target), before, apply_byte_ns, pool);
}

Bytes with_others(Bytes target, const FoundFills& found) {
  for (const OtherBytes& other : found.others) {
    std::copy(other.bytes.begin(), other.bytes.end(), target.begin() + static_cast<std::ptrdiff_t>(other.pos));
  }
  return target;
}

class EachShape : public ::testing::TestWithParam<PackageShape> {};

TEST_P(EachShape, OfChangedFilesAreFound) {
  const PackagePair pair = package_pair(GetParam());
  const FoundFills found = found_in(pair.old_version, pair.new_version);
  EXPECT_EQ(Fills{pair.changed}, found.fills);
  EXPECT_OK(check_fills(found.fills, pair.new_version.size()));
  ASSERT_EQ(pair.changed.ranges.size(), found.others.size());
  Bytes bent = with_others(pair.new_version, found);
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
    shape_of([](PackageShape& shape) { shape.list_first = true; }),
    shape_of([](PackageShape& shape) { shape.root = "./"; }),
    shape_of([](PackageShape& shape) { shape.root = "usr/lib/python3/"; }),
    shape_of([](PackageShape& shape) { shape.file_count = 300; })));

TEST(FileDigests, NothingIsLeftOutWhereNothingIsGained) {
  const PackagePair pair = package_pair();
  EXPECT_EQ(Fills{}, found_in(pair.new_version, pair.new_version).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, {}).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, wordy_bytes(50'000, 1)).fills);
  EXPECT_EQ(Fills{}, found_in(pair.old_version, tar_pair(10, 1).new_version).fills);
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

// By what hashing a file may take, unless all of it takes next to nothing.
TEST(FileDigests, LargeFilesKeepTheirs) {
  constexpr std::size_t kLargeBytes = std::size_t{20} << 20;  // more than is hashed for next to nothing
  std::vector<TarFile> before = {{"kit/a", 1, Bytes(1000, 'a')}, {"kit/b", 1, Bytes(2000, 'b')}, {"kit/c", 1, Bytes(kLargeBytes, 'c')}};
  std::vector<TarFile> after = before;
  for (TarFile& file : after) file.content[500] = 'x';
  for (auto* const files : {&before, &after}) {
    std::string list;
    for (const TarFile& file : *files) list += file.name + ",sha256=" + base64url(sha256(file.content)) + ",1\n";
    files->push_back({"kit-1.dist-info/RECORD", 1, bytes_of(list)});
  }
  const Bytes source = tar_of(before), target = tar_of(after);
  EXPECT_EQ(2u, found_in(source, target, 500).others.size());
  EXPECT_EQ(3u, found_in(source, target, 10'000'000).others.size());
  EXPECT_EQ(3u, found_in(source, target, 0).others.size());
}

// Lists in front of their files are held back when a patch is applied, and headers aren't.
TEST(FileDigests, InFrontOfHeadersStay) {
  const PackagePair pair = package_pair(shape_of([](PackageShape& shape) { shape.list_first = true; }));
  const Fills headers = {{tar_checksums(FillEncoding::kSixNulSpace), 0, {{0, pair.new_version.size(), 0}}}};
  EXPECT_EQ(Fills{}, found_in(pair.old_version, pair.new_version, 0, headers).fills);
  const PackagePair behind = package_pair();
  EXPECT_EQ(Fills{behind.changed}, found_in(behind.old_version, behind.new_version, 0, headers).fills);
}

class EachJar : public ::testing::TestWithParam<JarShape> {};

// Of each changed file one in the manifest, and for each signer that of its section and that of the manifest.
TEST_P(EachJar, DigestsOfSignedJarsAreFound) {
  const JarPair pair = jar_pair(GetParam());
  const Bytes source = tar_of(pair.old_version), target = tar_of(pair.new_version);
  const FoundFills found = found_in(source, target);
  EXPECT_EQ(pair.changed_count + GetParam().signer_count * (pair.changed_count + 1), found.others.size());
  EXPECT_OK(check_fills(found.fills, target.size()));
  EXPECT_EQ(GetParam().lists_first, !held_parts(found.fills).empty());
  Bytes bent = with_others(target, found);
  EXPECT_FALSE(same_bytes(target, bent));
  fill_slowly(bent, found.fills);
  EXPECT_TRUE(same_bytes(target, bent));
  EXPECT_EQ(Fills{}, found_in(target, target).fills);
}

JarShape jar_of(void (*change)(JarShape&)) {
  JarShape shape;
  change(shape);
  return shape;
}

INSTANTIATE_TEST_SUITE_P(Shapes, EachJar, ::testing::Values(
    JarShape{}, jar_of([](JarShape& shape) { shape.signer_count = 3; }), jar_of([](JarShape& shape) { shape.signer_count = 0; }),
    jar_of([](JarShape& shape) { shape.lists_first = false; }), jar_of([](JarShape& shape) { shape.line_end = "\n"; }),
    jar_of([](JarShape& shape) { shape.long_names = true; }), jar_of([](JarShape& shape) { shape.root = "lib/kit-1.2.jar/"; })));

TEST(JarDigests, InFrontOfTheManifest) {
  const JarPair pair = jar_pair(jar_of([](JarShape& shape) {
    shape.lists_first = false;
    shape.signatures_first = true;
  }));
  const Bytes source = tar_of(pair.old_version), target = tar_of(pair.new_version);
  const FoundFills found = found_in(source, target);
  EXPECT_EQ(2 * pair.changed_count + 1, found.others.size());
  EXPECT_EQ(1u, held_parts(found.fills).size());
  Bytes bent = with_others(target, found);
  fill_slowly(bent, found.fills);
  EXPECT_TRUE(same_bytes(target, bent));
}

// Of files further behind their manifest than may be held back, digests stay; those of sections in front of it do, too, where
// both together are too much.
TEST(JarDigests, FarBehindTheManifestStay) {
  constexpr std::size_t kFarBytes = kMostHeldPartBytes - 100'000;
  for (const bool signatures_first : {false, true}) {
    JarShape shape;
    shape.signatures_first = signatures_first;
    shape.file_count = 600;  // a signature file of 80,000 bytes
    JarPair pair = jar_pair(shape);
    for (auto* const files : {&pair.old_version, &pair.new_version}) {
      files->insert(files->begin() + 100, {"far", 1, Bytes(kFarBytes, 'f')});
    }
    const Bytes source = tar_of(pair.old_version), target = tar_of(pair.new_version);
    const FoundFills found = found_in(source, target);
    EXPECT_OK(check_fills(found.fills, target.size()));
    EXPECT_LT(20u, found.others.size());
    EXPECT_GT(2 * pair.changed_count, found.others.size());
    Bytes bent = with_others(target, found);
    fill_slowly(bent, found.fills);
    EXPECT_TRUE(same_bytes(target, bent));
  }
}

// The name of an archive has its version in it, and tells nothing of what is inside.
TEST(JarDigests, OfAnotherVersionStandInTheirPlace) {
  const auto files = [](const char* root) {
    JarShape shape;
    shape.root = root;
    return jar_pair(shape);
  };
  const Bytes source = tar_of(files("lib/kit-1.jar/").old_version), target = tar_of(files("lib/kit-2.jar/").new_version);
  const FoundFills found = found_in(source, target);
  const auto is_of_source = [&](const OtherBytes& other) {
    return std::search(source.begin(), source.end(), other.bytes.begin(), other.bytes.end()) != source.end();
  };
  ASSERT_FALSE(found.others.empty());
  EXPECT_EQ(2, std::count_if(found.others.begin(), found.others.end(), [&](const OtherBytes& other) { return !is_of_source(other); }))
      << "those of the file that is new";
}

TEST(JarDigests, ListsCutAnywhereAreLookedThrough) {
  const JarPair pair = jar_pair(jar_of([](JarShape& shape) { shape.file_count = 8; }));
  const Bytes source = tar_of(pair.old_version);
  for (const std::size_t list : {0u, 1u}) {
    for (std::size_t size = 0; size < pair.new_version[list].content.size(); size += 7) {
      std::vector<TarFile> cut = pair.new_version;
      cut[list].content.resize(size);
      const Bytes target = tar_of(cut);
      const FoundFills found = found_in(source, target);
      ASSERT_OK(check_fills(found.fills, target.size()));
      Bytes bent = with_others(target, found);
      fill_slowly(bent, found.fills);
      ASSERT_TRUE(same_bytes(target, bent)) << list << ' ' << size;
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
      view::find_file_digests(source, members_of(source, 300), target, members_of(target, kBefore), {}, 0, pool);
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
