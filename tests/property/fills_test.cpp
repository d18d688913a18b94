// Patches that leave bytes to be filled in: smaller by these, and the same NEW through every sink, cut and thread count.
#include "delta/fills.hpp"

#include "format/native/layout.hpp"
#include "hash/sha256.hpp"
#include "support/archive.hpp"
#include "support/craft.hpp"
#include "support/fills.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/package.hpp"
#include "support/signed_jar.hpp"
#include "support/signed_program.hpp"

namespace bdelta::test::fills_test {
namespace {

enum class Of { kArchive, kPackage, kProgram };

// What is to be filled in in the new version, all that there is.
struct Pair {
  Bytes old_version;
  Bytes new_version;
  Fills fills;
};

Pair pair_of(Of what, unsigned count, unsigned seed) {
  if (what == Of::kArchive) {
    const TarPair archives = tar_pair(count, seed);
    return {archives.old_version, archives.new_version, {archives.checksums()}};
  }
  if (what == Of::kProgram) {
    const SignedPair programs = signed_pair(1000 * count, seed);
    return {programs.old_version.bytes, programs.new_version.bytes, {programs.new_version.digests}};
  }
  PackageShape shape;
  shape.file_count = count;
  shape.seed = seed;
  shape.reversed_list = true;
  const PackagePair packages = package_pair(shape);
  return {packages.old_version, packages.new_version, {packages.changed}};
}

FillShape shape_of(Of what) {
  constexpr FillShape kShapes[] = {FillShape::kTarHeaders, FillShape::kWhole, FillShape::kPages};
  return kShapes[static_cast<unsigned>(what)];
}

// Spoils what would be filled in, so that nothing is.
void spoil(Pair& pair, Of what) {
  if (what != Of::kArchive) {
    for (const FillRange& range : pair.fills[0].ranges) pair.new_version[range.place_pos + 20] ^= 1;
    return;
  }
  for (Bytes* const archive : {&pair.old_version, &pair.new_version}) {
    unsigned header_count = 0;
    for (std::size_t pos = 0; pos < archive->size(); pos += kTarBlockBytes) {
      if (!is_tar_header(ByteSpan(*archive).subspan(pos, kTarBlockBytes))) continue;
      if (header_count++ % 4 == 0) (*archive)[pos + kTarChecksumAt] = '7';  // leaves no stretch to name
    }
  }
}

class FillLevels : public ::testing::TestWithParam<std::tuple<Of, int>> {};

TEST_P(FillLevels, LeaveToBeFilledInWhatChanged) {
  const auto [what, level] = GetParam();
  Pair pair = pair_of(what, 300, 1);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(level, PatchFormat::kBdt2, 2));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_fills(*patch, shape_of(what)));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);

  spoil(pair, what);
  const auto with_all = make_patch(pair.old_version, pair.new_version, create_options(level));
  ASSERT_OK(with_all);
  EXPECT_FALSE(has_fills(*with_all, shape_of(what)));
  EXPECT_LT(patch->size() + (what == Of::kProgram ? 75 * 32 / 10 * 9 : 150), with_all->size());
}

const auto kAll = ::testing::Values(Of::kArchive, Of::kPackage, Of::kProgram);

INSTANTIATE_TEST_SUITE_P(All, FillLevels, ::testing::Combine(kAll, ::testing::Values(3, 6, 9, kUltraLevel)));

class Fill : public ::testing::TestWithParam<Of> {};

TEST_P(Fill, NothingAtFastLevels) {
  const Pair pair = pair_of(GetParam(), 100, 2);
  for (const int level : {1, 2}) {
    const auto patch = make_patch(pair.old_version, pair.new_version, create_options(level));
    ASSERT_OK(patch);
    EXPECT_FALSE(has_record(*patch, native::RecordTag::kFills));
  }
}

TEST_P(Fill, WindowsOfAnySize) {
  const Pair pair = pair_of(GetParam(), 30, 3);
  const Covers covers = covers_of(pair.old_version, pair.new_version);
  for (const std::uint64_t window_bytes : {40u, 512u, 700u, 4096u, 5000u, 1u << 20}) {
    Craft craft;
    craft.fills = pair.fills;
    craft.window_bytes = window_bytes;
    craft.group_bytes = 3 * window_bytes + 1;
    const Bytes patch = craft_patch(pair.old_version, pair.new_version, covers, craft);
    EXPECT_EQ(pair.fills, fills_of(patch));
    expect_rebuilt_everywhere(pair.old_version, patch, pair.new_version);
  }
}

// Copies without residual go straight from OLD to NEW, but for those with places; what passes by is hashed all the same.
TEST_P(Fill, PlainWindows) {
  const Pair pair = pair_of(GetParam(), 40, 4);
  const Bytes& target = pair.new_version;
  const Bytes source = before_fills(target, pair.fills);
  Craft craft;
  craft.fills = pair.fills;
  craft.outlines = {{{0, 3000, true, 0}, {3000, target.size() - 3000, true, 0}}};
  expect_rebuilt_everywhere(source, craft_patch(source, target, {{0, 0, target.size()}}, craft), target);
}

// Copies of NEW are of what windows give, not of what is filled in.
TEST_P(Fill, NothingThatCopiesOfTheTargetSee) {
  const Pair pair = pair_of(GetParam(), 20, 5);
  const std::size_t half = pair.new_version.size();
  Bytes target = pair.new_version;
  append(target, before_fills(pair.new_version, pair.fills));
  Craft craft;
  craft.fills = pair.fills;
  craft.window_bytes = 1000;
  craft.group_bytes = 1 << 20;
  Covers covers = covers_of(pair.old_version, pair.new_version);
  covers.push_back({pair.old_version.size(), half, half});
  const Bytes patch = craft_patch(pair.old_version, target, covers, craft);
  EXPECT_TRUE(has_feature(patch, native::kFeatureTargetCopies));
  expect_rebuilt_everywhere(pair.old_version, patch, target);
}

TEST_P(Fill, TheSameForAnyThreadCount) {
  const Pair pair = pair_of(GetParam(), 200, 8);
  for (const int level : {3, 6, 9}) {
    const Bytes patch = expect_same_patch_by_any_threads(pair.old_version, pair.new_version, level);
    EXPECT_TRUE(has_fills(patch, shape_of(GetParam())));
  }
}

TEST_P(Fill, ThroughPush) {
  const Pair pair = pair_of(GetParam(), 100, 9);
  CreateOptions options = create_options(6);
  options.group_digests = true;
  const auto patch = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(patch);
  EXPECT_TRUE(has_fills(*patch, shape_of(GetParam())));
  expect_rebuilt_in_pieces(pair.old_version, *patch, pair.new_version);
}

INSTANTIATE_TEST_SUITE_P(All, Fill, kAll);

// An archive of signed programs with a list of their digests: what is filled in is of what is filled in.
Pair package_of_programs() {
  std::vector<TarFile> before;
  std::vector<TarFile> after;
  for (unsigned i = 0; i < 12; ++i) {
    const SignedPair programs = signed_pair(40'000, 20 + i);
    const std::string name = "kit/part" + std::to_string(i) + ".so";
    before.push_back({name, 1000, programs.old_version.bytes});
    after.push_back({name, 2000 + i, programs.new_version.bytes});
  }
  for (std::vector<TarFile>* const files : {&before, &after}) {
    std::string lines;
    for (const TarFile& file : *files) lines += file.name + ",sha256=" + base64url(sha256(file.content)) + ",1\n";
    files->push_back({"kit-1.dist-info/RECORD", 3000, Bytes(lines.begin(), lines.end())});
  }
  return {tar_of(before), tar_of(after), {}};
}

TEST(Fills, OfWhatIsFilledIn) {
  const Pair pair = package_of_programs();
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(9));
  ASSERT_OK(patch);
  for (const FillShape shape : {FillShape::kTarHeaders, FillShape::kPages, FillShape::kWhole}) {
    EXPECT_TRUE(has_fills(*patch, shape));
  }
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);
  Craft craft;
  craft.fills = fills_of(*patch);
  craft.window_bytes = 9000;
  craft.group_bytes = 100'000;
  const Covers covers = covers_of(pair.old_version, pair.new_version);
  const Bytes crafted = craft_patch(pair.old_version, pair.new_version, covers, craft);
  expect_rebuilt_everywhere(pair.old_version, crafted, pair.new_version);
}

// An archive that is the code of a signed program, as far as the program says: its pages have the list of digests in them.
Bytes program_around(const Bytes& package) {
  constexpr std::size_t kEndBytes = 2 * kTarBlockBytes;
  Bytes archive = tar_of({{"program", 1, Bytes(kSignedCode)}});
  archive.resize(archive.size() - kEndBytes);
  append(archive, ByteSpan(package).first(package.size() - kEndBytes));
  const std::size_t code_end = archive.size() + kTarBlockBytes;
  append(archive, tar_of({{"signature", 1, Bytes(20'000)}}));
  const std::size_t code_pos = kTarBlockBytes + kSignedCode;
  const SignedProgram program = signed_program(ByteSpan(archive).subspan(code_pos, code_end - code_pos));
  std::copy(program.bytes.begin(), program.bytes.end(), archive.begin() + kTarBlockBytes);
  return archive;
}

TEST(Fills, OutOfOrderAreLeftAsTheyAre) {
  PackageShape shape;
  shape.file_count = 60;
  const PackagePair packages = package_pair(shape);
  const Bytes source = program_around(packages.old_version);
  const Bytes target = program_around(packages.new_version);
  const auto patch = make_patch(source, target, create_options(9));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_fills(*patch, FillShape::kPages));
  EXPECT_FALSE(has_fills(*patch, FillShape::kWhole));
  expect_rebuilt_everywhere(source, *patch, target);

  CreateOptions options = create_options(9);
  options.predict = false;  // without prediction, programs are not looked for
  const auto with_digests = make_patch(source, target, options);
  ASSERT_OK(with_digests);
  EXPECT_TRUE(has_fills(*with_digests, FillShape::kWhole));
  expect_rebuilt_everywhere(source, *with_digests, target);
}

// An archive of a package whose list begins with what is a tar header, too: its first line is of no file.
Bytes package_with_a_list_that_is_a_header(unsigned time) {
  std::string lines = std::string(257, 'n') + "ustar,sha256=,0\n";
  std::vector<TarFile> files;
  for (unsigned i = 0; i < 20; ++i) {
    files.push_back({"kit/part" + std::to_string(i) + ".py", time + i, wordy_bytes(500, time + i)});
    lines += files.back().name + ",sha256=" + base64url(sha256(files.back().content)) + ",500\n";
  }
  files.push_back({"kit-1.dist-info/RECORD", time, Bytes(lines.begin(), lines.end())});
  Bytes archive = tar_of(files);
  const std::size_t list = archive.size() - 2 * kTarBlockBytes - (lines.size() + 511) / 512 * 512;
  const TarChecksum sum = tar_checksum(ByteSpan(archive).subspan(list, kTarBlockBytes), FillEncoding::kSixNulSpace);
  std::copy(sum.begin(), sum.end(), archive.begin() + static_cast<std::ptrdiff_t>(list + kTarChecksumAt));
  return archive;
}

TEST(Fills, InWhatLooksLikeAHeaderAreLeftAsTheyAre) {
  const Bytes source = package_with_a_list_that_is_a_header(1000);
  const Bytes target = package_with_a_list_that_is_a_header(5000);
  const auto patch = make_patch(source, target, create_options(9));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_fills(*patch, FillShape::kTarHeaders));
  EXPECT_FALSE(has_fills(*patch, FillShape::kWhole));
  expect_rebuilt_everywhere(source, *patch, target);
}

TEST(Fills, AnotherPageThanPromisedIsNoticed) {
  const Pair pair = pair_of(Of::kProgram, 60, 5);
  Craft craft;
  craft.fills = pair.fills;
  const Covers covers = covers_of(pair.old_version, pair.new_version);
  SplitPatch split = split_patch(craft_patch(pair.old_version, pair.new_version, covers, craft));
  ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kFills), split.body[0]);
  ASSERT_EQ(12, split.body[6]);
  split.body[6] = 13;  // pages of twice the size: fewer digests, and others
  EXPECT_FAILS(ErrorCode::kTargetDigest, apply_patch(pair.old_version, with_header(split.header, split.body)));
}

TEST(Fills, ThePatchNeedsItsRecord) {
  const Pair pair = pair_of(Of::kArchive, 50, 10);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(3));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kFills), split.body[0]);
  std::vector<CraftedRecord> without = records_of(split.body);
  without.erase(without.begin());
  EXPECT_FAILS(ErrorCode::kTargetDigest, apply_patch(pair.old_version, with_header(split.header, joined(without))));
  split.body[3] = 3;  // another form
  EXPECT_FAILS(ErrorCode::kTargetDigest, apply_patch(pair.old_version, with_header(split.header, split.body)));
  split.header.decoder_memory_bytes = kHeldFillBytes - 1;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, with_header(split.header, split.body)));
}

// Of a signed archive as it is unpacked. Digests that are wrong stay as they are.
Bytes zip_of_jar(const std::vector<TarFile>& files, bool wrong = false) {
  std::vector<ZipMember> members;
  for (const TarFile& file : files) {
    ZipMember member;
    member.name = file.name;
    member.content = file.content;
    const std::string mark = "SHA-256-Digest: ";
    const auto is_list = file.name.compare(0, 9, "META-INF/") == 0;
    for (auto at = member.content.begin(); wrong && is_list;) {
      at = std::search(at, member.content.end(), mark.begin(), mark.end());
      if (at == member.content.end()) break;
      at += static_cast<std::ptrdiff_t>(mark.size());
      *at ^= 1;
    }
    members.push_back(std::move(member));
  }
  return zip_of(members);
}

class SignedJars : public ::testing::TestWithParam<int> {};

TEST_P(SignedJars, LeaveDigestsToBeFilledIn) {
  JarShape shape;
  shape.file_count = 150;
  const JarPair jars = jar_pair(shape);
  const Bytes source = zip_of_jar(jars.old_version), target = zip_of_jar(jars.new_version);
  const auto patch = make_patch(source, target, create_options(GetParam(), PatchFormat::kBdt2, 2));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_fills(*patch, FillShape::kWhole));
  expect_rebuilt_everywhere(source, *patch, target);
  const Bytes wrong = zip_of_jar(jars.new_version, true);
  const auto with_all = make_patch(source, wrong, create_options(GetParam()));
  ASSERT_OK(with_all);
  EXPECT_LT(patch->size() + 20 * 2 * jars.changed_count, with_all->size());
}

INSTANTIATE_TEST_SUITE_P(Levels, SignedJars, ::testing::Values(3, 6, 9));

// What is held back comes out the same by any windows, through files, streams and push.
TEST(SignedJars, WindowsOfAnySize) {
  for (const bool signatures_first : {false, true}) {
    JarShape shape;
    shape.file_count = 12;
    shape.signer_count = 2;
    shape.signatures_first = signatures_first;
    const JarArchives jars = jar_archives(shape);
    Craft craft;
    craft.fills = jars.fills;
    ASSERT_FALSE(held_parts(craft.fills).empty());
    for (const std::uint64_t window_bytes : {40u, 700u, 5000u, 1u << 20}) {
      craft.window_bytes = window_bytes;
      craft.group_bytes = 3 * window_bytes + 1;
      const Bytes patch = craft_patch(jars.old_version, jars.new_version, covers_of(jars.old_version, jars.new_version), craft);
      expect_rebuilt_everywhere(jars.old_version, patch, jars.new_version);
      expect_rebuilt_in_pieces(jars.old_version, patch, jars.new_version);
    }
  }
}

}  // namespace
}  // namespace bdelta::test::fills_test
