// find_covers and its last passes: covers are always valid, and the plain cases are found.
#include "create/level.hpp"
#include "match/matcher.hpp"
#include "match/select.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::match_covers_test {
namespace {

Covers covers_between(ByteSpan source, ByteSpan target, int level, unsigned threads = 1) {
  WorkerPool pool(threads);
  return find_covers(source, target, level_settings(level).match, pool);
}

std::uint64_t covered(const Covers& covers) {
  std::uint64_t sum = 0;
  for (const Cover& cover : covers) sum += cover.length;
  return sum;
}

class FindCovers : public ::testing::TestWithParam<int> {};

TEST_P(FindCovers, IdentityIsOneCover) {
  for (const std::size_t size : {1000u, 5000u, 100'000u}) {
    const Bytes bytes = random_bytes(size, size);
    EXPECT_EQ(Covers({{0, 0, size}}), covers_between(bytes, bytes, GetParam())) << size;
  }
}

TEST_P(FindCovers, PrefixAndSuffix) {
  const Bytes source = random_bytes(60'000, 1);
  const Bytes prefix(source.begin(), source.begin() + 20'000);
  EXPECT_EQ(Covers({{0, 0, 20'000}}), covers_between(source, prefix, GetParam()));
  const Bytes suffix(source.end() - 20'000, source.end());
  EXPECT_EQ(Covers({{40'000, 0, 20'000}}), covers_between(source, suffix, GetParam()));
}

TEST_P(FindCovers, MovedBlocks) {
  const Bytes source = random_bytes(60'000, 2);
  Bytes target(source.begin() + 30'000, source.end());
  target.insert(target.end(), source.begin(), source.begin() + 30'000);
  const Covers covers = covers_between(source, target, GetParam());
  EXPECT_EQ(Covers({{30'000, 0, 30'000}, {0, 30'000, 30'000}}), covers);
}

TEST_P(FindCovers, InsertionCostsOnlyItself) {
  const Bytes source = random_bytes(50'000, 3);
  const Bytes target = edited(source, {{Edit::kInsert, 25'000, 300, 0, 9}});
  EXPECT_GE(covered(covers_between(source, target, GetParam())), source.size() - 64);
}

// Records have the same fields, and one more of them in NEW: behind that, fields of any record fit, and those of its own go on.
TEST_P(FindCovers, RecordsThatResembleEachOtherStayInStep) {
  constexpr std::size_t kRecords = 200, kMostStrayBytes = 16;
  Bytes source, target;
  std::vector<std::uint64_t> begins;
  for (std::size_t record = 0; record < kRecords; ++record) {
    const auto put = [&](const Bytes& text) {
      append(source, text);
      append(target, text);
    };
    begins.push_back(target.size());
    for (unsigned field = 100; field < 160; ++field) {
      if (field == 140) put(random_bytes(40, record));
      if (field == 120) append(target, bytes_of("\"999\":\"y\","));
      put(bytes_of("\"" + std::to_string(field) + "\":\"" + (field * record % 7 < 4 ? "y" : "n") + "\","));
    }
  }
  std::uint64_t astray = 0;
  for (const Cover& cover : covers_between(source, target, GetParam())) {
    const auto next = std::upper_bound(begins.begin(), begins.end(), cover.target_pos);
    const auto record = static_cast<std::int64_t>(next - begins.begin()) - 1;
    const std::int64_t inserted = -cover.diagonal() / 10;
    if (inserted < record || inserted > record + 1) astray += cover.length;
  }
  EXPECT_LE(astray, kRecords * kMostStrayBytes);
}

TEST_P(FindCovers, OneChangedByteIsInsideOneCover) {
  const Bytes source = random_bytes(50'000, 4);
  Bytes target = source;
  target[25'000] ^= 1;
  EXPECT_EQ(Covers({{0, 0, 50'000}}), covers_between(source, target, GetParam()));
}

TEST_P(FindCovers, StrangersHaveNothingInCommon) {
  const Bytes source = random_bytes(50'000, 5);
  const Bytes target = random_bytes(50'000, 6);
  EXPECT_LT(covered(covers_between(source, target, GetParam())), 500u);
}

TEST_P(FindCovers, AreValidWhateverTheInput) {
  Random random(7);
  for (int round = 0; round < 60; ++round) {
    const auto size = static_cast<std::size_t>(random.between(0, 30'000));
    const Bytes source = round % 3 == 0
                             ? periodic_bytes(size, 1 + static_cast<std::size_t>(random.below(20)), random.next())
                             : wordy_bytes(size, random.next());
    const Bytes target =
        edited(source, random_edits(static_cast<std::size_t>(random.below(12)), size, 2000, random.next()));
    ASSERT_TRUE(covers_are_valid(covers_between(source, target, GetParam()), source.size(), target.size())) << round;
  }
}

TEST_P(FindCovers, EmptyInputsGiveNoCovers) {
  const Bytes bytes = random_bytes(100, 8);
  EXPECT_TRUE(covers_between({}, {}, GetParam()).empty());
  EXPECT_TRUE(covers_between(bytes, {}, GetParam()).empty());
  EXPECT_TRUE(covers_between({}, bytes, GetParam()).empty());
}

TEST_P(FindCovers, EndsWhereItsWatchSaysSo) {
  const Bytes source = random_bytes(200'000, 9);
  const Bytes target = edited(source, random_edits(10, source.size(), 5000, 9));
  for (int calls = 0; calls < 4; ++calls) {
    int left = calls;
    const Watch::Callback count_down = [&left](std::uint64_t, std::uint64_t) { return left-- > 0; };
    Watch watch(count_down, target.size());
    WorkerPool pool(1, nullptr, &watch);
    EXPECT_THROW((void)find_covers(source, target, level_settings(GetParam()).match, pool), Interrupted) << calls;
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, FindCovers, ::testing::Values(1, 3, 6));

TEST(Covers, TooManyBecomeTheLongest) {
  const Covers covers = {{0, 0, 5}, {9, 5, 7}, {30, 20, 3}, {40, 30, 5}, {60, 50, 9}};
  const auto kept = [&](std::size_t most) {
    Covers left = covers;
    keep_longest(left, most);
    return left;
  };
  EXPECT_EQ(covers, kept(5));
  EXPECT_EQ((Covers{{9, 5, 7}, {60, 50, 9}}), kept(4));
  EXPECT_EQ((Covers{{9, 5, 7}, {60, 50, 9}}), kept(3));
  EXPECT_EQ((Covers{{60, 50, 9}}), kept(2));
  EXPECT_EQ(Covers(), kept(0));
}

TEST(CoversAreValid, SaysNo) {
  EXPECT_TRUE(covers_are_valid({}, 0, 0));
  EXPECT_TRUE(covers_are_valid({{0, 0, 5}, {0, 5, 5}}, 5, 10));
  EXPECT_FALSE(covers_are_valid({{0, 0, 0}}, 5, 5)) << "empty";
  EXPECT_FALSE(covers_are_valid({{0, 0, 5}, {0, 4, 5}}, 9, 9)) << "overlap";
  EXPECT_FALSE(covers_are_valid({{0, 5, 5}, {0, 0, 5}}, 9, 10)) << "descending";
  EXPECT_FALSE(covers_are_valid({{1, 0, 5}}, 5, 5)) << "outside the source";
  EXPECT_FALSE(covers_are_valid({{0, 1, 5}}, 5, 5)) << "outside the target";
  EXPECT_FALSE(covers_are_valid({{~std::uint64_t{0}, 0, 5}}, 5, 5)) << "a sum that wraps";
}

// A random list of valid covers of a pair of files.
Covers random_covers(std::size_t source_size, std::size_t target_size, Random& random) {
  Covers covers;
  for (std::uint64_t at = random.below(50); at < target_size;) {
    const std::uint64_t length = std::min<std::uint64_t>({random.between(1, 900), target_size - at, source_size});
    const std::uint64_t source_pos = random.below(3) != 0 && at + length <= source_size
                                         ? at
                                         : random.below(source_size - length + 1);
    covers.push_back({source_pos, at, length});
    at += length + (random.below(2) != 0 ? 0 : random.below(80));
  }
  return covers;
}

// Bytes that no cover gives as they are.
std::uint64_t missed(const Bytes& source, const Bytes& target, const Covers& covers) {
  std::uint64_t right = 0;
  for (const Cover& cover : covers) {
    for (std::uint64_t i = 0; i < cover.length; ++i) right += source[cover.source_pos + i] == target[cover.target_pos + i];
  }
  return target.size() - right;
}

TEST(SelectPasses, KeepCoversValid) {
  Random random(10);
  WorkerPool pool(1);
  for (int round = 0; round < 300; ++round) {
    const Bytes source = wordy_bytes(static_cast<std::size_t>(random.between(1000, 9000)), random.next());
    const Bytes target = edited(source, random_edits(6, source.size(), 300, random.next()));
    Covers covers = random_covers(source.size(), target.size(), random);
    ASSERT_TRUE(covers_are_valid(covers, source.size(), target.size()));
    join_covers(covers);
    ASSERT_TRUE(covers_are_valid(covers, source.size(), target.size())) << "join";
    loosen_covers(source, target, covers, pool);
    ASSERT_TRUE(covers_are_valid(covers, source.size(), target.size())) << "loosen";
    prune_covers(source, target, covers, pool);
    ASSERT_TRUE(covers_are_valid(covers, source.size(), target.size())) << "prune";
    const std::uint64_t before = missed(source, target, covers);
    round_borders(source, target, covers, pool);
    ASSERT_TRUE(covers_are_valid(covers, source.size(), target.size())) << "round";
    ASSERT_EQ(before, missed(source, target, covers));
  }
}

// So many covers that several tasks share them. Each border is a few bytes off, and between two covers a few bytes lie open.
TEST(SelectPasses, AreTheSameForAnyNumberOfThreads) {
  constexpr std::uint64_t kCovers = 40'000;
  constexpr std::uint64_t kPiece = 60;
  const Bytes source = random_bytes(4 * kCovers * kPiece, 21);
  Random random(22);
  Bytes target;
  Covers covers;
  for (std::uint64_t i = 0; i < kCovers; ++i) {
    const std::uint64_t from = i * 4 * kPiece + random.below(kPiece);
    append(target, ByteSpan(source).subspan(from, kPiece));
    const std::uint64_t late = i == 0 ? 0 : random.below(4);
    const std::uint64_t open = random.below(3) == 0 ? 5 : 0;
    if (!covers.empty() && covers.back().target_end() > i * kPiece) covers.back().length = i * kPiece - covers.back().target_pos;
    covers.push_back({from + late, i * kPiece + late, kPiece - late - open});
  }
  const auto settled = [&](unsigned threads) {
    WorkerPool pool(threads);
    Covers made = covers;
    loosen_covers(source, target, made, pool);
    prune_covers(source, target, made, pool);
    round_borders(source, target, made, pool);
    EXPECT_TRUE(covers_are_valid(made, source.size(), target.size()));
    return made;
  };
  const Covers alone = settled(1);
  EXPECT_EQ(kCovers, alone.size());
  EXPECT_EQ(0u, missed(source, target, alone)) << "gaps and borders are settled between tasks as well";
  EXPECT_EQ(alone, settled(2));
  EXPECT_EQ(alone, settled(5));
}

TEST(JoinCovers, BridgesSmallGapsOnOneDiagonalOnly) {
  Covers covers = {{0, 0, 10}, {12, 12, 10}, {40, 22, 5}, {46, 28, 5}, {60, 42, 5}};
  join_covers(covers);
  EXPECT_EQ(Covers({{0, 0, 22}, {40, 22, 11}, {60, 42, 5}}), covers);
}

TEST(LoosenCovers, FillsAGapThatNearlyFits) {
  const Bytes source = random_bytes(4000, 11);
  Bytes target = source;
  for (std::size_t i = 1000; i < 1200; i += 3) target[i] ^= 0x55;
  Covers covers = {{0, 0, 1000}, {1200, 1200, 2800}};
  WorkerPool pool(1);
  loosen_covers(source, target, covers, pool);
  EXPECT_EQ(4000u, covered(covers));
}

TEST(PruneCovers, DropsWhatCostsMoreThanItSaves) {
  const Bytes source = random_bytes(4000, 12);
  const Bytes target = random_bytes(4000, 13);
  Covers covers = {{0, 100, 40}};  // nothing in it is equal
  WorkerPool pool(1);
  prune_covers(source, target, covers, pool);
  EXPECT_TRUE(covers.empty());
}

TEST(PruneCovers, MovesTheBorderToWhereTheBytesChange) {
  const Bytes source = random_bytes(4000, 14);
  Bytes target(source.begin(), source.begin() + 1000);
  target.insert(target.end(), source.begin() + 3000, source.end());
  Covers covers = {{0, 0, 1100}, {3100, 1100, 900}};  // the border is 100 too late
  WorkerPool pool(1);
  prune_covers(source, target, covers, pool);
  EXPECT_EQ(Covers({{0, 0, 1000}, {3000, 1000, 1000}}), covers);
}

// Blocks of 512 bytes in another order, each with the same bytes in front and behind: any border among those would do.
TEST(RoundBorders, FindsWhereBlocksBegin) {
  Bytes source;
  for (std::uint64_t block = 0; block < 4; ++block) {
    append(source, Bytes(20, 1));
    append(source, random_bytes(450, block + 20));
    append(source, Bytes(42, 0));
  }
  Bytes target(source.begin() + 512, source.begin() + 1536);
  target.insert(target.end(), source.begin(), source.begin() + 1024);
  for (const std::uint64_t late : {0u, 20u, 13u}) {
    Covers covers = {{512, 0, 1024 + late}, {late, 1024 + late, 1024 - late}};
    WorkerPool pool(1);
    round_borders(source, target, covers, pool);
    EXPECT_EQ(Covers({{512, 0, 1024}, {0, 1024, 1024}}), covers) << late;
  }
}

}  // namespace
}  // namespace bdelta::test::match_covers_test
