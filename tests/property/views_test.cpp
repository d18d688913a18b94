// Patches of archives: of what is inside, and NEW comes out bit by bit, whatever real archives hold or damaged ones say.
#include "deflate/zlib_stream.hpp"
#include "format/native/layout.hpp"
#include "hash/sha256.hpp"
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/package.hpp"
#include "support/program_pair.hpp"
#include "support/tar.hpp"
#include "support/views.hpp"

namespace bdelta::test::views_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

Bytes text_of(std::uint64_t seed, std::size_t size = 30'000) { return wordy_bytes(size, seed); }

// A few bytes in the first tenth are others, so that all of the stream is.
Bytes changed(Bytes text) {
  const std::size_t at = text.size() / 10;
  return edited(std::move(text), {{Edit::kOverwrite, at, 9, 0, 7}, {Edit::kInsert, at * 2, 5, 0, 8}});
}

CreateOptions packed_options(int level) {
  CreateOptions options = create_options(level);
  options.unpack = Unpack::kNone;
  return options;
}

bool has_view(ByteSpan patch) { return has_feature(patch, native::kFeatureView); }

// Makes a patch of views that is less than a quarter of the patch of the files, and applies it every way.
Bytes expect_unpacked(ByteSpan source, ByteSpan target, int level = 3) {
  const auto patch = make_patch(source, target, create_options(level));
  const auto packed = make_patch(source, target, packed_options(level));
  EXPECT_OK(patch);
  EXPECT_OK(packed);
  if (!patch || !packed) return {};
  EXPECT_TRUE(has_view(*patch));
  EXPECT_FALSE(has_view(*packed));
  EXPECT_LT(patch->size() * 4, packed->size());
  expect_rebuilt_everywhere(source, *patch, target);
  expect_rebuilt_in_pieces(source, *patch, target);
  return *patch;
}

// NEW comes back, whether there is a view or not.
void expect_held(ByteSpan source, ByteSpan target) {
  const auto patch = make_patch(source, target, create_options(3));
  ASSERT_OK(patch);
  expect_rebuilt(source, *patch, target);
}

// The same, and nothing is unpacked.
void expect_left_packed(ByteSpan source, ByteSpan target, const CreateOptions& options = create_options(3)) {
  const auto patch = make_patch(source, target, options);
  ASSERT_OK(patch);
  EXPECT_FALSE(has_view(*patch));
  expect_rebuilt(source, *patch, target);
}

// --- gzip ---

TEST(GzipViews, AreSmallAtEveryLevelOfBoth) {
  const Bytes text = text_of(1, 60'000);
  for (const int packing : {1, 3, 6, 9}) {
    for (const int level : {1, 3, 6, 9}) {
      SCOPED_TRACE(std::to_string(packing) + " " + std::to_string(level));
      expect_unpacked(gzip_of(text, packing), gzip_of(changed(text), packing), level);
    }
  }
}

TEST(GzipViews, SeveralMembers) {
  Bytes source, target;
  for (unsigned i = 0; i < 5; ++i) {
    const Bytes text = text_of(10 + i);
    append(source, gzip_of(text, 6, {.name = "part" + std::to_string(i)}));
    append(target, gzip_of(changed(text), 6, {.name = "part" + std::to_string(i)}));
  }
  const Bytes patch = expect_unpacked(source, target);
  EXPECT_EQ(5u, view_plan_of(patch).target_count);
  EXPECT_EQ(5u, view_plan_of(patch).source_count);
}

TEST(GzipViews, AllFieldsOfTheHead) {
  const GzipHead all = {"name", "a comment", random_bytes(300, 1), true};
  const Bytes text = text_of(2);
  expect_unpacked(gzip_of(text, 6, all), gzip_of(changed(text), 6, all));
  expect_unpacked(gzip_of(text), gzip_of(changed(text), 6, all));
  GzipHead long_name;
  long_name.name = std::string(1023, 'n');
  expect_unpacked(gzip_of(text, 6, long_name), gzip_of(changed(text), 6, long_name));
}

TEST(GzipViews, WhatStandsBehindStays) {
  const Bytes text = text_of(3);
  Bytes source = gzip_of(text), target = gzip_of(changed(text));
  append(source, random_bytes(700, 1));
  append(target, random_bytes(900, 1));
  const Bytes patch = expect_unpacked(source, target);
  EXPECT_EQ(1u, view_plan_of(patch).target_count);
}

TEST(GzipViews, MembersWithoutBytes) {
  Bytes source, target;
  for (unsigned i = 0; i < 4; ++i) {
    const Bytes text = i % 2 == 0 ? Bytes() : text_of(i);
    append(source, gzip_of(text));
    append(target, gzip_of(changed(text)));
  }
  append(target, gzip_of({}));
  expect_unpacked(source, target);
}

// A tar archive begins behind the head of its gzip file.
TEST(GzipViews, ArchivesInsideAreLookedInto) {
  const TarPair tars = tar_pair(300, 1);
  const GzipHead head = {.name = "app.tar"};
  const Bytes patch = expect_unpacked(gzip_of(tars.old_version), gzip_of(tars.new_version, 6, head), 3);
  EXPECT_TRUE(has_fills(patch, FillShape::kTarHeaders));
  expect_unpacked(tars.old_version, gzip_of(tars.new_version), 3);

  PackageShape shape;
  shape.file_count = 60;
  shape.reversed_list = true;
  const PackagePair packages = package_pair(shape);
  const Bytes source = gzip_of(packages.old_version), target = gzip_of(packages.new_version, 6, head);
  const Bytes of_views = expect_unpacked(source, target, 9);
  EXPECT_TRUE(has_fills(of_views, FillShape::kWhole));
  const auto plain = make_patch(packages.old_version, packages.new_version, create_options(9));
  ASSERT_OK(plain);
  EXPECT_LT(of_views.size(), plain->size() + 100);
}

TEST(GzipViews, OneFileAloneIsPacked) {
  const Bytes text = text_of(4);
  expect_held(text, gzip_of(changed(text)));
  const auto patch = make_patch(text, gzip_of(changed(text)), create_options(3));
  ASSERT_OK(patch);
  EXPECT_EQ(0u, view_plan_of(*patch).source_count);
  expect_rebuilt_everywhere(text, *patch, gzip_of(changed(text)));
  expect_rebuilt_in_pieces(text, *patch, gzip_of(changed(text)));
  expect_left_packed(gzip_of(text), changed(text));
  expect_left_packed(gzip_of(text), {});
  expect_held({}, gzip_of(text));
}

// --- zip ---

std::vector<ZipMember> members_of(unsigned count) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < count; ++i) members.push_back({"folder/file" + std::to_string(i), text_of(100 + i)});
  return members;
}

// All of them changed.
std::vector<ZipMember> next_version(std::vector<ZipMember> members) {
  for (ZipMember& member : members) member.content = changed(std::move(member.content));
  return members;
}

struct ZipCase {
  const char* name;
  void (*bend)(std::vector<ZipMember>& members, ZipShape& shape);
};

class ZipViews : public ::testing::TestWithParam<ZipCase> {};

TEST_P(ZipViews, AreSmall) {
  std::vector<ZipMember> members = members_of(6);
  ZipShape shape;
  GetParam().bend(members, shape);
  const Bytes source = zip_of(members, shape);
  const Bytes target = zip_of(next_version(members), shape);
  const Bytes patch = expect_unpacked(source, target);
  std::uint64_t deflated_count = 0;
  for (const ZipMember& member : members) deflated_count += member.level != 0 && !member.encrypted ? 1 : 0;
  EXPECT_EQ(deflated_count, view_plan_of(patch).source_count);
  EXPECT_EQ(deflated_count, view_plan_of(patch).target_count);
}

INSTANTIATE_TEST_SUITE_P(All, ZipViews, ::testing::ValuesIn(std::vector<ZipCase>{
    {"plain", [](auto&, auto&) {}},
    {"descriptors", [](auto& members, auto&) { for (ZipMember& member : members) member.descriptor = true; }},
    {"stored", [](auto& members, auto&) { members[1].level = members[4].level = 0; }},
    {"comments", [](auto& members, auto& shape) { members[2].comment = "of a member"; shape.comment = std::string(3000, 'c'); }},
    {"program", [](auto&, auto& shape) { shape.program = random_bytes(5000, 1); }},
    {"zip64", [](auto& members, auto& shape) { for (ZipMember& member : members) member.zip64 = true; shape.zip64 = true; }},
    {"zip64_end", [](auto&, auto& shape) { shape.zip64 = true; shape.program = random_bytes(100, 2); }},
    {"duplicates", [](auto& members, auto&) { members[3].name = members[5].name = members[0].name; }},
    {"no_names", [](auto& members, auto&) { for (ZipMember& member : members) member.name.clear(); }},
    {"reversed", [](auto&, auto& shape) { shape.reversed = true; }},
    {"encrypted", [](auto& members, auto&) { members[0].encrypted = true; members[0].content = text_of(1, 600); }},
    {"levels", [](auto& members, auto&) { for (std::size_t i = 0; i < 6; ++i) members[i].level = static_cast<int>(i) + 1; }},
    {"strategies", [](auto& members, auto&) { members[1].level = 9; members[3].level = 1; members[3].descriptor = true; }}}),
    [](const auto& of) { return of.param.name; });

TEST(ZipView, WhatDidNotChangeStaysPacked) {
  std::vector<ZipMember> members = members_of(8);
  const Bytes source = zip_of(members);
  members[2].content = changed(members[2].content);
  members[6].content = changed(members[6].content);
  const Bytes target = zip_of(members);
  const Bytes patch = expect_unpacked(source, target);
  EXPECT_EQ(2u, view_plan_of(patch).target_count);
  EXPECT_EQ(2u, view_plan_of(patch).source_count);
}

TEST(ZipView, MembersThatCameWentAndMoved) {
  std::vector<ZipMember> members = members_of(6);
  const Bytes source = zip_of(members);
  std::vector<ZipMember> next = next_version(members);
  std::swap(next[0], next[4]);
  next.erase(next.begin() + 2);
  next.push_back({"new", text_of(900, 3000)});
  expect_unpacked(source, zip_of(next));
}

// As many members of a few words each, all alike but for their numbers, in another order.
TEST(ZipView, MembersInAnotherOrderMakeSmallPatches) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 2000; ++i) {
    members.push_back({"package/file" + std::to_string(i) + ".txt", text_of(1, 100 + i % 90), 0});
    append(members.back().content, bytes_of(std::to_string(i * 7919 % 100'000)));
  }
  members.push_back({"package/list", text_of(7)});
  const Bytes source = zip_of(members);
  members.back().content = changed(members.back().content);
  Random random(5);
  for (std::size_t left = members.size(); left > 1; --left) {
    std::swap(members[left - 1], members[static_cast<std::size_t>(random.below(left))]);
  }
  const Bytes target = zip_of(members);
  for (const int level : {1, 3, 6}) {
    SCOPED_TRACE(level);
    const Bytes patch = expect_same_patch_by_any_threads(source, target, level);
    EXPECT_TRUE(has_view(patch));
    EXPECT_GT(9 * members.size() / 2, patch.size());
    expect_rebuilt(source, patch, target);
  }
}

// A package as a wheel: some of its files are stored, and one stays packed.
std::vector<ZipMember> wheel_of(const Bytes& package) {
  std::vector<ZipMember> members;
  for (const view::Member& file : test::members_of(ByteSpan(package))) {
    const auto* const data = package.data() + file.data_pos;
    members.push_back({file.name, Bytes(data, data + file.data_bytes), members.size() % 5 == 1 ? 0 : 6});
  }
  members[4].encrypted = true;
  return members;
}

TEST(ZipView, DigestsInWheelsAreFilled) {
  PackageShape shape;
  shape.file_count = 60;
  const PackagePair package = package_pair(shape);
  const Bytes source = zip_of(wheel_of(package.old_version)), target = zip_of(wheel_of(package.new_version));
  const auto patch = make_patch(source, target, create_options(9));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_view(*patch));
  const Fills fills = fills_of(*patch);
  ASSERT_EQ(1u, fills.size());
  EXPECT_EQ(package.changed.ranges.size() - 1, fills[0].ranges.size()) << "all but that of the one that stays packed";
  expect_rebuilt_everywhere(source, *patch, target);
  expect_rebuilt_in_pieces(source, *patch, target);
}

TEST(ZipView, NothingWhereAllIsTheSame) {
  const Bytes source = zip_of(members_of(4));
  expect_left_packed(source, source);
  ZipShape shape;
  shape.comment = "another end";
  expect_left_packed(source, zip_of(members_of(4), shape));
}

TEST(ZipView, ProgramsInsideArePredicted) {
  const ProgramPair programs = program_pair(5, 400);
  const Bytes source = zip_of({{"lib.so", programs.old_version}});
  const Bytes target = zip_of({{"lib.so", programs.new_version}});
  const auto patch = make_patch(source, target, create_options(9));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_view(*patch));
  EXPECT_TRUE(has_feature(*patch, native::kFeaturePrediction));
  expect_rebuilt_everywhere(source, *patch, target);
  expect_rebuilt_in_pieces(source, *patch, target);
}

TEST(ZipView, BesideAGzipFile) {
  const Bytes text = text_of(30);
  expect_unpacked(gzip_of(text), zip_of({{"text", changed(text)}}));
  expect_unpacked(zip_of({{"text", text}}), gzip_of(changed(text)));
}

// --- archives that are none ---

TEST(DamagedArchives, CutAnywhere) {
  const Bytes source = zip_of(next_version(members_of(3))), zipped = zip_of(members_of(3));
  const Bytes gzipped = gzip_of(text_of(1)), old_gzip = gzip_of(text_of(2));
  for (std::size_t part = 0; part <= 12; ++part) {
    SCOPED_TRACE(part);
    const auto cut = [&](const Bytes& file) { return ByteSpan(file).first(file.size() * part / 12); };
    expect_held(source, cut(zipped));
    expect_held(cut(zipped), source);
    expect_held(old_gzip, cut(gzipped));
    expect_held(cut(gzipped), old_gzip);
  }
}

// Each field of the directory and of the end record says something else.
TEST(DamagedArchives, DirectoriesThatLie) {
  const Bytes source = zip_of(members_of(3));
  for (const bool zip64 : {false, true}) {
    std::vector<ZipMember> members = next_version(members_of(3));
    members[1].zip64 = zip64;
    const Bytes target = zip_of(members, {{}, {}, false, zip64});
    const std::size_t directory = target.size() - (zip64 ? 3u : 2u) * 100;
    for (std::size_t at = directory; at + 4 <= target.size(); at += 2) {
      SCOPED_TRACE(at);
      Bytes bent = target;
      const auto value = load_le<std::uint32_t>(bent.data() + at);
      const std::uint32_t values[] = {0, value + 1, value ^ 0x4000, 0xffffffff};
      store_le(bent.data() + at, values[at / 2 % 4]);
      expect_held(at % 4 == 0 ? source : bent, at % 4 == 0 ? bent : source);
    }
  }
}

TEST(DamagedArchives, EntriesThatOverlap) {
  Bytes source = zip_of(members_of(3));
  Bytes target = zip_of(next_version(members_of(3)));
  for (Bytes* const file : {&source, &target}) {  // all entries are of the first member
    for (std::size_t at = 0; at + 46 < file->size(); ++at) {
      if (load_le<std::uint32_t>(file->data() + at) == 0x02014b50) store_le(file->data() + at + 42, std::uint32_t{0});
    }
  }
  const auto patch = make_patch(source, target, create_options(3));
  ASSERT_OK(patch);
  EXPECT_EQ(1u, view_plan_of(*patch).target_count);
  expect_rebuilt_everywhere(source, *patch, target);
}

TEST(DamagedArchives, StreamsThatAreNone) {
  std::vector<ZipMember> members = members_of(2);
  for (std::size_t i = 0; i < members.size(); ++i) members[i].packed = random_bytes(5000, i);
  std::vector<ZipMember> next = members;
  next[0].packed[9] ^= 1;
  expect_left_packed(zip_of(members), zip_of(next));
  // One in OLD alone, one in NEW alone, one that goes on behind its end.
  const std::vector<ZipMember> sound = members_of(2);
  expect_held(zip_of({sound[0], members[1]}), zip_of({next_version(sound)[0], next_version(sound)[1]}));
  expect_left_packed(zip_of(sound), zip_of(next));
  std::vector<ZipMember> longer = next_version(sound);
  for (ZipMember& member : longer) {
    member.packed = zlib_deflate(member.content);
    member.packed.push_back(0);
  }
  expect_left_packed(zip_of(sound), zip_of(longer));
}

// A file of a few bytes that says more than it has.
TEST(DamagedArchives, RawSizesThatLie) {
  std::vector<ZipMember> members = next_version(members_of(2));
  for (ZipMember& member : members) {
    member.packed = zlib_deflate(member.content);
    member.content.resize(100);
  }
  expect_left_packed(zip_of(members_of(2)), zip_of(members));
}

// --- bombs ---

// zlib's stream of zeros, 1000:1.
Bytes bomb_stream(std::uint64_t raw_bytes) { return zlib_deflate(Bytes(static_cast<std::size_t>(raw_bytes)), {.level = 9}); }

TEST(Bombs, GzipIsLeftPacked) {
  const Bytes member = gzip_of(Bytes(16 * kMiB), 9);
  Bytes bomb;
  for (unsigned i = 0; i < 16; ++i) append(bomb, member);
  Bytes next = bomb;
  next[4] ^= 1;
  append(next, gzip_of(text_of(1)));
  expect_left_packed(bomb, next);
  expect_left_packed(text_of(1), bomb);
  expect_held(bomb, gzip_of(text_of(1)));
}

TEST(Bombs, ZipIsLeftPacked) {
  const Bytes stream = bomb_stream(16 * kMiB);
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 14; ++i) {
    members.push_back({"bomb" + std::to_string(i), Bytes(16 * kMiB), 6, false, false, false, {}, stream});
  }
  const Bytes bomb = zip_of(members);
  expect_left_packed(zip_of(members_of(2)), bomb);
  expect_left_packed(bomb, zip_of(members_of(2)));
}

// --- options ---

TEST(ViewOptions, ThreadsMakeNoDifference) {
  for (const int level : {1, 3, 6, 9}) {
    SCOPED_TRACE(level);
    std::vector<ZipMember> members = members_of(5);
    members.push_back({"large", text_of(77, 3'000'000), 1});
    members.push_back({"stored", text_of(78), 0});
    const Bytes patch = expect_same_patch_by_any_threads(zip_of(members), zip_of(next_version(members)), level);
    EXPECT_TRUE(has_view(patch));
  }
}

TEST(ViewOptions, ALimitOfMemory) {
  const Bytes text = text_of(1, 200'000);
  const Bytes source = gzip_of(text), target = gzip_of(changed(text));
  CreateOptions options = create_options(3);
  options.memory_limit_bytes = 64 * kMiB;
  const auto patch = make_patch(source, target, options);
  ASSERT_OK(patch);
  EXPECT_TRUE(has_view(*patch));
  ApplyOptions limited;
  limited.memory_limit_bytes = 64 * kMiB;
  EXPECT_OK(apply_patch(source, *patch, Sink::kPositioned, limited));
  // No room for the views of these.
  const Bytes zeros(9 * kMiB);
  expect_left_packed(gzip_of(zeros), gzip_of(changed(zeros)), options);
  const Bytes more(20 * kMiB);
  expect_left_packed(gzip_of(text), gzip_of(more), options);
  expect_held(gzip_of(more), gzip_of(text));
}

TEST(ViewOptions, Version1KnowsNoViews) {
  const Bytes text = text_of(1);
  const Bytes source = gzip_of(text), target = gzip_of(changed(text));
  CreateOptions options = create_options(3, PatchFormat::kBdt1);
  const auto patch = make_patch(source, target, options);
  options.unpack = Unpack::kNone;
  const auto packed = make_patch(source, target, options);
  ASSERT_OK(patch);
  ASSERT_OK(packed);
  EXPECT_TRUE(same_bytes(*packed, *patch));
  expect_rebuilt(source, *patch, target);
}

TEST(ViewOptions, PartsAreProvenWhileTheyCome) {
  const Bytes source = zip_of(members_of(4)), target = zip_of(next_version(members_of(4)));
  CreateOptions options = create_options(6);
  options.group_digests = true;
  const auto made = make_reported(source, target, options);
  ASSERT_OK(made);
  EXPECT_TRUE(has_view(made->bytes));
  expect_rebuilt_everywhere(source, made->bytes, target);
  expect_rebuilt_in_pieces(source, made->bytes, target);
  ASSERT_TRUE(made->report.head_sha256.has_value());
  ApplyOptions expecting;
  expecting.expected_head_sha256 = made->report.head_sha256;
  const auto applied = apply_patch(source, made->bytes, Sink::kSequential, expecting);
  ASSERT_OK(applied);
  EXPECT_TRUE(same_bytes(target, *applied));
}

TEST(ViewOptions, FilesThatAreNotMapped) {
  const Bytes text = text_of(5);
  const Bytes source = gzip_of(text), target = gzip_of(changed(text));
  HiddenReader hidden_source(source), hidden_target(target);
  Bytes patch;
  io::MemoryWriter writer(patch);
  ASSERT_OK(create(hidden_source, hidden_target, writer, create_options(3)));
  const auto mapped = make_patch(source, target, create_options(3));
  ASSERT_OK(mapped);
  EXPECT_TRUE(same_bytes(*mapped, patch));
  Bytes made;
  BytesWriter to(made);
  io::MemorySequentialReader from(patch);
  ASSERT_OK(apply(hidden_source, from, static_cast<PositionedWriter&>(to), {}));
  EXPECT_TRUE(same_bytes(target, made));
}

TEST(ViewOptions, AnotherOldIsRefused) {
  const Bytes text = text_of(6);
  Bytes source = gzip_of(text);
  const auto patch = make_patch(source, gzip_of(changed(text)), create_options(3));
  ASSERT_OK(patch);
  source[source.size() / 2] ^= 1;
  EXPECT_FAILS(ErrorCode::kWrongSourceDigest, apply_patch(source, *patch));
  source.push_back(0);
  EXPECT_FAILS(ErrorCode::kWrongSourceSize, apply_patch(source, *patch));
}

TEST(ViewOptions, WithoutASelfCheckItIsTheSamePatch) {
  const Bytes source = zip_of(members_of(3)), target = zip_of(next_version(members_of(3)));
  CreateOptions options = create_options(3);
  const auto checked = make_patch(source, target, options);
  options.verify = false;
  const auto unchecked = make_patch(source, target, options);
  ASSERT_OK(checked);
  ASSERT_OK(unchecked);
  EXPECT_TRUE(same_bytes(*checked, *unchecked));
}

}  // namespace
}  // namespace bdelta::test::views_test
