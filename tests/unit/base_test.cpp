// Integers of variable length, cursors, comparing, checked arithmetic, digests.
#include <algorithm>
#include <limits>
#include <numeric>

#include "base/byte_cursor.hpp"
#include "hash/xxh3.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::base_test {
namespace {

constexpr std::uint64_t kMax = ~std::uint64_t{0};

std::vector<std::uint64_t> edge_values() {
  std::vector<std::uint64_t> values = {0, 1, kMax, kMax - 1};
  for (unsigned bit = 1; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    values.insert(values.end(), {power - 1, power, power + 1});
  }
  return values;
}

TEST(Varint, EveryEdgeValueComesBack) {
  for (const std::uint64_t value : edge_values()) {
    Bytes bytes;
    append_varint(bytes, value);
    EXPECT_LE(bytes.size(), kMaxVarintBytes);
    ByteCursor cursor(bytes);
    EXPECT_EQ(value, cursor.varint());
    EXPECT_TRUE(cursor.ok());
    EXPECT_EQ(0u, cursor.available());
  }
}

TEST(Varint, LengthGrowsEverySevenBits) {
  for (const std::uint64_t value : edge_values()) {
    Bytes bytes;
    append_varint(bytes, value);
    const std::size_t bits = value == 0 ? 1 : static_cast<std::size_t>(std::bit_width(value));
    EXPECT_EQ((bits + 6) / 7, bytes.size()) << value;
  }
}

TEST(Varint, ZigzagFoldsBothWays) {
  EXPECT_EQ(0u, zigzag(0));
  EXPECT_EQ(1u, zigzag(-1));
  EXPECT_EQ(2u, zigzag(1));
  EXPECT_EQ(kMax, zigzag(std::numeric_limits<std::int64_t>::min()));
  for (const std::uint64_t value : edge_values()) {
    const auto value_signed = static_cast<std::int64_t>(value);
    EXPECT_EQ(value_signed, unzigzag(zigzag(value_signed)));
    EXPECT_EQ(value, zigzag(unzigzag(value)));
  }
}

void expect_bad_varint(const Bytes& bytes) {
  ByteCursor cursor(bytes);
  EXPECT_EQ(0u, cursor.varint());
  EXPECT_FALSE(cursor.ok());
}

TEST(Varint, RejectsLongerFormsThanNeeded) {
  expect_bad_varint({0x80, 0x00});
  expect_bad_varint({0xff, 0x00});
  expect_bad_varint({0x80, 0x80, 0x00});
  expect_bad_varint({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00});
}

TEST(Varint, RejectsMoreThan64Bits) {
  expect_bad_varint({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02});
  expect_bad_varint({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f});
  expect_bad_varint({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01});
}

TEST(Varint, RejectsWhatEndsInside) {
  for (const std::uint64_t value : edge_values()) {
    Bytes bytes;
    append_varint(bytes, value);
    bytes.pop_back();
    expect_bad_varint(bytes);
  }
}

TEST(CountEqual, EndsAtTheFirstDifferentByteAndAtTheEnd) {
  Bytes a(40);
  std::iota(a.begin(), a.end(), std::uint8_t{0});
  for (std::size_t count = 0; count <= a.size(); ++count) {
    EXPECT_EQ(count, count_equal(a.data(), a.data(), count));
    for (std::size_t at = 0; at < a.size(); ++at) {
      Bytes b = a;
      b[at] ^= 0x80;
      EXPECT_EQ(std::min(at, count), count_equal(a.data(), b.data(), count)) << at << " of " << count;
    }
  }
}

TEST(ByteCursor, ReadsLittleEndian) {
  const Bytes bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  ByteCursor cursor(bytes);
  EXPECT_EQ(1u, cursor.u8());
  EXPECT_EQ(0x0302u, cursor.le<std::uint16_t>());
  EXPECT_EQ(0x07060504u, cursor.le<std::uint32_t>());
  EXPECT_EQ(0x0f0e0d0c0b0a0908ull, cursor.le<std::uint64_t>());
  EXPECT_TRUE(cursor.ok());
  EXPECT_EQ(0u, cursor.available());
}

TEST(ByteCursor, FailureIsSticky) {
  const Bytes bytes = {1, 2, 3};
  ByteCursor cursor(bytes);
  EXPECT_EQ(0u, cursor.le<std::uint32_t>());
  EXPECT_FALSE(cursor.ok());
  EXPECT_EQ(0u, cursor.u8()) << "bytes were there, but the cursor has failed";
  EXPECT_TRUE(cursor.bytes(1).empty());
  EXPECT_EQ(0u, cursor.available());
}

TEST(ByteCursor, CountsBeyondTheEndAreNoPointerArithmetic) {
  const Bytes bytes = {1, 2, 3};
  for (const std::uint64_t count : {std::uint64_t{4}, kMax, kMax - 2}) {
    ByteCursor cursor(bytes);
    EXPECT_TRUE(cursor.bytes(count).empty());
    EXPECT_FALSE(cursor.ok());
  }
  ByteCursor cursor(bytes);
  EXPECT_EQ(3u, cursor.bytes(3).size());
  EXPECT_TRUE(cursor.bytes(0).empty());
  EXPECT_TRUE(cursor.ok());
}

TEST(ByteCursor, EmptyInput) {
  ByteCursor cursor{ByteSpan{}};
  EXPECT_EQ(0u, cursor.varint());
  EXPECT_FALSE(cursor.ok());
}

TEST(Bytes, LoadsAndStoresAtEveryAlignment) {
  std::uint8_t memory[32] = {};
  for (std::size_t at = 0; at < 16; ++at) {
    store_le(memory + at, std::uint64_t{0x8877665544332211});
    EXPECT_EQ(0x11u, memory[at]);
    EXPECT_EQ(0x88u, memory[at + 7]);
    EXPECT_EQ(0x8877665544332211u, load_le<std::uint64_t>(memory + at));
    EXPECT_EQ(0x44332211u, load_le<std::uint32_t>(memory + at));
  }
}

TEST(Checked, Add) {
  std::uint64_t out = 0;
  EXPECT_TRUE(checked_add(kMax, 0, out));
  EXPECT_EQ(kMax, out);
  EXPECT_TRUE(checked_add(kMax - 1, 1, out));
  EXPECT_FALSE(checked_add(kMax, 1, out));
  EXPECT_FALSE(checked_add(kMax, kMax, out));
}

TEST(Checked, Multiply) {
  std::uint64_t out = 0;
  EXPECT_TRUE(checked_mul(0, kMax, out));
  EXPECT_TRUE(checked_mul(1, kMax, out));
  EXPECT_TRUE(checked_mul(0xffffffff, 0x100000001, out));
  EXPECT_EQ(kMax, out);
  EXPECT_FALSE(checked_mul(std::uint64_t{1} << 32, std::uint64_t{1} << 32, out));
  EXPECT_FALSE(checked_mul(kMax, 2, out));
}

TEST(Checked, AddSigned) {
  std::uint64_t out = 0;
  EXPECT_TRUE(checked_add_signed(5, -5, out));
  EXPECT_EQ(0u, out);
  EXPECT_FALSE(checked_add_signed(5, -6, out));
  EXPECT_FALSE(checked_add_signed(kMax, 1, out));
  EXPECT_TRUE(checked_add_signed(kMax, -1, out));
  EXPECT_FALSE(checked_add_signed(0, std::numeric_limits<std::int64_t>::min(), out));
  EXPECT_TRUE(checked_add_signed(std::uint64_t{1} << 63, std::numeric_limits<std::int64_t>::min(), out));
  EXPECT_EQ(0u, out);
}

TEST(Checked, Ranges) {
  EXPECT_TRUE(range_fits(0, 0, 0));
  EXPECT_TRUE(range_fits(10, 0, 10));
  EXPECT_TRUE(range_fits(0, 10, 10));
  EXPECT_FALSE(range_fits(1, 10, 10));
  EXPECT_FALSE(range_fits(11, 0, 10));
  EXPECT_FALSE(range_fits(kMax, 2, 10));
  EXPECT_FALSE(range_fits(2, kMax, 10));
  EXPECT_TRUE(range_fits(kMax, 0, kMax));
}

TEST(Digest, KnownValues) {
  // As `xxhsum -H2` prints them.
  EXPECT_EQ("99aa06d3014798d86001c324468d497f", to_hex(xxh3_128({})));
}

TEST(Digest, PiecesGiveTheWhole) {
  const Bytes bytes = random_bytes(100'000, 7);
  for (const std::size_t piece : {1u, 63u, 64u, 1024u, 99'999u}) {
    Xxh3Hasher hasher;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      hasher.update(ByteSpan(bytes).subspan(at, std::min<std::size_t>(piece, bytes.size() - at)));
    }
    EXPECT_EQ(xxh3_128(bytes), hasher.digest());
  }
}

}  // namespace
}  // namespace bdelta::test::base_test
