// Nearest matches in a neighbourhood, however often it is asked for.
#include "match/source_grams.hpp"

#include <algorithm>
#include <initializer_list>

#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::source_grams_test {
namespace {

// The first `length` bytes of `text` at each of the places.
void put(Bytes& source, const Bytes& text, std::ptrdiff_t length, std::initializer_list<std::ptrdiff_t> places) {
  for (const std::ptrdiff_t pos : places) std::copy(text.begin(), text.begin() + length, source.begin() + pos);
}

TEST(SourceGrams, LongMatchesBehindShortOnes) {
  Bytes source = random_bytes(60'000, 12);
  const Bytes text = random_bytes(40, 13);
  put(source, text, 12, {19'000, 20'000, 23'000});  // near, but short
  put(source, text, 40, {17'000, 18'000, 25'000, 26'000});
  SourceGrams grams(source, 4, SourceGrams::kMediumGram);
  const SourceGrams::Nearest nearest = grams.find_long_too(text.data(), 21'000);
  EXPECT_EQ(20'000u, nearest.before);
  EXPECT_EQ(23'000u, nearest.after);
  EXPECT_EQ(18'000u, nearest.long_before);
  EXPECT_EQ(25'000u, nearest.long_after);
  const SourceGrams::Nearest without = grams.find(text.data(), 21'000);
  EXPECT_EQ(20'000u, without.before);
  EXPECT_EQ(SourceGrams::kNone, without.long_before);
  EXPECT_EQ(SourceGrams::kNone, without.long_after);
}

// A short match is looked for among the first few of a bucket, a long one among more, but not among all.
TEST(SourceGrams, OfManyShortMatchesNotAllAreCompared) {
  const Bytes text = random_bytes(40, 18);
  for (const std::size_t short_count : {3u, 30u, 300u}) {
    Bytes source = random_bytes(60'000, 19);
    put(source, text, 40, {17'000});
    for (std::size_t i = 0; i < short_count; ++i) put(source, text, 10, {static_cast<std::ptrdiff_t>(18'000 + 12 * i)});
    SourceGrams grams(source, 4, SourceGrams::kMediumGram);
    const SourceGrams::Nearest nearest = grams.find_long_too(text.data(), 25'000);
    EXPECT_EQ(18'000u + 12 * (short_count - 1), nearest.before);
    EXPECT_EQ(short_count < 300 ? 17'000u : SourceGrams::kNone, nearest.long_before) << short_count;
  }
}

TEST(SourceGrams, LongMatchesEndWithTheSource) {
  Bytes source = random_bytes(20'000, 20);
  const Bytes text = random_bytes(40, 21);
  for (const std::size_t same : {8u, 22u, 24u}) {
    std::copy_n(text.begin(), same, source.end() - static_cast<std::ptrdiff_t>(same));
    const std::uint64_t pos = source.size() - same;
    const SourceGrams::Nearest nearest =
        SourceGrams(source, 4, SourceGrams::kMediumGram).find_long_too(text.data(), pos);
    EXPECT_EQ(pos, nearest.before);
    EXPECT_EQ(same == 24 ? pos : SourceGrams::kNone, nearest.long_before) << same;
  }
}

TEST(SourceGrams, FitAsManyBytesAsTheyHave) {
  Bytes source = random_bytes(60'000, 14);
  const Bytes text = random_bytes(40, 15);
  for (const std::size_t same : {4u, 5u, 6u, 23u, 24u}) {
    std::copy_n(text.begin(), same, source.begin() + 20'000);
    for (const unsigned gram_bytes : {SourceGrams::kShortGram, SourceGrams::kMediumGram}) {
      const SourceGrams::Nearest nearest = SourceGrams(source, 4, gram_bytes).find_long_too(text.data(), 20'000);
      EXPECT_EQ(same >= gram_bytes ? 20'000u : SourceGrams::kNone, nearest.before)
          << same << " equal bytes, gram " << gram_bytes;
      EXPECT_EQ(same >= SourceGrams::kLongBytes ? 20'000u : SourceGrams::kNone, nearest.long_before)
          << same << " equal bytes, gram " << gram_bytes;
    }
  }
}

TEST(SourceGrams, FindsTheNearestOnBothSides) {
  Bytes source = random_bytes(100'000, 10);
  const Bytes gram = {1, 2, 3, 4, 5, 6, 7, 8};
  put(source, gram, 8, {40'000, 44'000, 47'000});
  SourceGrams grams(source, 2, SourceGrams::kShortGram);
  const SourceGrams::Nearest nearest = grams.find(gram.data(), 45'000);
  EXPECT_EQ(44'000u, nearest.before);
  EXPECT_EQ(47'000u, nearest.after);
  // A table of two blocks that has forgotten the place answers as before.
  for (std::uint64_t pos = 0; pos < source.size(); pos += 5000) (void)grams.find(gram.data(), pos);
  EXPECT_EQ(44'000u, grams.find(gram.data(), 45'000).before);
}

// Sizes about the ends of blocks, odd numbers of positions, and a run whose positions share one bucket.
TEST(SourceGrams, EveryEvenPositionFindsItself) {
  for (const std::size_t size : {8u, 9u, 10u, 11u, 16'384u, 16'390u, 16'391u, 16'392u, 16'394u, 40'001u}) {
    Bytes source = random_bytes(size, size);
    std::fill_n(source.begin(), size / 3, std::uint8_t{0});
    for (const unsigned gram_bytes : {SourceGrams::kShortGram, SourceGrams::kMediumGram}) {
      SourceGrams grams(source, 4, gram_bytes);
      for (std::size_t pos = 0; pos + SourceGrams::kReadBytes <= size; pos += 2) {
        ASSERT_EQ(pos, grams.find(source.data() + pos, pos).before) << "size " << size << ", gram " << gram_bytes;
      }
    }
  }
}

// What is asked for often knows at once what it does not have; what was never asked for before looks.
TEST(SourceGrams, BlocksThatAreAskedOftenAnswerAsBefore) {
  Bytes source = random_bytes(60'000, 16);
  for (std::uint8_t& byte : source) byte &= 7;  // so that some short grams are found and most are not
  const Bytes asked = [] {
    Bytes bytes = random_bytes(3'000, 17);
    for (std::uint8_t& byte : bytes) byte &= 7;
    return bytes;
  }();
  for (const unsigned gram_bytes : {SourceGrams::kShortGram, SourceGrams::kMediumGram}) {
    SourceGrams often(source, 4, gram_bytes);
    std::size_t found_count = 0;
    for (std::size_t i = 0; i + SourceGrams::kLongBytes <= asked.size(); ++i) {
      const std::uint64_t around = i * 19;
      const SourceGrams::Nearest nearest = often.find_long_too(asked.data() + i, around);
      SourceGrams once(source, 4, gram_bytes);
      const SourceGrams::Nearest expected = once.find_long_too(asked.data() + i, around);
      ASSERT_EQ(expected.before, nearest.before) << "gram " << gram_bytes << " at " << i;
      ASSERT_EQ(expected.after, nearest.after) << "gram " << gram_bytes << " at " << i;
      ASSERT_EQ(expected.long_before, nearest.long_before) << "gram " << gram_bytes << " at " << i;
      ASSERT_EQ(expected.long_after, nearest.long_after) << "gram " << gram_bytes << " at " << i;
      found_count += nearest.before != SourceGrams::kNone || nearest.after != SourceGrams::kNone;
    }
    if (gram_bytes == SourceGrams::kShortGram) {
      EXPECT_LT(100u, found_count);
      EXPECT_GT(2'000u, found_count);
    }
  }
}

}  // namespace
}  // namespace bdelta::test::source_grams_test
