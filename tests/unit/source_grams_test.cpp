// Nearest matches in a neighbourhood, however often it is asked for.
#include "match/source_grams.hpp"

#include <algorithm>

#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test {
namespace {

TEST(SourceGrams, LongGramsPassOverShortMatches) {
  Bytes source = random_bytes(60'000, 12);
  const Bytes text = random_bytes(40, 13);
  std::copy(text.begin(), text.begin() + 12, source.begin() + 20'000);  // near, but short
  std::copy(text.begin(), text.end(), source.begin() + 22'000);
  SourceGrams grams(source, 4, SourceGrams::kLongGram);
  const SourceGrams::Nearest nearest = grams.find(text.data(), 20'000);
  EXPECT_EQ(SourceGrams::kNone, nearest.before);
  EXPECT_EQ(22'000u, nearest.after);
  EXPECT_EQ(20'000u, SourceGrams(source, 4, SourceGrams::kShortGram).find(text.data(), 20'000).before);
}

TEST(SourceGrams, FitAsManyBytesAsTheyHave) {
  Bytes source = random_bytes(60'000, 14);
  const Bytes text = random_bytes(40, 15);
  for (const std::size_t same : {4u, 5u, 6u, 23u, 24u}) {
    std::copy_n(text.begin(), same, source.begin() + 20'000);
    for (const unsigned gram_bytes : {SourceGrams::kShortGram, SourceGrams::kMediumGram, SourceGrams::kLongGram}) {
      EXPECT_EQ(same >= gram_bytes ? 20'000u : SourceGrams::kNone,
                SourceGrams(source, 4, gram_bytes).find(text.data(), 20'000).before)
          << same << " equal bytes, gram " << gram_bytes;
    }
  }
}

TEST(SourceGrams, FindsTheNearestOnBothSides) {
  Bytes source = random_bytes(100'000, 10);
  const Bytes gram = {1, 2, 3, 4, 5, 6, 7, 8};
  for (const std::ptrdiff_t pos : {40'000, 44'000, 47'000}) {
    std::copy(gram.begin(), gram.end(), source.begin() + pos);
  }
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
    for (const unsigned gram_bytes : {SourceGrams::kShortGram, SourceGrams::kMediumGram, SourceGrams::kLongGram}) {
      SourceGrams grams(source, 4, gram_bytes);
      for (std::size_t pos = 0; pos + grams.readable_bytes() <= size; pos += 2) {
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
  for (const unsigned gram_bytes : {SourceGrams::kShortGram, SourceGrams::kMediumGram, SourceGrams::kLongGram}) {
    SourceGrams often(source, 4, gram_bytes);
    std::size_t found_count = 0;
    for (std::size_t i = 0; i + often.readable_bytes() <= asked.size(); ++i) {
      const std::uint64_t around = i * 19;
      const SourceGrams::Nearest nearest = often.find(asked.data() + i, around);
      SourceGrams once(source, 4, gram_bytes);
      const SourceGrams::Nearest expected = once.find(asked.data() + i, around);
      ASSERT_EQ(expected.before, nearest.before) << "gram " << gram_bytes << " at " << i;
      ASSERT_EQ(expected.after, nearest.after) << "gram " << gram_bytes << " at " << i;
      found_count += nearest.before != SourceGrams::kNone || nearest.after != SourceGrams::kNone;
    }
    if (gram_bytes == SourceGrams::kShortGram) {
      EXPECT_LT(100u, found_count);
      EXPECT_GT(2'000u, found_count);
    }
  }
}

}  // namespace
}  // namespace bdelta::test
