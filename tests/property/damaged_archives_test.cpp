// Archives that are cut, lie, overlap or are bombs: plain data, as every file is.
#include "property/view_pairs.hpp"
#include "deflate/zlib_stream.hpp"

namespace bdelta::test::damaged_archives_test {
namespace {

using namespace view_pairs;

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

// Very many members of next to nothing would each take memory. They stay as they are, beside one that is worth it.
TEST(DamagedArchives, GzipMembersOfNextToNothing) {
  const auto joined = [](const Bytes& text) {
    Bytes file;
    for (unsigned i = 0; i < 300; ++i) append(file, gzip_of(Bytes(i % 3, 'x')));
    append(file, gzip_of(text));
    append(file, gzip_of({}));
    return file;
  };
  const Bytes source = joined(text_of(1)), target = joined(changed(text_of(1)));
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

}  // namespace
}  // namespace bdelta::test::damaged_archives_test
