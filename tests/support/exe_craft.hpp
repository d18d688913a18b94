// Small programs made by hand, one of each format, with one of each table. Where things lie is part of the interface:
// tests name positions and addresses.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/bytes.hpp"

namespace bdelta::test {

// `pos` or the next multiple of `unit`.
[[nodiscard]] constexpr std::size_t aligned_up(std::size_t pos, std::size_t unit) { return (pos + unit - 1) / unit * unit; }

// Bytes that grow to wherever something is put.
class CraftedBytes {
 public:
  void grow_to(std::size_t size) {
    if (bytes_.size() < size) bytes_.resize(size);
  }
  template <class T>
  CraftedBytes& put(std::size_t pos, T value) {
    grow_to(pos + sizeof(T));
    store_le(bytes_.data() + pos, value);
    return *this;
  }
  CraftedBytes& put8(std::size_t pos, unsigned value) { return put(pos, static_cast<std::uint8_t>(value)); }
  CraftedBytes& put16(std::size_t pos, unsigned value) { return put(pos, static_cast<std::uint16_t>(value)); }
  CraftedBytes& put32(std::size_t pos, std::uint64_t value) { return put(pos, static_cast<std::uint32_t>(value)); }
  CraftedBytes& put64(std::size_t pos, std::uint64_t value) { return put(pos, value); }
  void put_bytes(std::size_t pos, ByteSpan bytes) {
    grow_to(pos + bytes.size());
    std::copy(bytes.begin(), bytes.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(pos));
  }
  [[nodiscard]] Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

// x86-64, position independent, with section headers. Byte `pos` is at address kElfBase + pos; 0x80 bytes of .bss
// follow at kElfBss.
inline constexpr std::uint64_t kElfBase = 0x10000;
inline constexpr std::size_t kElfText = 0x200;
inline constexpr std::size_t kElfRela = 0x300;          // two entries
inline constexpr std::size_t kElfDynamic = 0x340;       // RELA, RELASZ, NULL
inline constexpr std::size_t kElfFrameHeader = 0x380;   // one entry
inline constexpr std::size_t kElfFrames = 0x3a0;        // CIE and FDE
inline constexpr std::size_t kElfExceptions = 0x3e0;    // one type
inline constexpr std::size_t kElfData = 0x400;          // a pointer to kElfText + 0x10
inline constexpr std::size_t kElfSymbols = 0x440;       // none, and one of 0x20 bytes at kElfText
inline constexpr std::uint64_t kElfBss = 0x20000;
[[nodiscard]] Bytes craft_elf();

// The same without section headers: three loaded segments.
[[nodiscard]] Bytes craft_elf_without_sections();

// i386 without section headers: one loaded segment of 0x100 bytes, byte `pos` at kElf32Base + pos, and a dynamic table
// with one relocation of kElf32Data, which points to kElf32Base + 0x10.
inline constexpr std::uint64_t kElf32Base = 0x8048000;
inline constexpr std::size_t kElf32Dynamic = 0x80;
inline constexpr std::size_t kElf32Rel = 0xc0;
inline constexpr std::size_t kElf32Data = 0xe0;
[[nodiscard]] Bytes craft_elf32();

// ELF whose one data segment, of the file's bytes from kGoTable on, is a pclntab of Go 1.20 with one function, and
// moduledata. Byte `pos` is at address kElfBase + pos.
inline constexpr std::size_t kGoText = 0x100;
inline constexpr std::size_t kGoTable = 0x200;
inline constexpr std::size_t kGoNames = 0x250, kGoUnits = 0x258, kGoFiles = 0x260, kGoPrograms = 0x268;
inline constexpr std::size_t kGoFunctions = 0x280;  // one pair, the end of the text
inline constexpr std::size_t kGoRecord = 0x290;     // with one program and one table behind it
inline constexpr std::size_t kGoModule = 0x300;
inline constexpr std::size_t kGoCollectorData = 0x480;
[[nodiscard]] Bytes craft_go();

// x86-64 PE32+. Sections: .text at 0x200 (RVA 0x1000, 0x100 bytes), .rdata at 0x300 (RVA 0x2000, 0x200 bytes), .data at
// 0x500 (RVA 0x3000, 0x80 bytes of 0x100).
inline constexpr std::uint64_t kPeBase = 0x140000000;
[[nodiscard]] Bytes craft_pe();

// arm64 Mach-O. Byte `pos` is at kMachoBase + pos below 0x600; from there on, in __DATA, at kMachoBase + 0x4000 + pos.
inline constexpr std::uint64_t kMachoBase = 0x100000000;
inline constexpr std::size_t kMachoCode = 0x400;
inline constexpr std::size_t kMachoUnwind = 0x500;
inline constexpr std::size_t kMachoData = 0x600;     // a chain of two pointers, the second one a bind
inline constexpr std::size_t kMachoFixups = 0x700;
inline constexpr std::size_t kMachoSymbols = 0x780;
inline constexpr std::size_t kMachoNames = 0x7a0;     // of 0x20 bytes; the first symbol's is at byte 5
inline constexpr std::size_t kMachoIndirect = 0x7c0;  // symbol 1, and one of none
[[nodiscard]] Bytes craft_macho();

// Sixteen bytes of code at 0x1000, two pointers at 0x2000 of which the second leads nowhere, memory at 0x3000.
[[nodiscard]] Bytes craft_toy();

}  // namespace bdelta::test
