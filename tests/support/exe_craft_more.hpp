// More programs made by hand. See exe_craft.hpp.
#pragma once

#include "support/exe_craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test {

// Header and program headers of ELF in either width.
class ElfHeaders {
 public:
  ElfHeaders(CraftedBytes& out, bool wide, unsigned machine, unsigned segment_count) : out_(out), wide_(wide) {
    out.put_bytes(0, bytes_of("\x7f" "ELF"));
    out.put8(4, wide ? 2 : 1).put8(5, 1).put8(6, 1).put16(16, 3).put16(18, machine).put32(20, 1);
    word(28, 32, wide ? 64 : 52);
    const std::size_t counts = wide ? 52 : 40;
    out.put16(counts, wide ? 64 : 52).put16(counts + 2, wide ? 56 : 32).put16(counts + 4, segment_count);
    at_ = wide ? 64 : 52;
  }

  void segment(std::uint32_t type, std::uint32_t flags, std::size_t pos, std::size_t size) {
    out_.put32(at_, type).put32(at_ + (wide_ ? 4 : 24), flags);
    word(at_ + 4, at_ + 8, pos);
    word(at_ + 8, at_ + 16, kElfBase + pos);
    word(at_ + 16, at_ + 32, size);
    word(at_ + 20, at_ + 40, size);
    at_ += wide_ ? 56 : 32;
  }

 private:
  void word(std::size_t narrow_pos, std::size_t wide_pos, std::uint64_t value) {
    wide_ ? out_.put64(wide_pos, value) : out_.put32(narrow_pos, value);
  }

  CraftedBytes& out_;
  bool wide_;
  std::size_t at_ = 0;
};

// ULEB128 of so many bytes, longer than it need be.
[[nodiscard]] Bytes long_number(std::uint32_t value, std::size_t byte_count);

// 32-bit ARM, position independent: a data segment of the first 0x200 bytes with unwind tables, then code. Byte `pos` is at
// kArm32Base + pos.
inline constexpr std::uint64_t kArm32Base = 0x10000;
inline constexpr std::size_t kArm32Index = 0x100;   // four functions: with an entry, inline, not to be unwound, inline entry
inline constexpr std::size_t kArm32Entries = 0x140;  // two, the second one with the high bit set
inline constexpr std::size_t kArm32Code = 0x200;
[[nodiscard]] Bytes craft_arm32();

// A program in Go of 64 or 32 bits with one function, that has two inlined calls and one object on its stack, and two
// types: a struct with one method, and an interface with one. Byte `pos` is at kElfBase + pos.
inline constexpr std::size_t kGo2Text = 0x200, kGo2Table = 0x400;
inline constexpr std::size_t kGo2Names = 0x480, kGo2Units = 0x4a0, kGo2Files = 0x4b0, kGo2Programs = 0x4c0;
inline constexpr std::size_t kGo2Functions = 0x500, kGo2Record = 0x520, kGo2CollectorData = 0x580;
inline constexpr std::size_t kGo2Objects = kGo2CollectorData + 0x10, kGo2Calls = kGo2CollectorData + 0x40;
inline constexpr std::size_t kGo2Lookup = 0x600, kGo2Module = 0x640, kGo2Types = 0x800, kGo2TypesEnd = 0x900;
inline constexpr std::size_t kGo2Struct = 0x820, kGo2Interface = 0x8a0, kGo2Methods = 0x8f0, kGo2ReadOnly = 0xa00;
enum class GoVersion { kBefore127, k127 };  // which moduledata it has
[[nodiscard]] Bytes craft_go_program(bool wide, GoVersion version = GoVersion::kBefore127);

// craft_macho with exports in place of its fixups' command: "a" at kMachoCode, "ab" exported again from elsewhere, "b" at
// kMachoCode + 8. Numbers are longer than they need be.
inline constexpr std::size_t kMachoTrie = 0x700;
inline constexpr std::size_t kMachoTrieA = 0x20, kMachoTrieB = 0x30, kMachoTrieAB = 0x40;  // offsets of nodes
[[nodiscard]] Bytes craft_macho_exports();

}  // namespace bdelta::test
