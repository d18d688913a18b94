// Tokens of one stream in another: they are taken where M would make the same, and whatever they are, what comes out is a stream
// or an error.
#include <algorithm>

#include "deflate/round_trip.hpp"
#include "deflate/zlib_stream.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/own_deflate.hpp"
#include "view/deflate/rebuild.hpp"

namespace bdelta::test::lending_test {
namespace {

using namespace bdelta::deflate;

PackedPieces pieces_of(ByteSpan packed) {
  return [packed](std::uint64_t pos) { return packed.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(pos, packed.size()))); };
}

class Lender final : public StreamLender {
 public:
  explicit Lender(Bytes packed) : packed_(std::move(packed)) {}
  PackedPieces open(std::uint64_t) const override {
    ++opened;
    return pieces_of(packed_);
  }
  mutable unsigned opened = 0;

 private:
  const Bytes packed_;
};

// Two texts that differ here and there, and what is alike.
struct Pair {
  Bytes old_text, text;
  std::vector<TextCopy> copies;
};

Pair make_pair_of_texts(std::size_t size, std::uint64_t seed) {
  Pair pair;
  Random random(seed);
  pair.old_text = wordy_bytes(size, seed);
  std::uint64_t from = 0;
  while (from < size) {
    const std::uint64_t bytes = std::min<std::uint64_t>(size - from, 1 + random.below(200'000));
    pair.copies.push_back({pair.text.size(), bytes, 0, from, from + bytes == size});
    append(pair.text, ByteSpan(pair.old_text).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(bytes)));
    from += bytes;
    if (random.below(2) == 0) append(pair.text, random_bytes(random.below(30), seed + from));
    if (random.below(2) == 0) from = std::min<std::uint64_t>(size, from + random.below(300));
  }
  return pair;
}

Result<Bytes> rebuild_lent(const StreamRecipe& recipe, const Pair& pair, std::size_t packed_bytes, const StreamLender* lender, std::size_t step,
                           WorkerPool* pool = nullptr) {
  MatcherSet matchers;
  Bytes packed;
  const auto take = [&](ByteSpan bytes) -> Status {
    append(packed, bytes);
    return {};
  };
  Rebuilder rebuilder(matchers, recipe, {pair.text.size(), packed_bytes}, take, pool, lender);
  auto copy = pair.copies.begin();
  std::uint64_t told = 0;  // of the copy
  for (std::uint64_t pos = 0; pos < pair.text.size();) {
    const std::uint64_t end = std::min<std::uint64_t>(pos + step, pair.text.size());
    for (; copy != pair.copies.end() && copy->pos < end; ++copy, told = 0) {
      const std::uint64_t bytes = std::min(copy->end(), end) - copy->pos - told;
      if (bytes > 0) rebuilder.add_copy({copy->pos + told, bytes, copy->stream, copy->from + told, copy->to_end && copy->end() <= end});
      told += bytes;
      if (copy->end() > end) break;
    }
    BDELTA_TRY(rebuilder.write(ByteSpan(pair.text).subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(end - pos))));
    pos = end;
  }
  BDELTA_TRY(rebuilder.finish());
  return packed;
}

StreamRecipe lending(const Parameters& parameters) {
  StreamRecipe recipe;
  recipe.parameters = parameters;
  recipe.lends = true;
  return recipe;
}

TEST(Lending, GivesTheSameStream) {
  const Parameters chromium = {.hash = Hash::kFourBytes, .chain = 4096};
  WorkerPool pool(2);
  unsigned opened = 0;
  for (const Parameters& parameters : {zlib_parameters(4), zlib_parameters(6), zlib_parameters(9), zlib_parameters(6, 9), chromium}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Pair pair = make_pair_of_texts(3'000'000, seed);
      const Bytes packed = own_deflate(pair.text, parameters);
      const Lender lender(own_deflate(pair.old_text, parameters));
      for (const std::size_t step : {std::size_t{10'000}, std::size_t{262'144}, pair.text.size()}) {
        for (WorkerPool* const with : {static_cast<WorkerPool*>(nullptr), &pool}) {
          const auto made = rebuild_lent(lending(parameters), pair, packed.size(), &lender, step, with);
          ASSERT_OK(made);
          ASSERT_TRUE(same_bytes(packed, *made)) << parameters.chain << " " << seed << " " << step;
        }
      }
      opened += lender.opened;
    }
  }
  EXPECT_GT(opened, 0u);
}

// Tokens that another encoder made for the same text come out, so they were taken.
TEST(Lending, TakesTheTokens) {
  const Bytes text = wordy_bytes(400'000, 6);
  const Pair same{text, text, {{0, text.size(), 0, 0, true}}};
  const Bytes packed = own_deflate(text, zlib_parameters(4));
  const Lender lender(packed);
  const auto made = rebuild_lent(lending(zlib_parameters(9)), same, packed.size(), &lender, 100'000);
  ASSERT_OK(made);
  EXPECT_TRUE(same_bytes(packed, *made));
  EXPECT_EQ(1u, lender.opened);
  // Not without the recipe's word, and not for an encoder that does not remember all positions.
  StreamRecipe recipe = lending(zlib_parameters(9));
  recipe.lends = false;
  EXPECT_TRUE(same_bytes(own_deflate(text, zlib_parameters(9)), *rebuild_lent(recipe, same, own_deflate(text, zlib_parameters(9)).size(), &lender, 100'000)));
  recipe = lending(zlib_parameters(1));
  EXPECT_TRUE(same_bytes(own_deflate(text, zlib_parameters(1)), *rebuild_lent(recipe, same, own_deflate(text, zlib_parameters(1)).size(), &lender, 100'000)));
  EXPECT_EQ(1u, lender.opened);
}

TEST(Lending, TakesNoneNearBothEndsOfACopy) {
  const Bytes text = wordy_bytes(400'000, 7);
  const auto equal_to = [&](const TextCopy& copy) {
    Pair pair{text, text, {copy}};
    const Lender lender(own_deflate(text, zlib_parameters(4)));
    const std::size_t packed_bytes = own_deflate(text, zlib_parameters(9)).size();
    const auto made = rebuild_lent(lending(zlib_parameters(9)), pair, packed_bytes, &lender, text.size());
    // The tokens are of another encoder, so a stream of that size seldom comes out where any were taken.
    return made && same_bytes(own_deflate(text, zlib_parameters(9)), *made);
  };
  EXPECT_TRUE(equal_to({100'000, 60'000, 0, 100'000, false}));
  EXPECT_FALSE(equal_to({100'000, 100'000, 0, 100'000, false}));
}

// Whatever the other stream is: a stream, or an error.
TEST(Lending, OtherStreamsDoNoHarm) {
  const Pair pair = make_pair_of_texts(600'000, 8);
  const Bytes packed = own_deflate(pair.text, {});
  const Bytes old_packed = own_deflate(pair.old_text, {});
  std::vector<Bytes> others = {{}, random_bytes(50'000, 9), own_deflate(wordy_bytes(600'000, 10), {}), own_deflate(pair.old_text, zlib_parameters(9)),
                               own_deflate(Bytes(600'000), {})};
  Random random(11);
  for (unsigned i = 0; i < 20; ++i) {
    Bytes damaged = old_packed;
    damaged[static_cast<std::size_t>(random.below(damaged.size()))] ^= static_cast<std::uint8_t>(1u << random.below(8));
    others.push_back(damaged);
  }
  for (const Bytes& other : others) {
    const Lender lender(other);
    const auto made = rebuild_lent(lending({}), pair, packed.size(), &lender, 100'000);
    if (!made) {
      EXPECT_EQ(ErrorCode::kPatchCorrupt, made.error().code);
    } else {
      EXPECT_EQ(packed.size(), made->size());
    }
  }
}

TEST(Lending, TheRecipeSaysSo) {
  StreamRecipe recipe = lending(zlib_parameters(9));
  const StreamSizes large{70'000, 10'000}, small{60'000, 10'000};
  RecipeWriter writer;
  ASSERT_TRUE(writer.add(recipe, large));
  ASSERT_TRUE(writer.add(recipe, small));
  const Bytes bytes = writer.finish();
  auto reader = RecipeReader::open(bytes);
  ASSERT_OK(reader);
  EXPECT_TRUE(reader->next(large)->lends);
  EXPECT_FALSE(reader->next(small)->lends);
  EXPECT_OK(reader->finish());
}

}  // namespace
}  // namespace bdelta::test::lending_test
