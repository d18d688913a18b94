#include "support/exe_craft.hpp"

#include "support/generate.hpp"

namespace bdelta::test {
namespace {

struct ElfPart {
  std::uint32_t type;
  std::uint64_t flags;
  std::size_t pos;
  std::size_t size;
};

void put_elf_header(CraftedBytes& out, unsigned type, std::size_t segment_count) {
  out.put_bytes(0, bytes_of("\x7f" "ELF\x02\x01\x01"));
  out.put16(16, type).put16(18, 62).put32(20, 1).put64(24, kElfBase + kElfText);
  out.put64(32, 64).put16(52, 64).put16(54, 56).put16(56, static_cast<unsigned>(segment_count));
}

void put_segment(CraftedBytes& out, std::size_t index, std::uint32_t type, std::uint32_t flags, std::size_t pos,
                 std::size_t size, std::size_t memory_bytes) {
  const std::size_t at = 64 + 56 * index;
  out.put32(at, type).put32(at + 4, flags).put64(at + 8, pos).put64(at + 16, kElfBase + pos);
  out.put64(at + 32, size).put64(at + 40, memory_bytes);
}

// A number relative to its own position.
void put_relative(CraftedBytes& out, std::size_t pos, std::size_t to) { out.put32(pos, to - pos); }

void put_elf_tables(CraftedBytes& out) {
  constexpr std::uint64_t kRelative = 8;
  out.put64(kElfRela, kElfBase + kElfData).put64(kElfRela + 8, kRelative);
  out.put64(kElfRela + 16, kElfBase + kElfText + 0x10);
  out.put64(kElfRela + 24, kElfBase + kElfData + 8).put64(kElfRela + 32, kRelative).put64(kElfRela + 40, kElfBss);
  out.put64(kElfDynamic, 7).put64(kElfDynamic + 8, kElfBase + kElfRela);
  out.put64(kElfDynamic + 16, 8).put64(kElfDynamic + 24, 48);
  out.put64(kElfData, kElfBase + kElfText + 0x10);
  out.put8(kElfSymbols + 24 + 4, 2).put16(kElfSymbols + 24 + 6, 1);
  out.put64(kElfSymbols + 24 + 8, kElfBase + kElfText).put64(kElfSymbols + 24 + 16, 0x20);
}

void put_elf_frames(CraftedBytes& out) {
  constexpr std::size_t kFde = kElfFrames + 20;
  out.put32(kElfFrameHeader, 0x3b031b01);
  put_relative(out, kElfFrameHeader + 4, kElfFrames);
  out.put32(kElfFrameHeader + 8, 1).put32(kElfFrameHeader + 12, kElfText - kElfFrameHeader);
  out.put32(kElfFrameHeader + 16, kFde - kElfFrameHeader);
  // CIE: version 1, "zLR", code 1, data -8, register 16, two bytes: exception table and function relative to themselves
  out.put32(kElfFrames, 16).put32(kElfFrames + 4, 0);
  out.put_bytes(kElfFrames + 8, Bytes{1, 'z', 'L', 'R', 0, 1, 0x78, 16, 2, 0x1b, 0x1b, 0});
  out.put32(kFde, 20).put32(kFde + 4, kFde + 4 - kElfFrames);
  put_relative(out, kFde + 8, kElfText);
  out.put32(kFde + 12, 0x20).put8(kFde + 16, 4);
  put_relative(out, kFde + 17, kElfExceptions);
  out.put32(kFde + 24, 0);
  // No start, types relative to themselves and 12 bytes on; LEB128, one site with action 1, that with filter 1.
  out.put_bytes(kElfExceptions, Bytes{0xff, 0x9b, 12, 1, 4, 0, 8, 4, 1, 1, 0});
  put_relative(out, kElfExceptions + 11, kElfData + 8);
}

}  // namespace

Bytes craft_elf() {
  constexpr std::uint32_t kProgbits = 1, kSymtab = 2, kRela = 4, kDynamic = 6, kNobits = 8;
  constexpr std::uint64_t kAlloc = 2, kExecute = 4;
  const ElfPart parts[] = {{kProgbits, kAlloc | kExecute, kElfText, 0x100}, {kRela, kAlloc, kElfRela, 48},
                           {kDynamic, kAlloc, kElfDynamic, 0x30}, {kProgbits, kAlloc, kElfFrameHeader, 20},
                           {kProgbits, kAlloc, kElfFrames, 48}, {kProgbits, kAlloc, kElfExceptions, 15},
                           {kProgbits, kAlloc, kElfData, 0x40}, {kSymtab, 0, kElfSymbols, 48}};
  constexpr std::size_t kHeaders = 0x480;
  CraftedBytes out;
  put_elf_header(out, 3, 3);
  put_segment(out, 0, 1, 4, 0, kElfSymbols, kElfSymbols);
  put_segment(out, 1, 2, 4, kElfDynamic, 0x30, 0x30);
  put_segment(out, 2, 0x6474e550, 4, kElfFrameHeader, 20, 20);
  put_elf_tables(out);
  put_elf_frames(out);
  std::size_t at = kHeaders + 64;
  for (const ElfPart& part : parts) {
    out.put32(at + 4, part.type).put64(at + 8, part.flags).put64(at + 16, part.flags != 0 ? kElfBase + part.pos : 0);
    out.put64(at + 24, part.pos).put64(at + 32, part.size);
    at += 64;
  }
  out.put32(at + 4, kNobits).put64(at + 8, kAlloc).put64(at + 16, kElfBss).put64(at + 24, 0x440).put64(at + 32, 0x80);
  out.grow_to(at + 64);
  out.put64(40, kHeaders).put16(58, 64).put16(60, 10);
  return out.take();
}

Bytes craft_elf_without_sections() {
  CraftedBytes out;
  put_elf_header(out, 3, 4);
  put_segment(out, 0, 1, 5, kElfText, 0x100, 0x100);
  put_segment(out, 1, 1, 6, kElfRela, kElfSymbols - kElfRela, 0x200);
  put_segment(out, 2, 2, 4, kElfDynamic, 0x30, 0x30);
  put_segment(out, 3, 1, 4, 0, kElfText, kElfText);
  put_elf_tables(out);
  return out.take();
}

Bytes craft_elf32() {
  CraftedBytes out;
  out.grow_to(0x100);
  out.put_bytes(0, bytes_of("\x7f" "ELF\x01\x01\x01"));
  out.put16(16, 3).put16(18, 3).put32(20, 1).put32(28, 52).put16(40, 52).put16(42, 32).put16(44, 2);
  out.put32(52, 1).put32(60, kElf32Base).put32(68, 0x100).put32(72, 0x100).put32(76, 7);
  out.put32(84, 2).put32(88, kElf32Dynamic).put32(92, kElf32Base + kElf32Dynamic).put32(100, 24).put32(104, 24);
  out.put32(kElf32Dynamic, 17).put32(kElf32Dynamic + 4, kElf32Base + kElf32Rel);
  out.put32(kElf32Dynamic + 8, 18).put32(kElf32Dynamic + 12, 8);
  out.put32(kElf32Rel, kElf32Base + kElf32Data).put32(kElf32Rel + 4, 8);
  out.put32(kElf32Data, kElf32Base + 0x10);
  return out.take();
}

Bytes craft_go() {
  constexpr std::size_t kEnd = 0x500;
  CraftedBytes out;
  put_elf_header(out, 3, 2);
  put_segment(out, 0, 1, 5, kGoText, 0x100, 0x100);
  put_segment(out, 1, 1, 6, kGoTable, kEnd - kGoTable, kEnd - kGoTable);
  out.put32(kGoTable, 0xfffffff1).put8(kGoTable + 6, 1).put8(kGoTable + 7, 8).put64(kGoTable + 8, 1);
  const std::size_t parts[] = {kGoNames, kGoUnits, kGoFiles, kGoPrograms, kGoFunctions};
  for (std::size_t i = 0; i < 5; ++i) out.put64(kGoTable + 32 + 8 * i, parts[i] - kGoTable);
  out.put32(kGoUnits, 2).put32(kGoUnits + 4, 0xffffffff);
  out.put32(kGoFunctions, 0x10).put32(kGoFunctions + 4, kGoRecord - kGoFunctions).put32(kGoFunctions + 8, 0x40);
  // entry, name, arguments, deferred return, three programs, count of programs, unit, line, flags and one table
  const std::uint32_t record[] = {0x10, 3, 8, 0, 5, 6, 0, 1, 0, 1, 0x01000000, 9, 0x18};
  for (std::size_t i = 0; i < 13; ++i) out.put32(kGoRecord + 4 * i, record[i]);
  out.put64(kGoModule, kElfBase + kGoTable);
  for (std::size_t i = 0; i < 5; ++i) {
    out.put64(kGoModule + 8 + 24 * i, kElfBase + parts[i]).put64(kGoModule + 16 + 24 * i, 4);
  }
  out.put64(kGoModule + 8 * 22, kElfBase + kGoText).put64(kGoModule + 8 * 40, kElfBase + kGoCollectorData);
  out.grow_to(kEnd);
  return out.take();
}

Bytes craft_pe() {
  constexpr std::size_t kCoff = 0x40, kOptional = kCoff + 24, kSections = kOptional + 240;
  constexpr std::size_t kRdata = std::size_t{0x300} - 0x2000;  // to be added to an RVA; wraps as intended
  CraftedBytes out;
  out.grow_to(0x580);
  out.put_bytes(0, bytes_of("MZ"));
  out.put32(60, kCoff).put32(kCoff, 0x4550).put16(kCoff + 4, 0x8664).put16(kCoff + 6, 3).put16(kCoff + 20, 240);
  out.put16(kOptional, 0x20b).put32(kOptional + 16, 0x1000).put64(kOptional + 24, kPeBase).put32(kOptional + 108, 16);
  const auto put_directory = [&](std::size_t index, std::uint32_t rva, std::uint32_t size) {
    out.put32(kOptional + 112 + 8 * index, rva).put32(kOptional + 116 + 8 * index, size);
  };
  put_directory(0, 0x2060, 40);
  put_directory(1, 0x20b0, 40);
  put_directory(3, 0x2000, 12);
  put_directory(5, 0x2040, 12);
  const auto put_section = [&](std::size_t index, std::uint32_t memory, std::uint32_t rva, std::uint32_t raw,
                               std::uint32_t pos, std::uint32_t flags) {
    const std::size_t at = kSections + 40 * index;
    out.put32(at + 8, memory).put32(at + 12, rva).put32(at + 16, raw).put32(at + 20, pos).put32(at + 36, flags);
  };
  put_section(0, 0x100, 0x1000, 0x100, 0x200, 0x60000020);
  put_section(1, 0x200, 0x2000, 0x200, 0x300, 0x40000040);
  put_section(2, 0x100, 0x3000, 0x80, 0x500, 0xc0000040);
  const auto put = [&](std::size_t rva, std::initializer_list<std::uint32_t> numbers) {
    for (const std::uint32_t number : numbers) {
      out.put32(kRdata + rva, number);
      rva += 4;
    }
  };
  put(0x2000, {0x1000, 0x1040, 0x2010});                        // one function
  put(0x2010, {0x09, 0x1080, 1, 0x1000, 0x1010, 1, 0x1020});    // with a handler and one scope
  put(0x2040, {0x3000, 12, 0xa000});                            // one pointer, at the start of .data
  put(0x2060, {0, 0, 0, 0x20a0, 1, 1, 1, 0x2090, 0x2094, 0x2098});  // exports
  put(0x2090, {0x1020, 0x20a4});
  put(0x20b0, {0x20d8, 0, 0, 0x20f0, 0x20e8, 0, 0, 0, 0, 0});   // one import by name
  put(0x20d8, {0x20f8, 0, 0, 0});
  out.put64(0x500, kPeBase + 0x1010);
  return out.take();
}

Bytes craft_macho() {
  CraftedBytes out;
  out.grow_to(0x800);
  out.put32(0, 0xfeedfacf).put32(4, 0x0100000c).put32(12, 2).put32(16, 7);
  std::size_t at = 32;
  const auto put_segment = [&](std::uint64_t address, std::size_t pos, std::size_t size, unsigned section_count) {
    out.put32(at, 0x19).put32(at + 4, 72 + 80 * section_count).put64(at + 24, address).put64(at + 32, size);
    out.put64(at + 40, pos).put64(at + 48, size).put32(at + 64, section_count);
    at += 72;
  };
  const auto put_section = [&](const char* name, std::uint64_t address, std::size_t pos, std::size_t size,
                               std::uint32_t flags) {
    out.put_bytes(at, bytes_of(name));
    out.put64(at + 32, address).put64(at + 40, size).put32(at + 48, pos).put32(at + 64, flags);
    at += 80;
  };
  put_segment(kMachoBase, 0, 0x600, 2);
  put_section("__text", kMachoBase + kMachoCode, kMachoCode, 0x100, 0x80000400);
  put_section("__unwind_info", kMachoBase + kMachoUnwind, kMachoUnwind, 0x100, 0);
  put_segment(kMachoBase + 0x4000 + kMachoData, kMachoData, 0x100, 1);
  put_section("__data", kMachoBase + 0x4000 + kMachoData, kMachoData, 0x100, 0);
  put_segment(kMachoBase + 0x8000, 0x700, 0x100, 0);
  out.put32(at, 0x2).put32(at + 4, 24).put32(at + 8, kMachoSymbols).put32(at + 12, 2);
  out.put32(at + 24, 0x80000028).put32(at + 28, 24).put64(at + 32, kMachoCode + 8);
  out.put32(at + 48, 0x80000034).put32(at + 52, 16).put32(at + 56, kMachoFixups).put32(at + 60, 0x80);
  out.put32(at + 16, kMachoNames).put32(at + 20, 0x20);
  out.put32(at + 64, 0xb).put32(at + 68, 80).put32(at + 64 + 56, kMachoIndirect).put32(at + 64 + 60, 2);
  out.put32(20, at + 64 + 80 - 32);
  // Unwind: no encodings, one personality, an index of two, one exception table, one compressed page of two functions
  out.put32(kMachoUnwind, 1).put32(kMachoUnwind + 12, 28).put32(kMachoUnwind + 16, 1).put32(kMachoUnwind + 20, 32);
  out.put32(kMachoUnwind + 24, 2).put32(kMachoUnwind + 28, 0x4000 + kMachoData);
  out.put32(kMachoUnwind + 32, kMachoCode).put32(kMachoUnwind + 36, 64).put32(kMachoUnwind + 40, 56);
  out.put32(kMachoUnwind + 44, kMachoCode + 0x100).put32(kMachoUnwind + 48, 0).put32(kMachoUnwind + 52, 64);
  out.put32(kMachoUnwind + 56, kMachoCode).put32(kMachoUnwind + 60, kMachoUnwind + 0x80);
  out.put32(kMachoUnwind + 64, 3).put16(kMachoUnwind + 68, 12).put16(kMachoUnwind + 70, 2);
  out.put32(kMachoUnwind + 76, 0x01000000).put32(kMachoUnwind + 80, 0x02000020);
  // Fixups: three segments, one page of the second, offsets of 36 bits from the header
  out.put32(kMachoFixups + 4, 32).put32(kMachoFixups + 32, 3).put32(kMachoFixups + 40, 16);
  const std::size_t info = kMachoFixups + 32 + 16;
  out.put32(info, 24).put16(info + 4, 0x4000).put16(info + 6, 6).put16(info + 20, 1).put16(info + 22, 0);
  out.put64(kMachoData, (std::uint64_t{2} << 51) | (kMachoCode + 0x10)).put64(kMachoData + 8, std::uint64_t{1} << 63);
  out.put32(kMachoSymbols, 5).put32(kMachoIndirect, 1).put32(kMachoIndirect + 4, 0x80000000);
  out.put8(kMachoSymbols + 4, 0x0f).put64(kMachoSymbols + 8, kMachoBase + kMachoCode + 0x20);
  return out.take();
}

Bytes craft_toy() {
  Bytes image = bytes_of("~toy-image\ncode 1000 10\ndata 2000 10\nunbacked 3000 20\nend\n");
  append(image, bytes_of("0123456789abcdef"));
  append_le(image, std::uint64_t{0x1008});
  append_le(image, std::uint64_t{0x5000});
  return image;
}

}  // namespace bdelta::test
