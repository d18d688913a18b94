// Where the first two bytes of streams stand, by both ways to look for them.
#include "support/generate.hpp"
#include "view/stream_heads.hpp"

namespace bdelta::view {
namespace stream_heads_test {
namespace {

bool is_head(const std::uint8_t* at) {
  return std::any_of(std::begin(kHeadPairs), std::end(kHeadPairs), [&](const auto& pair) { return at[0] == pair[0] && at[1] == pair[1]; });
}

// Halves of pairs, most with another byte behind that looks alike in its low half; and few pairs in many others.
TEST(StreamHeads, AreFoundWhereverTheyStand) {
  test::Random random(18);
  Bytes few, rare = test::random_bytes(20'000, 19);
  for (int i = 0; i < 700; ++i) {
    const auto& pair = kHeadPairs[random.below(6)];
    few.push_back(pair[0]);
    few.push_back(static_cast<std::uint8_t>(pair[1] ^ (random.below(20) == 0 ? 0 : 16 * (1 + random.below(15)))));
  }
  rare.resize(rare.size() + 1000);
  for (const HeadScan scan : {find_head_portably, best_head_scan()}) {
    for (const Bytes& bytes : {few, rare}) {
      const std::size_t last = bytes.size() - 1;
      std::size_t expected = last;
      for (std::size_t at = last; at-- > 0;) {
        if (is_head(bytes.data() + at)) expected = at;
        for (const std::size_t asked : {last - at, std::min<std::size_t>(last - at, 150)}) {
          ASSERT_EQ(std::min(expected - at, asked), scan(bytes.data() + at, asked)) << at;
        }
      }
    }
  }
}

}  // namespace
}  // namespace stream_heads_test
}  // namespace bdelta::view
