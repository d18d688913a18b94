#include "match/changed_bytes.hpp"

#include <algorithm>

#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::changed_bytes_test {
namespace {

// Bytes of no cover differ, too; ranges begin and end inside of covers, behind them, and in front of all.
TEST(ChangedBytes, AreThoseOfEachByte) {
  constexpr std::size_t kSize = 30'000;
  const Bytes source = random_bytes(kSize, 9);
  Bytes target = source;
  for (std::size_t i = 0; i < kSize; i += 37) target[i] ^= 0x55;
  const Covers covers = {{100, 100, 9'900}, {10'003, 10'003, 7}, {10'020, 10'020, 9'000}, {29'000, 29'000, 1'000}};
  std::vector<bool> differs(kSize, true);
  for (const Cover& cover : covers) {
    for (std::uint64_t i = cover.target_pos; i < cover.target_end(); ++i) differs[i] = source[i] != target[i];
  }
  for (const ByteRange& range : ByteRanges{{0, kSize}, {0, 50}, {500, 1'500}, {9'990, 10'021}, {20'000, 20'000}, {10'000, 25'000}}) {
    const auto begin = differs.begin() + static_cast<std::ptrdiff_t>(range.begin);
    const auto end = differs.begin() + static_cast<std::ptrdiff_t>(range.end);
    const auto expected = static_cast<std::uint64_t>(std::count(begin, end, true));
    EXPECT_EQ(expected, changed_bytes(source, target, covers, range)) << range.begin;
    for (const unsigned threads : {1u, 3u}) {
      WorkerPool pool(threads);
      EXPECT_EQ(expected, changed_bytes(source, target, covers, range, pool)) << range.begin;
    }
  }
}

TEST(ChangedBytes, AreCountedInPieces) {
  constexpr std::size_t kSize = std::size_t{9} << 20;
  const Bytes source(kSize, 1);
  Bytes target = source;
  for (std::size_t i = 5; i < kSize; i += 4096) target[i] = 2;
  WorkerPool pool(2);
  EXPECT_EQ(kSize / 4096, changed_bytes(source, target, {{0, 0, kSize}}, {0, kSize}, pool));
}

}  // namespace
}  // namespace bdelta::test::changed_bytes_test
