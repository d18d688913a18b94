// Lengths of x86 instructions: against hand-made ones, and the sweep's short way against the general decoder.
#include <algorithm>

#include "exe/x86_sweep.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "unit/x86_encodings.hpp"

namespace bdelta::test::exe_x86_length_test {
namespace {

// Lengths by the general decoder and by the sweep; `code` has kReadableBytes behind it.
template <bool kBits64>
std::size_t decoded_length(const std::uint8_t* code) {
  return exe::x86::decode_instruction<kBits64>(code).length_bytes;
}

template <bool kBits64>
std::size_t swept_length(const std::uint8_t* code) {
  exe::x86::SweepBuffer records;
  return static_cast<std::size_t>(exe::x86::sweep<kBits64>(code, code, code + 1, records).next - code);
}

// What follows an instruction must not matter, so it is followed by different bytes.
template <bool kBits64>
void expect_length(const char* encoding) {
  const Bytes bytes = from_hex(encoding);
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Bytes code = bytes;
    append(code, random_bytes(exe::x86::kReadableBytes, seed));
    EXPECT_EQ(bytes.size(), decoded_length<kBits64>(code.data())) << encoding;
    EXPECT_EQ(bytes.size(), swept_length<kBits64>(code.data())) << encoding;
  }
}

TEST(X86Length, HandMade64) {
  for (const char* encoding : kX86Encodings64) expect_length<true>(encoding);
}

TEST(X86Length, HandMade32) {
  for (const char* encoding : kX86Encodings32) expect_length<false>(encoding);
}

TEST(X86Length, FifteenBytesAtMost) {
  for (std::size_t prefixes = 0; prefixes < 20; ++prefixes) {
    Bytes code(prefixes, 0x66);
    append(code, from_hex("48 01 d8"));
    const std::size_t length = code.size();
    code.resize(64, 0x90);
    EXPECT_EQ(length <= 15 ? length : 0, decoded_length<true>(code.data())) << prefixes;
  }
}

TEST(X86Length, InvalidOpcodesAreStepped) {
  for (const char* encoding : {"06", "60", "82 c0 01", "9a 00 00 00 00 00 00", "d4 0a", "d6", "ea", "0f 04", "0f 24 c0",
                               "48 c5 f8 77", "66 c5 f8 77", "62 f0 7c 48 28 c1", "c4 e4 7d 18 00"}) {
    Bytes code = from_hex(encoding);
    code.resize(64, 0x90);
    EXPECT_EQ(0u, decoded_length<true>(code.data())) << encoding;
    EXPECT_EQ(1u, swept_length<true>(code.data())) << encoding;
  }
}

// The short way of the sweep has to agree with the general decoder on everything but fillers.
template <bool kBits64>
void expect_sweep_equals_decoder(ByteSpan code) {
  exe::x86::SweepBuffer records;
  for (std::size_t i = 0; i + exe::x86::kReadableBytes <= code.size(); ++i) {
    const std::uint8_t* at = code.data() + i;
    const exe::x86::Instruction found = exe::x86::decode_instruction<kBits64>(at);
    const exe::x86::Sweep swept = exe::x86::sweep<kBits64>(at, at, at + 1, records);
    ASSERT_EQ(std::max<std::ptrdiff_t>(found.length_bytes, 1), swept.next - at) << i;
    ASSERT_EQ(found.relative != exe::x86::Relative::kNone ? 1u : 0u, swept.record_count) << i;
    if (swept.record_count != 0) {
      ASSERT_EQ(found.relative, records[0].relative) << i;
      ASSERT_EQ(found.field_offset, records[0].pos) << i;
      ASSERT_EQ(found.trailing_bytes, records[0].trailing_bytes) << i;
    }

    // All numbers of four bytes, in their order.
    std::vector<std::pair<unsigned, exe::x86::Relative>> expected;
    if (found.displacement_offset != 0) expected.emplace_back(found.displacement_offset, exe::x86::Relative::kAbsolute);
    if (found.relative != exe::x86::Relative::kNone) expected.emplace_back(found.field_offset, found.relative);
    if (found.immediate_offset != 0) expected.emplace_back(found.immediate_offset, exe::x86::Relative::kAbsolute);
    const exe::x86::Sweep all = exe::x86::sweep<kBits64, exe::x86::Numbers::kAll>(at, at, at + 1, records);
    ASSERT_EQ(swept.next, all.next) << i;
    std::vector<std::pair<unsigned, exe::x86::Relative>> seen;
    for (std::size_t r = 0; r < all.record_count; ++r) seen.emplace_back(records[r].pos, records[r].relative);
    ASSERT_EQ(expected, seen) << i;
  }
}

TEST(X86Sweep, EqualsTheDecoderOnRandomBytes) {
  const Bytes code = random_bytes(400'000, 5);
  expect_sweep_equals_decoder<true>(code);
  expect_sweep_equals_decoder<false>(code);
}

}  // namespace
}  // namespace bdelta::test::exe_x86_length_test
