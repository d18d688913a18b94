// M2 takes M's decisions, whatever the parameters are, and whatever tokens the stream has in their place.
#include "deflate/zlib_stream.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "view/deflate/chain_tables.hpp"
#include "view/deflate/guesses.hpp"
#include "view/deflate/ranked_tables.hpp"
#include "view/deflate/ruled_matcher.hpp"

namespace bdelta::test::matcher_test {
namespace {

using namespace bdelta::deflate;

Bytes padded(Bytes text) {
  text.resize(text.size() + 16);
  return text;
}

Parameters odd_parameters(Random& random, Hash hash) {
  const auto level = static_cast<unsigned>(random.between(4, 9));
  Parameters p = hash == Hash::kGo ? go_parameters(level) : zlib_parameters(level);
  if (hash != Hash::kGo) {
    p.hash = hash;
    p.hash_bits = static_cast<std::uint8_t>(is_crc(hash) ? 15 : random.between(hash == Hash::kFourBytes ? 14 : 8, 16));
    p.window_bits = static_cast<std::uint8_t>(random.between(9, 15));
    p.filtered = random.below(4) == 0;
  }
  if (random.below(2) == 0) p.chain = static_cast<std::uint16_t>(random.between(1, 300));
  if (random.below(2) == 0) p.nice = static_cast<std::uint16_t>(random.between(3, 258));
  if (random.below(2) == 0) p.good = static_cast<std::uint16_t>(random.between(0, 40));
  if (random.below(2) == 0) p.lazy = static_cast<std::uint16_t>(random.between(0, 258));
  return p;
}

// Both go on with the same token, now and then another one than they foresee; texts are cut by joints, of any kind or by
// many that leave the tables as they are.
void compare(Matcher& a, Matcher& b, const Parameters& parameters, const Bytes& text, Random& random, bool many_joints) {
  const std::size_t size = text.size() - 16;
  a.begin(parameters, 0, 0);
  b.begin(parameters, 0, 0);
  a.set_text(text.data(), 0);
  b.set_text(text.data(), 0);
  std::size_t end = 0;
  while (a.pos() < size) {
    if (a.pos() == end) {
      end = random.below(3) == 0 && !many_joints ? size : std::min(size, end + 1 + random.below(many_joints ? 200 : 40'000));
      if (a.pos() != 0) {
        const auto kind = many_joints ? JointKind::kContinue : static_cast<JointKind>(random.below(3));
        a.join(kind);
        b.join(kind);
      }
      a.set_end(end);
      b.set_end(end);
    }
    const Token token = a.predict();
    ASSERT_EQ(token, b.predict()) << "at " << a.pos() << " of " << size;
    ASSERT_EQ(a.passed_match(), b.passed_match());
    const bool other = random.below(50) == 0;
    const Token commited = other ? literal_token(text[a.pos()]) : token;
    a.commit(commited);
    b.commit(commited);
    ASSERT_EQ(a.pos(), b.pos());
  }
}

// Stretches with short chains and with long ones in turn, between which M2 becomes M and M becomes M2.
Bytes changing_bytes(std::size_t size, std::uint64_t seed) {
  Bytes bytes;
  while (bytes.size() < size) {
    append(bytes, wordy_bytes(100'000, ++seed));
    for (const std::uint8_t byte : random_bytes(100'000, ++seed)) bytes.push_back(byte % 4);
  }
  bytes.resize(size);
  return bytes;
}

template <Hash kHash>
void compare_many(std::uint64_t seed, Hash hash = kHash) {
  RuledMatcher<Search::kLazy, ChainTables<kHash>> plain;
  RuledMatcher<Search::kLazy, RankedTables<kHash>> ranked;
  Random random(seed);
  for (unsigned i = 0; i < 120; ++i) {
    const Parameters parameters = odd_parameters(random, hash);
    const std::size_t size = random.below(i % 10 == 0 ? 200'000 : 20'000);
    Bytes text = i % 3 == 0 ? wordy_bytes(size, i) : i % 3 == 1 ? periodic_bytes(size, 1 + random.below(3000), i) : Bytes(size);
    if (i % 3 == 2) {
      for (std::uint8_t& byte : text) byte = static_cast<std::uint8_t>(random.below(4) * 64);  // Chromium's buckets of three
    }
    if (i % 10 == 5) text = changing_bytes(random.between(300'000, 700'000), i);
    compare(plain, ranked, parameters, padded(text), random, i % 20 == 5);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Matcher, RankedChainsDecideAsPlainOnes) { compare_many<Hash::kThreeBytes>(1); }
TEST(Matcher, RankedChainsDecideAsPlainOnesWithFourBytes) { compare_many<Hash::kFourBytes>(2); }
TEST(Matcher, RankedChainsDecideAsPlainOnesByCrc) { compare_many<Hash::kThreeBytes>(5, Hash::kCrcOfThree); }
TEST(Matcher, RankedChainsDecideAsPlainOnesOfGo) { compare_many<Hash::kGo>(3); }

// From Go's first window on a match may be as far away as its distance can say; behind that the window moves.
TEST(Matcher, GoForgetsWhatItsWindowHasLost) {
  const auto distance_at = [](std::size_t pos, std::uint32_t distance, std::size_t size) {
    Bytes text = random_bytes(size, 4);
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(pos - distance), 30, text.begin() + static_cast<std::ptrdiff_t>(pos));
    const Bytes all = padded(text);
    RuledMatcher<Search::kLazy, ChainTables<Hash::kGo>> matcher;
    matcher.begin(go_parameters(6), 0, 0);
    matcher.set_text(all.data(), 0);
    matcher.set_end(size);
    while (matcher.pos() < pos) matcher.commit(matcher.predict());
    return distance_of(matcher.predict());
  };
  EXPECT_EQ(32'768u, distance_at(32'768, 32'768, 70'000));
  EXPECT_EQ(0u, distance_at(32'769, 32'769, 70'000));
  EXPECT_EQ(32'768u, distance_at(65'274, 32'768, 70'000));
  EXPECT_EQ(32'507u, distance_at(65'275, 32'507, 70'000));
  EXPECT_EQ(0u, distance_at(65'275, 32'508, 70'000));
  EXPECT_EQ(32'508u, distance_at(65'275, 32'508, 65'536));
  EXPECT_EQ(32'768u, distance_at(65'536, 32'768, 70'000));
}

}  // namespace
}  // namespace bdelta::test::matcher_test
