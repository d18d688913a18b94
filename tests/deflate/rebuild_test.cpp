// Streams come back bit by bit: those of zlib from next to nothing, and any other from a larger recipe.
#include "view/deflate/rebuild.hpp"

#include <algorithm>

#include "deflate/round_trip.hpp"
#include "deflate/zlib_stream.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/own_deflate.hpp"
#include "support/rebuild.hpp"
#include "view/deflate/guesses.hpp"

namespace bdelta::test::rebuild_test {
namespace {

using namespace bdelta::deflate;

// Text, something like a program, and what is said again after a while.
Bytes mixed_bytes(std::size_t size, std::uint64_t seed) {
  Bytes bytes = wordy_bytes(size / 2, seed);
  append(bytes, periodic_bytes(size / 8, 1000, seed));
  append(bytes, random_bytes(size / 16, seed));
  append(bytes, wordy_bytes(size - bytes.size(), seed + size / 4));
  return bytes;
}

TEST(Rebuild, ZlibsStreamsNeedNoCorrections) {
  const Bytes raw = mixed_bytes(600'000, 1);
  for (int level = 1; level <= 9; ++level) {
    for (const int memory : {1, 7, 8, 9}) {
      const RoundTrip trip = round_trip(zlib_deflate(raw, {.level = level, .memory = memory}));
      EXPECT_EQ(0u, trip.misses) << level << " " << memory;
      EXPECT_LE(trip.recipe_bytes, 20u) << level << " " << memory;
    }
  }
  for (int window_bits = 9; window_bits <= 14; ++window_bits) {
    const RoundTrip trip = round_trip(zlib_deflate(raw, {.window_bits = window_bits}));
    EXPECT_EQ(0u, trip.misses) << window_bits;
    EXPECT_LE(trip.recipe_bytes, 20u) << window_bits;
  }
  for (const int strategy : {Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE}) {
    const RoundTrip trip = round_trip(zlib_deflate(raw, {.strategy = strategy}));
    EXPECT_EQ(0u, trip.misses) << strategy;
    EXPECT_LE(trip.recipe_bytes, 20u) << strategy;
  }
  EXPECT_LE(round_trip(zlib_deflate(raw, {.strategy = Z_FIXED})).recipe_bytes, 30u);
  EXPECT_LE(round_trip(zlib_deflate(raw, {.level = 0})).recipe_bytes, 60u);
  EXPECT_EQ(2u, round_trip(zlib_deflate(raw, {})).recipe_bytes);
  EXPECT_EQ(1u, round_trip(zlib_deflate(ByteSpan(raw).first(60'000), {})).recipe_bytes);  // too short to take tokens of another
}

// Also where the encoder is not known, so that nearly every token is a miss.
TEST(Rebuild, AnalysingByAllThreadsIsAsByOne) {
  const Bytes raw = mixed_bytes(3'000'000, 7);
  WorkerPool pool(3);
  std::vector<Bytes> streams = {odd_stream(3)};
  for (const int level : {1, 4, 6, 9}) streams.push_back(zlib_deflate(raw, {.level = level}));
  ZlibSettings flushed{.level = 6};
  flushed.flush = Z_FULL_FLUSH;
  flushed.step_bytes = 1'500'000;
  streams.push_back(zlib_deflate(raw, flushed));
  for (const Bytes& packed : streams) {
    Analyser alone, shared;
    const auto one = alone.analyse(packed);
    const auto all = shared.analyse(packed, {.most_raw_bytes = raw.size(), .reserve = true, .pool = &pool});
    ASSERT_OK(one);
    ASSERT_OK(all);
    EXPECT_TRUE(one->recipe == all->recipe);
    EXPECT_EQ(one->misses, all->misses);
    EXPECT_EQ(one->looked_at, all->looked_at);
    EXPECT_TRUE(same_bytes(one->stream.raw(), all->stream.raw()));
  }
}

TEST(Rebuild, GosStreamsNeedNoCorrections) {
  const Bytes raw = mixed_bytes(300'000, 1);
  for (unsigned level = 0; level <= 9; ++level) {
    const Parameters parameters = go_parameters(level);
    for (const std::uint64_t step : {300'000u, 131u, 20'001u, 65'535u}) {
      std::vector<Joint> joints;
      for (std::uint64_t pos = step; pos < raw.size(); pos += step) joints.push_back({pos, JointKind::kContinue, JointMarker::kStored});
      const RoundTrip trip = round_trip(own_deflate(raw, parameters, joints));
      EXPECT_EQ(0u, trip.misses) << level << " " << step;
      EXPECT_LE(trip.recipe_bytes, 40u) << level << " " << step;
    }
    // Small ones, behind one of the same level: all are as foreseen.
    for (const std::size_t size : {0u, 1u, 16u, 17u, 127u, 128u, 5000u}) {
      const RoundTrip trip = round_trip(own_deflate(ByteSpan(raw).first(size), parameters), parameters);
      EXPECT_EQ(0u, trip.misses) << level << " " << size;
      EXPECT_LE(trip.recipe_bytes, 18u) << level << " " << size;
    }
  }
}

// In a block without matches. For the sake of its bits this one of Go's level 6 has trees of its own.
TEST(Rebuild, GoCountsADistanceThatIsNotThere) {
  const Bytes packed = {0x04, 0xc0, 0x31, 0x11, 0x43, 0x21, 0x0c, 0x00, 0xd0, 0x81, 0xa5, 0x5f, 0x00, 0x97, 0xee, 0xb1, 0xc0, 0x12, 0x1d,
                        0x15, 0x90, 0x25, 0xc7, 0x1d, 0xc7, 0x4e, 0xd6, 0xa8, 0x60, 0x25, 0x32, 0x2a, 0xa2, 0x07, 0x42, 0x98, 0xe2, 0xa0,
                        0x2f, 0x12, 0x1c, 0xcc, 0x60, 0xb6, 0xf5, 0xed, 0x9e, 0x5f, 0xba, 0xd2, 0xb9, 0x93, 0x48, 0x6b, 0x1b, 0x5f, 0xc4,
                        0x3e, 0xcf, 0x13, 0x05, 0xd1, 0xd8, 0x64, 0x6b, 0x09, 0x01, 0x32, 0x5a, 0x6e, 0x0f, 0x76, 0xab, 0x00, 0x24, 0xd2,
                        0x0a, 0xf3, 0xfd, 0xf1, 0x27, 0xd0, 0x47, 0xf8, 0x4d, 0xf4, 0x0f, 0x00, 0x00, 0xff, 0xff};
  const RoundTrip trip = round_trip(packed, go_parameters(6));
  EXPECT_EQ(0u, trip.misses);
  EXPECT_EQ(11u, trip.recipe_bytes);
}

TEST(Rebuild, FlushesAreJoints) {
  const Bytes raw = mixed_bytes(500'000, 2);
  for (const int level : {1, 3, 6, 9}) {
    for (const int flush : {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH}) {
      for (const std::size_t step : {701u, 40'000u, 131'072u}) {
        const RoundTrip trip = round_trip(zlib_deflate(raw, {.level = level, .flush = flush, .step_bytes = step}));
        EXPECT_EQ(0u, trip.misses) << level << " " << flush << " " << step;
        EXPECT_LE(trip.recipe_bytes, 40u) << level << " " << flush << " " << step;
      }
    }
  }
}

// What encoders do where the text ends, or nearly ends.
TEST(Rebuild, SmallTextsNeedNoCorrections) {
  Random random(4);
  for (unsigned i = 0; i < 3000; ++i) {
    const std::size_t size = random.below(400);
    const std::uint64_t letters = random.between(1, 4);
    Bytes raw(size);
    for (std::uint8_t& byte : raw) byte = static_cast<std::uint8_t>('a' + random.below(letters));
    const auto level = static_cast<int>(random.between(1, 9));
    const RoundTrip trip = round_trip(zlib_deflate(raw, {.level = level}), zlib_parameters(static_cast<unsigned>(level)));
    ASSERT_EQ(0u, trip.misses) << "text " << i << " level " << level;
    ASSERT_LE(trip.recipe_bytes, 12u) << "text " << i << " level " << level;
  }
}

// A block of all the tokens it can have that ends with the text: in a match, in a literal.
TEST(Rebuild, LastBlocksThatAreFull) {
  for (const int level : {1, 6}) {
    for (std::size_t size = 16'370; size < 16'400; ++size) {
      const Bytes raw = random_bytes(size, 5);
      for (const bool with_match : {false, true}) {
        Bytes text = raw;
        if (with_match) text.insert(text.end(), raw.begin() + 1000, raw.begin() + 1010);
        const RoundTrip trip = round_trip(zlib_deflate(text, {.level = level}), zlib_parameters(static_cast<unsigned>(level)));
        ASSERT_EQ(0u, trip.misses) << level << " " << size;
        ASSERT_LE(trip.recipe_bytes, 8u) << level << " " << size << " " << with_match;
      }
    }
  }
}

TEST(Rebuild, MatchesAtTheFarEndOfTheWindow) {
  for (const std::size_t distance : {32'505u, 32'506u, 32'507u, 32'767u, 32'768u}) {
    for (const std::size_t before : {0u, 5u, 32'768u, 70'000u}) {
      Bytes raw = random_bytes(before + distance, 6);
      const Bytes again(raw.begin() + static_cast<std::ptrdiff_t>(before), raw.begin() + static_cast<std::ptrdiff_t>(before + 30));
      append(raw, again);
      append(raw, random_bytes(50, 7));
      for (const int level : {1, 4, 6, 9}) {
        const RoundTrip trip = round_trip(zlib_deflate(raw, {.level = level}), zlib_parameters(static_cast<unsigned>(level)));
        EXPECT_EQ(0u, trip.misses) << distance << " " << before << " " << level;
      }
    }
  }
}

TEST(Rebuild, EdgesOfText) {
  for (const Bytes& raw : {Bytes{}, Bytes{7}, Bytes(70'000), Bytes(2'000'000), random_bytes(65'535, 8), random_bytes(65'536, 8)}) {
    for (int level = 0; level <= 9; ++level) {
      for (const int memory : {8, 9}) round_trip(zlib_deflate(raw, {.level = level, .memory = memory}));
    }
  }
}

void expect_pieces_not_to_matter(const Bytes& raw, const Bytes& packed) {
  Analyser analyser;
  const auto analysis = analyser.analyse(packed);
  ASSERT_OK(analysis);
  for (const std::size_t piece : {1u, 999u, 65'536u, 1'000'000u}) {
    MatcherSet matchers;
    Bytes made;
    Rebuilder rebuilder(matchers, analysis->recipe, analysis->sizes(), [&](ByteSpan bytes) -> Status {
      append(made, bytes);
      return {};
    });
    for (std::size_t at = 0; at < raw.size(); at += piece) {
      ASSERT_OK(rebuilder.write(ByteSpan(raw).subspan(at, std::min(piece, raw.size() - at))));
    }
    ASSERT_OK(rebuilder.finish());
    EXPECT_TRUE(same_bytes(packed, made)) << piece;
  }
}

TEST(Rebuild, PiecesDoNotMatter) {
  const Bytes raw = mixed_bytes(1'500'000, 9);
  expect_pieces_not_to_matter(raw, zlib_deflate(raw, {.level = 6, .flush = Z_SYNC_FLUSH, .step_bytes = 400'000}));
  for (const unsigned level : {1u, 2u, 5u}) expect_pieces_not_to_matter(raw, own_deflate(raw, go_parameters(level)));
}

// Several threads work on one stream, of which parts may be hard to take up: all the same, or without any match.
TEST(Rebuild, ThreadsDoNotMatter) {
  Bytes raw = mixed_bytes(2'000'000, 21);
  append(raw, Bytes(1'500'000));
  append(raw, random_bytes(1'500'000, 22));
  append(raw, periodic_bytes(1'000'000, 300, 23));
  append(raw, mixed_bytes(2'000'000, 24));
  for (const int level : {4, 6, 9, -4, -8}) {  // below 0: of Go
    const Bytes packed = level > 0 ? zlib_deflate(raw, {.level = level})
                                   : own_deflate(raw, go_parameters(static_cast<unsigned>(-level)));
    Analyser analyser;
    auto analysis = analyser.analyse(packed);
    ASSERT_OK(analysis);
    EXPECT_EQ(0u, analysis->misses);
    for (const unsigned threads : {1u, 2u, 3u, 7u}) {
      WorkerPool pool(threads);
      const auto made = rebuild(analyser.matchers(), analysis->recipe, raw, packed.size(), &pool);
      ASSERT_OK(made);
      EXPECT_TRUE(same_bytes(packed, *made)) << level << " " << threads;
    }
  }
}

// Tables are not cleared between streams; that shows nowhere.
TEST(Rebuild, WhatWasMadeBeforeDoesNotMatter) {
  std::vector<Bytes> packed;
  std::vector<StreamRecipe> recipes;
  std::vector<Bytes> texts;
  Analyser analyser;
  Random random(10);
  for (unsigned i = 0; i < 80; ++i) {
    const Bytes raw = mixed_bytes(random.below(i % 10 == 9 ? 200'000 : 60'000), 11 + i % 7);
    const auto level = static_cast<unsigned>(random.between(1, 9));
    packed.push_back(i % 2 == 0 ? zlib_deflate(raw, {.level = static_cast<int>(level)}) : own_deflate(raw, go_parameters(level)));
    const auto analysis = analyser.analyse(packed.back());
    ASSERT_OK(analysis);
    recipes.push_back(analysis->recipe);
    texts.push_back(raw);
  }
  std::vector<std::size_t> order(packed.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  MatcherSet matchers;
  for (unsigned round = 0; round < 3; ++round) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (const std::size_t i : order) {
      const auto made = rebuild(matchers, recipes[i], texts[i], packed[i].size());
      ASSERT_OK(made);
      EXPECT_TRUE(same_bytes(packed[i], *made));
    }
  }
}

TEST(Rebuild, ManyStreamsShareARecipe) {
  RecipeWriter writer;
  std::vector<Bytes> packed;
  std::vector<Bytes> texts;
  Analyser analyser;
  Parameters hint;
  for (unsigned i = 0; i < 400; ++i) {
    texts.push_back(mixed_bytes(100 + 37 * i, i));
    packed.push_back(zlib_deflate(texts.back(), {.level = 9}));
    const auto analysis = analyser.analyse(packed.back(), {.hint = hint});
    ASSERT_OK(analysis);
    hint = analysis->recipe.parameters;
    ASSERT_TRUE(writer.add(analysis->recipe, analysis->sizes()));
  }
  const Bytes recipe = writer.finish();
  EXPECT_LE(recipe.size(), 24u);  // the smallest texts could be of other levels, too
  auto reader = RecipeReader::open(recipe);
  ASSERT_OK(reader);
  MatcherSet matchers;
  for (std::size_t i = 0; i < packed.size(); ++i) {
    const auto stream = reader->next({texts[i].size(), packed[i].size()});
    ASSERT_OK(stream);
    const auto made = rebuild(matchers, *stream, texts[i], packed[i].size());
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(packed[i], *made));
  }
  EXPECT_OK(reader->finish());
}

TEST(Rebuild, AnyStreamComesBack) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) round_trip(odd_stream(seed));
}

}  // namespace
}  // namespace bdelta::test::rebuild_test
