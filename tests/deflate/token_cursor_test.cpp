// Tokens are read from any place of a stream, and end where there are none.
#include "view/deflate/token_cursor.hpp"

#include <algorithm>

#include "deflate/zlib_stream.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "view/deflate/inflate.hpp"

namespace bdelta::test::token_cursor_test {
namespace {

using namespace bdelta::deflate;

PackedPieces pieces_of(ByteSpan packed) {
  return [packed](std::uint64_t pos) {
    const ByteSpan left = packed.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(pos, packed.size())));
    return left.first(std::min(left.size(), kLeastPieceBytes + static_cast<std::size_t>(pos % 7)));
  };
}

// Text with stored blocks, fixed ones and others in its stream.
Bytes odd_text() {
  Bytes text = wordy_bytes(300'000, 1);
  append(text, random_bytes(150'000, 2));
  append(text, wordy_bytes(200'000, 3));
  return text;
}

struct Place {
  std::uint64_t pos;
  Token token;
};

std::vector<Place> places_of(const Inflated& stream) {
  std::vector<Place> places;
  for (const Block& block : stream.blocks) {
    std::uint64_t pos = block.raw_pos;
    for (std::uint64_t i = 0; i < block.token_count; ++i) {
      const Token token = stream.tokens[static_cast<std::size_t>(block.first_token + i)];
      places.push_back({pos, token});
      pos += length_of(token);
    }
  }
  return places;
}

TEST(TokenCursor, ReadsFromAnyPlace) {
  const Bytes text = odd_text();
  for (const int level : {0, 1, 6, 9}) {
    const Bytes packed = zlib_deflate(text, {.level = level, .flush = level == 1 ? Z_SYNC_FLUSH : Z_NO_FLUSH, .step_bytes = 40'000});
    const auto stream = inflate(packed);
    ASSERT_OK(stream);
    const std::vector<Place> places = places_of(*stream);
    TokenCursor cursor(pieces_of(packed));
    Random random(static_cast<std::uint64_t>(level));
    for (unsigned i = 0; i < 300; ++i) {
      const std::uint64_t target = random.below(text.size());
      const auto expected = std::lower_bound(places.begin(), places.end(), target, [](const Place& place, std::uint64_t pos) { return place.pos < pos; });
      if (expected == places.end()) continue;
      // Of a stored block only the end is a place.
      ASSERT_TRUE(cursor.move_to(target));
      ASSERT_LE(target, cursor.pos());
      ASSERT_LE(cursor.pos(), expected->pos);
      std::vector<Token> tokens(2000);
      const auto read = cursor.read(tokens.data(), tokens.size(), ~std::uint64_t{0});
      if (cursor.pos() == target && read.count == 0) continue;
      for (std::size_t t = 0; t < read.count; ++t) {
        ASSERT_EQ((expected + static_cast<std::ptrdiff_t>(t))->token, tokens[t]) << level << " " << target << " " << t;
      }
    }
  }
}

TEST(TokenCursor, StopsBeforeAPlaceAndTellsOfTheLastMatch) {
  const Bytes text = wordy_bytes(100'000, 4);
  const Bytes packed = zlib_deflate(text, {});
  TokenCursor cursor(pieces_of(packed));
  std::vector<Token> tokens(100'000);
  const auto read = cursor.read(tokens.data(), tokens.size(), 50'000);
  ASSERT_GT(read.count, 0u);
  EXPECT_GE(cursor.pos(), 50'000u);
  EXPECT_LT(cursor.pos() - length_of(tokens[read.count - 1]), 50'000u);
  std::uint64_t matched_pos = 0;
  for (std::size_t i = 0; i < read.matched_count; ++i) matched_pos += length_of(tokens[i]);
  EXPECT_EQ(matched_pos, read.matched_pos);
  EXPECT_TRUE(is_match(tokens[read.matched_count - 1]));
  EXPECT_TRUE(std::none_of(tokens.begin() + static_cast<std::ptrdiff_t>(read.matched_count), tokens.begin() + static_cast<std::ptrdiff_t>(read.count), is_match));
}

TEST(TokenCursor, EndsWhereThereIsNoStream) {
  const Bytes packed = zlib_deflate(wordy_bytes(100'000, 5), {});
  for (std::size_t size = 0; size < packed.size(); size += 97) {
    TokenCursor cut(pieces_of(ByteSpan(packed).first(size)));
    EXPECT_FALSE(cut.move_to(100'000));
  }
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Bytes noise = random_bytes(200, seed);
    TokenCursor cursor(pieces_of(noise));
    static_cast<void>(cursor.move_to(std::uint64_t{1} << 40));
    Token token = 0;
    EXPECT_EQ(0u, cursor.read(&token, 1, ~std::uint64_t{0}).count);
  }
}

}  // namespace
}  // namespace bdelta::test::token_cursor_test
