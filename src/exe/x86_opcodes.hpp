// What the length of an x86 instruction depends on, as one flat table a mode: four opcode maps of 256 entries of 16
// bits, 2 KiB. An entry says whether a ModRM byte follows, how large the immediate is, whether the immediate is a
// relative address, and whether the instruction needs the general decoder.
#pragma once

#include <array>
#include <cstdint>

namespace bdelta::exe::x86 {

using OpcodeEntry = std::uint16_t;

// Bits 0-3: bytes of the immediate with no prefix but REX without W.
inline constexpr OpcodeEntry kImmediateMask = 0x000F;
// Bit 4: a ModRM byte follows.
inline constexpr OpcodeEntry kHasModRm = 0x0010;
// Bits 5-7: how prefixes and the ModRM byte change the immediate.
inline constexpr OpcodeEntry kScaleMask = 0x00E0;
inline constexpr OpcodeEntry kByOperand = 0x0020;   // two bytes less under prefix 66
inline constexpr OpcodeEntry kByOperand64 = 0x0040;  // like kByOperand, eight bytes under REX.W (MOV); with kWide
inline constexpr OpcodeEntry kByAddress = 0x0060;   // as large as an address: halved under prefix 67
inline constexpr OpcodeEntry kTestOnly = 0x0080;    // group 3: only where ModRM.reg is 0 or 1; kByOperand if not a byte
inline constexpr OpcodeEntry kRegistersOnly = 0x00A0;  // MOV of control registers: ModRM never leads to memory
inline constexpr OpcodeEntry kByPrefix = 0x00C0;    // EXTRQ, INSERTQ: two bytes under prefix 66 or F2, else none
// Bits 8-10: the immediate is relative to the end of the instruction.
inline constexpr OpcodeEntry kRelativeMask = 0x0700;
inline constexpr unsigned kRelativeShift = 8;
// kMemory, by ModRM, and kAbsolute, no relative number at all, are never here.
enum class Relative : std::uint8_t { kNone, kCall, kJump, kBranch, kShort, kMemory, kAbsolute };
// Bit 11: the immediate is four bytes longer under REX.W.
inline constexpr OpcodeEntry kWide = 0x0800;
// Bits 12-15: not for the short way; kPlain is.
inline constexpr unsigned kActionShift = 12;
enum class Action : std::uint8_t {
  kPlain, kInvalid, kPrefix, kRex, kEscape, kEscape38, kEscape3A, kVex3, kVex2, kEvex, kXop, kPadding, kSpecial,
};

[[nodiscard]] constexpr Action action_of(OpcodeEntry entry) noexcept {
  return static_cast<Action>(entry >> kActionShift);
}

enum Map : unsigned { kOneByte, k0F, k0F38, k0F3A, kMapCount };
using OpcodeTable = std::array<OpcodeEntry, kMapCount * 256>;

inline constexpr std::uint8_t kDisplacementOnly = 0x80;  // in a size of kModRmSizes

namespace detail {

constexpr OpcodeEntry with(Action action, unsigned rest = 0) noexcept {
  return static_cast<OpcodeEntry>((static_cast<unsigned>(action) << kActionShift) | rest);
}

constexpr OpcodeEntry relative(Relative kind, unsigned rest) noexcept {
  return static_cast<OpcodeEntry>((static_cast<unsigned>(kind) << kRelativeShift) | rest);
}

struct Builder {
  OpcodeTable table{};
  Map map = kOneByte;

  constexpr void set(unsigned first, unsigned last, unsigned entry) noexcept {
    for (unsigned op = first; op <= last; ++op) table[map * 256 + op] = static_cast<OpcodeEntry>(entry);
  }
  constexpr void set(unsigned op, unsigned entry) noexcept { set(op, op, entry); }
};

// 00-3F: eight times the same forms of arithmetic.
constexpr void set_arithmetic(Builder& b, bool bits64) noexcept {
  for (unsigned row = 0; row < 0x40; row += 8) {
    b.set(row, row + 3, kHasModRm);
    b.set(row + 4, 1);
    b.set(row + 5, 4 | kByOperand);
    b.set(row + 6, row + 7, bits64 ? with(Action::kInvalid) : OpcodeEntry{0});
  }
  b.set(0x0F, with(Action::kEscape));
  for (const unsigned segment : {0x26u, 0x2Eu, 0x36u, 0x3Eu}) b.set(segment, with(Action::kPrefix));
}

constexpr void set_one_byte_low(Builder& b, bool bits64) noexcept {
  set_arithmetic(b, bits64);
  b.set(0x40, 0x4F, bits64 ? with(Action::kRex) : OpcodeEntry{0});
  b.set(0x60, 0x61, bits64 ? with(Action::kInvalid) : OpcodeEntry{0});
  b.set(0x62, with(Action::kEvex, kHasModRm));
  b.set(0x63, kHasModRm);
  b.set(0x64, 0x67, with(Action::kPrefix));
  b.set(0x68, 4 | kByOperand);
  b.set(0x69, 4 | kByOperand | kHasModRm);
  b.set(0x6A, 1);
  b.set(0x6B, 1 | kHasModRm);
  b.set(0x70, 0x7F, relative(Relative::kShort, 1));
  b.set(0x80, 1 | kHasModRm);
  b.set(0x81, 4 | kByOperand | kHasModRm);
  b.set(0x82, bits64 ? with(Action::kInvalid) : OpcodeEntry{1 | kHasModRm});
  b.set(0x83, 1 | kHasModRm);
  b.set(0x84, 0x8E, kHasModRm);
  b.set(0x8F, with(Action::kXop, kHasModRm));
  b.set(0x9A, bits64 ? with(Action::kInvalid) : with(Action::kSpecial, 6 | kByOperand));
  b.set(0xA0, 0xA3, with(Action::kSpecial, (bits64 ? 8 : 4) | kByAddress));
  b.set(0xA8, 1);
  b.set(0xA9, 4 | kByOperand);
  b.set(0xB0, 0xB7, 1);
  b.set(0xB8, 0xBF, 4 | kByOperand64 | kWide);
}

constexpr void set_one_byte_high(Builder& b, bool bits64) noexcept {
  b.set(0xC0, 0xC1, 1 | kHasModRm);
  b.set(0xC2, 2);
  b.set(0xC4, with(Action::kVex3, kHasModRm));
  b.set(0xC5, with(Action::kVex2, kHasModRm));
  b.set(0xC6, 1 | kHasModRm);
  b.set(0xC7, 4 | kByOperand | kHasModRm);
  b.set(0xC8, 3);
  b.set(0xCA, 2);
  b.set(0xCD, 1);
  b.set(0xD0, 0xD3, kHasModRm);
  b.set(0xD4, 0xD5, bits64 ? with(Action::kInvalid) : OpcodeEntry{1});
  b.set(0xD8, 0xDF, kHasModRm);
  b.set(0xE0, 0xE3, relative(Relative::kShort, 1));
  b.set(0xE4, 0xE7, 1);
  b.set(0xE8, relative(Relative::kCall, 4 | kByOperand));
  b.set(0xE9, relative(Relative::kJump, 4 | kByOperand));
  b.set(0xEA, bits64 ? with(Action::kInvalid) : with(Action::kSpecial, 6 | kByOperand));
  b.set(0xEB, relative(Relative::kShort, 1));
  for (const unsigned prefix : {0xF0u, 0xF2u, 0xF3u}) b.set(prefix, with(Action::kPrefix));
  b.set(0xF6, with(Action::kSpecial, 1 | kTestOnly | kHasModRm));
  b.set(0xF7, with(Action::kSpecial, 4 | kTestOnly | kHasModRm));
  b.set(0xFE, 0xFF, kHasModRm);
  for (const unsigned filler : {0x00u, 0x90u, 0xCCu}) {
    b.set(filler, with(Action::kPadding, filler == 0 ? kHasModRm : 0u));
  }
  if (bits64) {
    for (const unsigned gone : {0xCEu, 0xD6u}) b.set(gone, with(Action::kInvalid));
  }
}

constexpr void set_0f(Builder& b) noexcept {
  b.map = k0F;
  b.set(0x00, 0xFF, kHasModRm);
  for (const unsigned hole : {0x04u, 0x0Au, 0x0Cu, 0x36u, 0x39u, 0x7Au, 0x7Bu}) b.set(hole, with(Action::kInvalid));
  b.set(0x24, 0x27, with(Action::kInvalid));
  b.set(0x3B, 0x3F, with(Action::kInvalid));
  for (const unsigned alone : {0x05u, 0x06u, 0x07u, 0x08u, 0x09u, 0x0Bu, 0x0Eu, 0x30u, 0x31u, 0x32u, 0x33u, 0x34u,
                               0x35u, 0x37u, 0x77u, 0xA0u, 0xA1u, 0xA2u, 0xA8u, 0xA9u, 0xAAu}) {
    b.set(alone, 0);
  }
  b.set(0xC8, 0xCF, 0);
  b.set(0x20, 0x23, with(Action::kSpecial, kRegistersOnly | kHasModRm));
  b.set(0x38, with(Action::kEscape38));
  b.set(0x3A, with(Action::kEscape3A));
  for (const unsigned byte : {0x0Fu, 0x70u, 0x71u, 0x72u, 0x73u, 0xA4u, 0xACu, 0xBAu, 0xC2u, 0xC4u, 0xC5u, 0xC6u}) {
    b.set(byte, 1 | kHasModRm);
  }
  b.set(0x78, with(Action::kSpecial, kByPrefix | kHasModRm));
  b.set(0x80, 0x8F, relative(Relative::kBranch, 4 | kByOperand));
}

constexpr OpcodeTable make_table(bool bits64) noexcept {
  Builder b;
  set_one_byte_low(b, bits64);
  set_one_byte_high(b, bits64);
  set_0f(b);
  b.map = k0F38;
  b.set(0x00, 0xFF, kHasModRm);
  b.map = k0F3A;
  b.set(0x00, 0xFF, 1 | kHasModRm);
  return b.table;
}

// What follows an opcode because of ModRM: the bytes of ModRM, SIB and displacement together. It depends on the ModRM byte
// (bits 0-7) and on the base register of a SIB byte that may come after it (bits 8-10). Addresses have 32 or 64 bits.
// kDisplacementOnly is set where there is no register: in 64-bit mode that is a displacement from the end of the
// instruction.
constexpr std::uint8_t modrm_size(unsigned modrm, unsigned sib_base) noexcept {
  const unsigned mod = modrm >> 6;
  const unsigned rm = modrm & 7;
  if (mod == 3) return 1;
  const bool sib = rm == 4;
  unsigned size = 1 + (sib ? 1u : 0u);
  if (mod == 1) size += 1;
  if (mod == 2 || (mod == 0 && (rm == 5 || (sib && sib_base == 5)))) size += 4;
  return static_cast<std::uint8_t>(mod == 0 && rm == 5 ? size | kDisplacementOnly : size);
}

// The same with addresses of 16 bits.
constexpr std::uint8_t modrm_size16(unsigned modrm) noexcept {
  const unsigned mod = modrm >> 6;
  if (mod == 3 || (mod == 0 && (modrm & 7) != 6)) return 1;
  return mod == 1 ? 2 : 3;
}

constexpr std::array<std::uint8_t, 2048> make_modrm_sizes() noexcept {
  std::array<std::uint8_t, 2048> sizes{};
  for (unsigned i = 0; i < sizes.size(); ++i) sizes[i] = modrm_size(i & 0xFF, i >> 8);
  return sizes;
}

}  // namespace detail

inline constexpr OpcodeTable kOpcodes64 = detail::make_table(true);
inline constexpr OpcodeTable kOpcodes32 = detail::make_table(false);
inline constexpr std::array<std::uint8_t, 2048> kModRmSizes = detail::make_modrm_sizes();

template <bool kBits64>
[[nodiscard]] constexpr const OpcodeTable& opcodes() noexcept {
  return kBits64 ? kOpcodes64 : kOpcodes32;
}

}  // namespace bdelta::exe::x86
