// LEB128 numbers of any length: with and without LongNumbers they are the same.
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "exe/leb128.hpp"
#include "support/generate.hpp"

namespace bdelta::exe::exe_leb128_test {
namespace {

using namespace bdelta::test;

// Runs of bytes with the high bit, of all lengths about those of blocks.
Bytes runs_of_numbers(std::uint64_t seed) {
  Random random(seed);
  Bytes bytes;
  while (bytes.size() < 5000) {
    for (std::uint64_t i = random.below(random.below(3) == 0 ? 300 : 15); i > 0; --i) {
      bytes.push_back(static_cast<std::uint8_t>(0x80 | random.below(128)));
    }
    bytes.push_back(static_cast<std::uint8_t>(random.below(128)));
  }
  return bytes;
}

TEST(LongNumbers, AreReadAsOthers) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Bytes file = runs_of_numbers(seed);
    LongNumbers numbers(file);
    for (std::size_t begin = 0; begin < file.size(); ++begin) {
      for (const std::size_t length : {file.size() - begin, std::min<std::size_t>(file.size() - begin, 70 + seed)}) {
        const ByteSpan bytes = ByteSpan(file).subspan(begin, length);
        ByteCursor plain(bytes), skipping(bytes);
        ASSERT_EQ(read_uleb(plain), read_uleb(skipping, &numbers)) << begin;
        ASSERT_EQ(plain.ok(), skipping.ok());
        ASSERT_EQ(plain.position(), skipping.position());
        plain = skipping = ByteCursor(bytes);
        ASSERT_EQ(read_sleb(plain), read_sleb(skipping, &numbers)) << begin;
        ASSERT_EQ(plain.position(), skipping.position());
      }
    }
  }
}

// Byte by byte this would take an hour.
TEST(LongNumbers, OfAWholeFileTakeLinearTime) {
  const Bytes file(std::size_t{8} << 20, 0xff);
  LongNumbers numbers(file);
  for (std::size_t begin = 0; begin < file.size(); begin += 3) {
    ByteCursor cursor(ByteSpan(file).subspan(begin));
    (void)read_sleb(cursor, &numbers);
    ASSERT_FALSE(cursor.ok());
  }
}

}  // namespace
}  // namespace bdelta::exe::exe_leb128_test
