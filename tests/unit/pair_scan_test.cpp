// Where pairs of bytes stand, by both ways to look for them, of programs and of streams.
#include "base/pair_scan.hpp"

#include "exe/magic_scan.hpp"
#include "support/generate.hpp"
#include "view/stream_heads.hpp"

namespace bdelta::test {
namespace pair_scan_test {
namespace {

using Pairs = std::span<const std::uint8_t[2]>;

// First bytes of pairs in all places, most with another byte behind that looks alike in one of its halves.
Bytes nearly_pairs(Pairs pairs, unsigned shift) {
  Random random(18);
  Bytes bytes;
  for (int i = 0; i < 700; ++i) {
    const auto& pair = pairs[static_cast<std::size_t>(random.below(pairs.size()))];
    const std::uint64_t other = random.below(20) == 0 ? 0 : 1 + random.below(15);
    bytes.push_back(pair[0]);
    bytes.push_back(static_cast<std::uint8_t>(pair[1] ^ other << shift));
  }
  return bytes;
}

// All bytes, among which pairs are rare, and zeros behind.
Bytes other_bytes() {
  Bytes bytes = random_bytes(20'000, 19);
  bytes.resize(bytes.size() + 1000);
  return bytes;
}

void expect_found(const PairScan& scan, Pairs pairs, const Bytes& bytes) {
  const std::size_t last = bytes.size() - 1;
  std::size_t expected = last;
  for (std::size_t at = last; at-- > 0;) {
    for (const auto& pair : pairs) {
      if (bytes[at] == pair[0] && bytes[at + 1] == pair[1]) expected = at;
    }
    for (const std::size_t asked : {last - at, std::min<std::size_t>(last - at, 150)}) {
      ASSERT_EQ(std::min(expected - at, asked), scan.find(bytes.data() + at, asked)) << at;
      ASSERT_EQ(std::min(expected - at, asked), scan.find_portably(bytes.data() + at, asked)) << at;
    }
  }
}

TEST(PairScan, FindsMagicsWhereverTheyStand) {
  for (const Bytes& bytes : {nearly_pairs(exe::kMagicPairs, 0), nearly_pairs(exe::kMagicPairs, 4), other_bytes()}) {
    expect_found(exe::kMagicScan, exe::kMagicPairs, bytes);
  }
}

TEST(PairScan, FindsHeadsOfStreamsWhereverTheyStand) {
  for (const Bytes& bytes : {nearly_pairs(view::kHeadPairs, 0), nearly_pairs(view::kHeadPairs, 4), other_bytes()}) {
    expect_found(view::kHeadScan, view::kHeadPairs, bytes);
  }
}

}  // namespace
}  // namespace pair_scan_test
}  // namespace bdelta::test
