// What the local table answers for places that were inserted, and for bytes that stand nowhere near.
#include "match/local_table.hpp"

#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::local_table_test {
namespace {

std::uint64_t find(const LocalTable& table, ByteSpan bytes, std::uint64_t pos, std::uint64_t around) {
  return table.find(sample_hash(bytes.data() + pos), around);
}

TEST(LocalTable, KnowsEveryFourthPlaceOfItsGranules) {
  const Bytes source = random_bytes(200'000, 31);
  LocalTable table(source);
  EXPECT_EQ(5u, table.cover(50'000, 2'000, 2'000));
  EXPECT_EQ(0u, table.cover(50'000, 2'000, 2'000)) << "what is there is not inserted again";
  std::size_t found_count = 0;
  std::size_t asked_count = 0;
  for (std::uint64_t pos = 48'000; pos < 52'000; pos += LocalTable::kStride, ++asked_count) {
    found_count += find(table, source, pos, 50'000) == pos;
  }
  EXPECT_LE(asked_count - asked_count / 20, found_count) << "few slots are shared";
}

TEST(LocalTable, TellsOfHardlyAnyPlaceWhereNothingFits) {
  const Bytes source = random_bytes(400'000, 32);
  LocalTable table(source);
  for (std::uint64_t pos = 0; pos < source.size(); pos += 10'000) (void)table.cover(pos, 5'000, 5'000);
  const Bytes other = random_bytes(100'000, 33);
  std::size_t told_count = 0;
  const std::size_t asked_count = other.size() - kHashSpan;
  for (std::size_t pos = 0; pos < asked_count; ++pos) told_count += find(table, other, pos, 200'000) != LocalTable::kNone;
  EXPECT_GT(asked_count / 100, told_count);
  EXPECT_LT(asked_count / 1000, told_count) << "a tag has eight bits";
}

TEST(LocalTable, TakesPlacesAtBothEndsOfTheSource) {
  for (const std::size_t size : {0u, 1u, 7u, 8u, 1023u, 1024u, 1025u, 8191u, 8192u, 8193u}) {
    const Bytes source = random_bytes(size, 9);
    LocalTable table(source);
    (void)table.cover(0, 32768, 65536);
    (void)table.cover(size, 32768, 65536);
    if (size < kHashSpan) continue;
    EXPECT_EQ(0u, find(table, source, 0, size)) << size;
    if (size % LocalTable::kStride != 0) continue;
    const std::uint64_t last = (size - kHashSpan) / LocalTable::kStride * LocalTable::kStride;
    EXPECT_EQ(last, find(table, source, last, size)) << size;
  }
}

}  // namespace
}  // namespace bdelta::test::local_table_test
