#include "match/target_copies.hpp"

#include <algorithm>
#include <map>

#include "support/expect.hpp"
#include "support/repeated.hpp"

namespace bdelta::test::target_copies_test {
namespace {

constexpr std::uint64_t kFar = std::uint64_t{1} << 30;

TargetCopies copies_in(ByteSpan source, ByteSpan target, const Covers& covers, std::uint64_t history_bytes = kFar,
                  unsigned threads = 1, const SubstitutionTable* substitutions = nullptr) {
  WorkerPool pool(threads);
  return find_target_copies({source, target, covers, substitutions}, ParseCosts(), {history_bytes, 64}, pool);
}

// What the header promises of copies.
void expect_sound(ByteSpan target, const Covers& copies, std::uint64_t history_bytes) {
  std::uint64_t done = 0;
  for (const Cover& copy : copies) {
    ASSERT_GT(copy.length, 0u);
    ASSERT_GE(copy.target_pos, done);
    ASSERT_LE(copy.target_end(), target.size());
    ASSERT_LE(copy.source_end(), copy.target_pos);
    ASSERT_LE(copy.target_pos - copy.source_pos, history_bytes);
    const auto at = [&](std::uint64_t pos) { return target.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(copy.length)); };
    ASSERT_TRUE(same_bytes(at(copy.source_pos), at(copy.target_pos)));
    done = copy.target_end();
  }
}

// Two equal texts that differ from OLD in every 50th byte, one behind the other.
struct Twice {
  Bytes source = wordy_bytes(20'000, 1);
  Bytes target;
  Covers covers = {{0, 0, 20'000}, {0, 20'000, 20'000}};

  Twice() {
    for (int half = 0; half < 2; ++half) {
      for (std::size_t i = 0; i < source.size(); ++i) {
        target.push_back(i % 50 == 7 ? static_cast<std::uint8_t>(source[i] ^ 1) : source[i]);
      }
    }
  }
};

TEST(FindTargetCopies, FindsWhatStandsTwice) {
  const Twice pair;
  const TargetCopies found = copies_in(pair.source, pair.target, pair.covers);
  expect_sound(pair.target, found.copies, kFar);
  ASSERT_EQ(1u, found.copies.size());
  EXPECT_EQ(20'000u, found.copies[0].target_pos - found.copies[0].source_pos);
  EXPECT_GT(found.copies[0].length, 19'900u);
  EXPECT_GT(found.saved_bytes, found.spent_bytes * 2 / 5);
  EXPECT_LT(found.saved_bytes, found.spent_bytes * 3 / 5);
}

// A text, and behind it the same with each end of a line in two bytes, as source maps have it. In OLD both were others in
// every fifth byte.
TEST(FindTargetCopies, GoesOnBehindASkippedByte) {
  const Bytes words = wordy_bytes(20'000, 2);
  Bytes source;
  Bytes target;
  for (int half = 0; half < 2; ++half) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool ends_line = i % 40 == 39;
      for (Bytes* file : {&source, &target}) {
        if (ends_line && half == 1) append(*file, bytes_of("\\n"));
        if (ends_line && half == 0) file->push_back('\n');
        if (!ends_line) file->push_back(file == &target && i % 5 == 2 ? static_cast<std::uint8_t>(words[i] ^ 1) : words[i]);
      }
    }
  }
  const Covers covers = {{0, 0, target.size()}};
  const TargetCopies found = copies_in(source, target, covers);
  expect_sound(target, found.copies, kFar);
  ASSERT_LT(450u, found.copies.size()) << "one for each line";
  EXPECT_LT(words.size(), found.copies.front().target_pos + 100);
  std::uint64_t copied = 0;
  for (const Cover& copy : found.copies) copied += copy.length;
  EXPECT_LT(words.size() * 9 / 10, copied);
  // What is skipped is covered by nothing.
  std::uint64_t done = 0;
  for (const Cover& cover : with_target_copies(covers, found.copies, source.size())) {
    EXPECT_TRUE(cover.target_pos == done || cover.target_pos - done <= kMostBetweenCopies) << cover.target_pos;
    EXPECT_TRUE(cover.length >= 8 || cover.target_end() == target.size()) << cover.target_pos;
    done = cover.target_end();
  }
  EXPECT_EQ(target.size(), done);
}

TEST(FindTargetCopies, FindsLongOnesByFewGrams) {
  const Twice pair;
  WorkerPool pool(1);
  const auto found = find_target_copies({pair.source, pair.target, pair.covers}, ParseCosts(), {kFar, 64, 6}, pool);
  expect_sound(pair.target, found.copies, kFar);
  ASSERT_EQ(1u, found.copies.size());
  EXPECT_GT(found.copies[0].length, 18'000u);
}

TEST(FindTargetCopies, LeavesMissesOutIfTold) {
  const Twice pair;
  WorkerPool pool(1);
  const auto found = find_target_copies({pair.source, pair.target, pair.covers, nullptr, false}, ParseCosts(), {kFar, 64}, pool);
  EXPECT_TRUE(found.copies.empty());
  EXPECT_LT(found.spent_bytes, 20u) << "that of two covers";
}

TEST(FindTargetCopies, NoFurtherBackThanTheHistory) {
  const Twice pair;
  EXPECT_TRUE(copies_in(pair.source, pair.target, pair.covers, 19'999).copies.empty());
  EXPECT_FALSE(copies_in(pair.source, pair.target, pair.covers, 20'000).copies.empty());
}

TEST(FindTargetCopies, NothingWhereCoversCostNothing) {
  const Bytes source = wordy_bytes(20'000, 1);
  Bytes target = source;
  append(target, source);
  const TargetCopies found = copies_in(source, target, {{0, 0, 20'000}, {0, 20'000, 20'000}});
  EXPECT_TRUE(found.copies.empty());
  EXPECT_EQ(0u, found.saved_bytes);
}

// What substitutions make right costs nothing.
TEST(FindTargetCopies, NothingThatSubstitutionsHaveMended) {
  const Bytes source = random_bytes(20'000, 3);
  Bytes target = source;
  append(target, source);
  std::vector<Substitution> changes;
  for (std::size_t at = 100; at + 100 < source.size(); at += 200) {
    changes.push_back({load_le<std::uint32_t>(source.data() + at), static_cast<std::uint32_t>(at)});
    for (const std::size_t base : {std::size_t{0}, source.size()}) {
      for (unsigned i = 0; i < 4; ++i) target[base + at + i] = static_cast<std::uint8_t>(at >> 8 * i);
    }
  }
  std::sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) { return a.to < b.to; });
  const SubstitutionTable substitutions(changes);
  const Covers covers = {{0, 0, 20'000}, {0, 20'000, 20'000}};
  EXPECT_FALSE(copies_in(source, target, covers).copies.empty());
  EXPECT_TRUE(copies_in(source, target, covers, kFar, 1, &substitutions).copies.empty());
}

// Many literals are the codec's business, unless they are cut up.
TEST(FindTargetCopies, LeavesManyLiteralsToTheCodec) {
  Bytes target = random_bytes(20'000, 4);
  append(target, Bytes(target));
  EXPECT_TRUE(copies_in({}, target, {}).copies.empty());
}

TEST(FindTargetCopies, IsSoundAndTheSameForAnyThreads) {
  for (std::uint64_t seed = 1; seed < 12; ++seed) {
    const SelfCopied pair = self_copied(seed % 3 == 0 ? 3'000'000 : 30'000, 10'000, seed);
    Covers covers;
    for (const Cover& cover : pair.covers) {
      if (cover.source_end() <= pair.source.size()) covers.push_back(cover);
    }
    const std::uint64_t history_bytes = seed % 2 == 0 ? kFar : 5000;
    const TargetCopies found = copies_in(pair.source, pair.target, covers, history_bytes);
    expect_sound(pair.target, found.copies, history_bytes);
    EXPECT_EQ(found.copies, copies_in(pair.source, pair.target, covers, history_bytes, 4).copies) << seed;
  }
}

// Every 50th byte of a large target changes, and a hundredth of it stands twice.
TEST(FindTargetCopies, NoneWhereASampleSaysThatTheySaveTooLittle) {
  constexpr std::size_t kSize = std::size_t{6} << 20;
  constexpr std::size_t kFirst = std::size_t{1} << 20;
  constexpr std::size_t kDistance = 50 * 80'000;
  constexpr std::size_t kTwice = kSize / 100;
  Bytes source = random_bytes(kSize, 1);
  std::copy_n(source.begin() + kFirst, kTwice, source.begin() + kFirst + kDistance);
  Bytes target = source;
  for (std::size_t pos = 0; pos < kSize; pos += 50) ++target[pos];
  const Covers covers = {{0, 0, kSize}};
  WorkerPool pool(1);
  const auto copies = [&](std::uint64_t least_saved_share) {
    return find_target_copies({source, target, covers}, ParseCosts(), {kFar, least_saved_share}, pool).copies;
  };
  EXPECT_TRUE(copies(64).empty());
  const Covers found = copies(256);
  ASSERT_EQ(1u, found.size());
  expect_sound(target, found, kFar);
  EXPECT_NEAR(static_cast<double>(kTwice), static_cast<double>(found[0].length), 200.0);
}

TEST(FindTargetCopies, TakesTinyTargets) {
  for (std::size_t size = 0; size < 70; ++size) {
    const Bytes target(size, 7);
    expect_sound(target, copies_in({}, target, {}).copies, kFar);
  }
}

Covers cheaper_in(const Twice& pair, const Covers& covers, const Covers& copies, const ByteRanges& ranges) {
  WorkerPool pool(1);
  return cheaper_copies({pair.source, pair.target, covers}, copies, ranges, ParseCosts(), pool);
}

TEST(CheaperCopies, KeepsWhatLiesInTheRanges) {
  const Twice pair;
  const Covers copies = {{100, 20'100, 19'000}};
  EXPECT_EQ(Covers({{1024, 21'024, 2048}, {4960, 24'960, 4000}}),
            cheaper_in(pair, pair.covers, copies, {{0, 640}, {21'024 - 32, 21'024}, {21'024, 23'072}, {24'960, 28'960}}));
  EXPECT_EQ(Covers({{100, 20'100, 1020}}), cheaper_in(pair, pair.covers, copies, {{19'968, 21'120}}));
  EXPECT_EQ(Covers({{16'032, 36'032, 3068}}), cheaper_in(pair, pair.covers, copies, {{36'032, 39'936}}));
}

TEST(CheaperCopies, LeavesOutWhatCoversDoBetter) {
  Twice pair;
  const Covers copies = {{0, 20'000, 10'000}, {10'000, 30'000, 10'000}};
  std::copy(pair.source.begin(), pair.source.begin() + 10'000, pair.target.begin() + 20'000);
  EXPECT_EQ(Covers({{10'016, 30'016, 9984 - 64}}), cheaper_in(pair, pair.covers, copies, {{20'032, 30'016}, {30'016, 39'936}}));
}

// Two that only together save more than they cost.
TEST(CheaperCopies, CountsLinksOfAChainTogether) {
  const Twice pair;
  const Covers copies = {{1000, 21'000, 600}, {1604, 21'604, 600}};
  const ByteRanges all = {{0, 39'968}};
  EXPECT_EQ(copies, cheaper_in(pair, pair.covers, copies, all));
  EXPECT_TRUE(cheaper_in(pair, pair.covers, {copies[0]}, all).empty());
  EXPECT_TRUE(cheaper_in(pair, pair.covers, {copies[0], {1605, 21'605, 500}}, all).empty());
}

// Each byte is copied as before, or by a copy, but for few bytes between two copies.
TEST(WithTargetCopies, PutsCopiesInPlaceOfCovers) {
  Random random(5);
  constexpr std::uint64_t kFrom = 1000;
  for (int round = 0; round < 2000; ++round) {
    Covers covers;
    Covers copies;
    for (Covers* list : {&covers, &copies}) {
      for (std::uint64_t pos = random.below(5); pos < 60;) {
        const std::uint64_t length = random.between(1, 14);
        list->push_back({random.below(500), pos, length});
        pos += length + (random.below(2) == 0 ? 0 : random.below(9));
      }
    }
    std::map<std::uint64_t, std::uint64_t> expected;  // target position to source position
    for (const Cover& cover : covers) {
      for (std::uint64_t i = 0; i < cover.length; ++i) expected[cover.target_pos + i] = cover.source_pos + i;
    }
    for (std::size_t c = 0; c < copies.size(); ++c) {
      const Cover& copy = copies[c];
      for (std::uint64_t i = 0; i < copy.length; ++i) expected[copy.target_pos + i] = kFrom + copy.source_pos + i;
      if (c == 0 || copy.target_pos - copies[c - 1].target_end() > kMostBetweenCopies) continue;
      for (std::uint64_t pos = copies[c - 1].target_end(); pos < copy.target_pos; ++pos) expected.erase(pos);
    }
    std::map<std::uint64_t, std::uint64_t> made;
    std::uint64_t done = 0;
    for (const Cover& cover : with_target_copies(covers, copies, kFrom)) {
      ASSERT_GT(cover.length, 0u);
      ASSERT_GE(cover.target_pos, done);
      done = cover.target_end();
      for (std::uint64_t i = 0; i < cover.length; ++i) made[cover.target_pos + i] = cover.source_pos + i;
    }
    ASSERT_EQ(expected, made) << round;
  }
}

}  // namespace
}  // namespace bdelta::test::target_copies_test
