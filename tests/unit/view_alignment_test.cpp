// Members of archives are found by their names in whatever order and folder, and what they have in common is covered.
#include "view/member_alignment.hpp"

#include <algorithm>

#include "create/level.hpp"
#include "match/matcher.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/tar.hpp"

namespace bdelta::test::view_alignment_test {
namespace {

// (position in the target, its end, diagonals from the start and the end): what is written of a range below.
using Numbers = std::vector<std::int64_t>;

std::vector<Numbers> ranges_of(const Bytes& source, const Bytes& target) {
  std::vector<Numbers> ranges;
  for (const AlignedRange& range : view::align_members(members_of(source), members_of(target))) {
    ranges.push_back({static_cast<std::int64_t>(range.begin), static_cast<std::int64_t>(range.end), range.from_start,
                      range.from_end});
  }
  return ranges;
}

Bytes text(std::size_t size) { return wordy_bytes(size, static_cast<std::uint64_t>(size)); }

TEST(MemberAlignment, FindsMembersInAnotherOrder) {
  const Bytes source = tar_of({{"a", 0, text(100)}, {"b", 0, text(600)}, {"c", 0, text(10)}});
  const Bytes target = tar_of({{"c", 0, text(10)}, {"new", 0, text(5)}, {"b", 0, text(590)}});
  EXPECT_EQ((std::vector<Numbers>{{0, 1024, 2560, 2560}, {2048, 3584, -1024, -1014}}), ranges_of(source, target));
}

TEST(MemberAlignment, OneFolderOfAllDoesNotCount) {
  const Bytes source = tar_of({{"x-1/a", 0, text(10)}, {"x-1/b", 0, text(20)}});
  const std::vector<Numbers> both = {{0, 1024, 1024, 1024}, {1024, 2048, -1024, -1024}};
  EXPECT_EQ(both, ranges_of(source, tar_of({{"y/b", 0, text(20)}, {"y/a", 0, text(10)}})));
  // Another one beside it, so that names count as they are.
  EXPECT_TRUE(ranges_of(source, tar_of({{"y/b", 0, text(20)}, {"y/a", 0, text(10)}, {"z/c", 0, {}}})).empty());
}

TEST(MemberAlignment, ANameThatIsGoneGoesOnWithOtherNumbers) {
  const Bytes source = tar_of({{"lib.so.1.2", 0, text(10)}, {"app-3/list", 0, text(20)}, {"page7", 0, text(30)}});
  const Bytes target = tar_of({{"app-14/list", 0, text(20)}, {"lib.so.1.10", 0, text(10)}, {"page8", 0, text(30)},
                               {"page7", 0, text(30)}});
  EXPECT_EQ((std::vector<Numbers>{{0, 1024, 1024, 1024}, {1024, 2048, -1024, -1024}, {3072, 4096, -1024, -1024}}),
            ranges_of(source, target))
      << "page7 is still there, so it is not page8";
}

TEST(MemberAlignment, ExtensionsBelongToTheirMember) {
  const std::string name(120, 'n');
  Bytes long_name(name.begin(), name.end());
  long_name.push_back(0);
  const TarFile extension{"././@LongLink", 0, long_name, 'L'};
  const Bytes source = tar_of({{"first", 0, {}}, extension, {"cut", 0, text(10)}});
  const Bytes target = tar_of({extension, {"cut", 0, text(10)}, {"folder", 0, {}, '5'}});
  EXPECT_EQ((std::vector<Numbers>{{0, 2048, 512, 512}}), ranges_of(source, target));
}

TEST(MemberAlignment, OfWhatIsNoArchiveThereIsNone) {
  const Bytes archive = tar_of({{"a", 0, text(100)}});
  for (const Bytes& other : {Bytes(), wordy_bytes(5000, 1), Bytes(2000)}) {
    EXPECT_TRUE(ranges_of(archive, other).empty());
    EXPECT_TRUE(ranges_of(other, archive).empty());
  }
}

TEST(MemberAlignment, RangesAscendInsideBothFiles) {
  const TarPair pair = tar_pair(200, 3);
  std::uint64_t end = 0;
  const std::vector<AlignedRange> ranges = view::align_members(members_of(pair.old_version), members_of(pair.new_version));
  EXPECT_LE(190u, ranges.size());
  for (const AlignedRange& range : ranges) {
    EXPECT_LE(end, range.begin);
    EXPECT_LT(range.begin, range.end);
    end = range.end;
    EXPECT_LE(end, pair.new_version.size());
    EXPECT_LE(0, static_cast<std::int64_t>(range.begin) + range.from_start);
  }
}

// Each member changed in front and grew behind; the diagonals from the start have its head, those from the end its rest.
TEST(CoverDiagonals, OfPartsHaveWhatThePartsHaveInCommon) {
  constexpr std::size_t kParts = 50, kBytes = 3000, kInserted = 7;
  const Bytes source = random_bytes(kParts * kBytes, 1);
  Bytes target;
  std::vector<AlignedRange> parts;
  for (std::size_t i = 0; i < kParts; ++i) {
    const std::size_t old_pos = (i * 17 % kParts) * kBytes;
    AlignedRange part;
    part.begin = target.size();
    part.from_start = static_cast<std::int64_t>(old_pos) - static_cast<std::int64_t>(target.size());
    part.from_end = part.from_start - static_cast<std::int64_t>(kInserted);
    append(target, ByteSpan(source).subspan(old_pos, 1000));
    append(target, random_bytes(kInserted, 100 + i));
    append(target, ByteSpan(source).subspan(old_pos + 1000, kBytes - 1000));
    part.end = target.size();
    parts.push_back(part);
  }
  Diagonals diagonals = whole_diagonals(source, target);
  WorkerPool pool(2);
  const auto covered = [&] {
    std::uint64_t bytes = 0;
    std::uint64_t end = 0;
    for (const Cover& cover : cover_diagonals(source, target, diagonals, pool)) {
      EXPECT_LE(end, cover.target_pos);
      EXPECT_LE(cover.source_end(), source.size());
      end = cover.target_end();
      bytes += cover.length;
    }
    EXPECT_LE(end, target.size());
    return bytes;
  };
  EXPECT_GT(2 * kBytes, covered());
  diagonals.parts = parts;
  EXPECT_LE(kParts * (kBytes - 2 * kInserted), covered());
}

// It begins behind the headers, and is none where either has it packed.
TEST(MemberAlignment, KnowsWhereDataBegin) {
  const Bytes source = tar_of({{"a", 0, text(100)}, {"b", 0, text(600)}});
  const Bytes target = tar_of({{"b", 0, text(590)}, {"a", 0, text(100)}});
  view::Members of_source = members_of(source);
  const view::Members of_target = members_of(target);
  std::vector<AlignedRange> ranges = view::align_members(of_source, of_target);
  ASSERT_EQ(2u, ranges.size());
  EXPECT_EQ(512u, ranges[0].data_pos);
  EXPECT_EQ(1024, ranges[0].from_data);
  of_source[1].is_file = false;
  of_source[0].data_pos += 3;
  ranges = view::align_members(of_source, of_target);
  EXPECT_EQ(AlignedRange::kNoData, ranges[0].data_pos);
  EXPECT_EQ(-1536 + 3, ranges[1].from_data);
}

// OLD has a text twice. What is a version of the second one is looked for there, though no stretch of it holds for long.
TEST(MemberAlignment, DataIsLookedForWhereItBegins) {
  const Bytes once = random_bytes(20'000, 1);
  Bytes source = once;
  append(source, once);
  Bytes target = bytes_of("new");
  append(target, once);
  for (std::size_t at = 0; at < target.size(); at += 40) target[at] ^= 0x55;
  const auto end = static_cast<std::uint64_t>(target.size());
  const auto second = static_cast<std::int64_t>(once.size());
  AlignedRange part{0, end, second, second - 3, 0, second};
  WorkerPool pool(1);
  for (const int level : {1, 3}) {
    const LevelSettings settings = level_settings(level);
    for (const bool has_data : {true, false}) {
      part.data_pos = has_data ? 0 : AlignedRange::kNoData;
      Diagonals diagonals = whole_diagonals(source, target);
      diagonals.parts = {&part, 1};
      Matcher matcher(source, settings.match, {}, pool);
      std::uint64_t bytes_of_second = 0, covered_bytes = 0;
      for (const Cover& cover : matcher.find_seeds(target, diagonals)) {
        covered_bytes += cover.length;
        if (cover.source_pos >= once.size()) bytes_of_second += cover.length;
      }
      EXPECT_LT(end * 9 / 10, covered_bytes);
      EXPECT_EQ(has_data ? covered_bytes : 0, bytes_of_second) << level;
    }
  }
}

// As many files of a few words each, all alike but for their numbers, in another order.
TEST(MemberAlignment, ArchivesInAnotherOrderMakeSmallPatches) {
  std::vector<TarFile> files;
  for (unsigned i = 0; i < 2000; ++i) {
    Bytes content = wordy_bytes(100 + i % 90, 1);
    append(content, bytes_of(std::to_string(i * 7919 % 100'000)));
    files.push_back({"package/file" + std::to_string(i) + ".txt", 1'700'000'000, content});
  }
  const Bytes source = tar_of(files);
  Random random(5);
  for (std::size_t left = files.size(); left > 1; --left) {
    std::swap(files[left - 1], files[static_cast<std::size_t>(random.below(left))]);
  }
  const Bytes target = tar_of(files);
  for (const int level : {1, 3, 6}) {
    const Bytes patch = expect_same_patch_by_any_threads(source, target, level);
    EXPECT_GT(3u * files.size(), patch.size()) << "level " << level;
    expect_rebuilt(source, patch, target);
  }
}

}  // namespace
}  // namespace bdelta::test::view_alignment_test
