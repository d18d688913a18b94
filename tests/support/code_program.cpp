#include "support/code_program.hpp"

#include "support/exe_craft_more.hpp"
#include "support/generate.hpp"

namespace bdelta::test {
namespace {

constexpr std::size_t kCode = 0x200, kCodeBytes = 0x600, kTable = kCode + kCodeBytes, kTableEntries = 12;
constexpr std::size_t kDataBytes = 0x200;

CraftedBytes begin_program(unsigned machine) {
  CraftedBytes out;
  ElfHeaders headers(out, true, machine, 2);
  headers.segment(1, 5, kCode, kCodeBytes);
  headers.segment(1, 6, kTable, kDataBytes);
  out.grow_to(kTable + kDataBytes);
  return out;
}

// Entries that count from the table and lead into the code, at places of whole instructions.
void put_jump_table(CraftedBytes& out, Random& random) {
  for (std::size_t i = 0; i < kTableEntries; ++i) {
    const std::size_t to = kCode + 4 * static_cast<std::size_t>(random.below(kCodeBytes / 4));
    out.put32(kTable + 4 * i, to - kTable);
  }
}

}  // namespace

Bytes x86_code_program(std::uint64_t seed) {
  Random random(seed);
  CraftedBytes out = begin_program(62);
  put_jump_table(out, random);
  // The bytes in front of a reference; its size; whether it leads into data.
  struct Instruction {
    Bytes begin;
    std::size_t field_bytes;
    bool is_data;
  };
  const Instruction instructions[] = {{{0xe8}, 4, false},             // call
                                      {{0xe9}, 4, false},             // jump
                                      {{0x0f, 0x84}, 4, false},       // branch
                                      {{0x75}, 1, false},             // short branch
                                      {{0x48, 0x8d, 0x05}, 4, true},  // address of data
                                      {{0x8b, 0x0d}, 4, true}};       // data
  std::size_t at = kCode;
  for (std::size_t i = 0; at + 16 <= kTable; ++i) {
    const Instruction& instruction = instructions[i % std::size(instructions)];
    out.put_bytes(at, instruction.begin);
    at += instruction.begin.size();
    const std::size_t end = at + instruction.field_bytes;
    std::size_t to = kCode + static_cast<std::size_t>(random.below(kCodeBytes));
    if (instruction.is_data) to = kTable + 4 * static_cast<std::size_t>(random.below(8) * kTableEntries);
    if (instruction.field_bytes == 1) to = end + static_cast<std::size_t>(random.below(16));
    instruction.field_bytes == 1 ? out.put8(at, static_cast<unsigned>(to - end)) : out.put32(at, to - end);
    at = end;
  }
  for (; at < kTable; ++at) out.put8(at, 0x90);
  return out.take();
}

Bytes arm64_code_program(std::uint64_t seed) {
  Random random(seed);
  CraftedBytes out = begin_program(183);
  put_jump_table(out, random);
  const auto distance = [](std::size_t from, std::size_t to, unsigned bits) {
    return static_cast<std::uint32_t>((to - from) / 4) & ((std::uint32_t{1} << bits) - 1);
  };
  const auto page = [](std::size_t from, std::size_t to) {
    const auto pages = static_cast<std::uint32_t>(((kElfBase + to) >> 12) - ((kElfBase + from) >> 12));
    return (pages & 3) << 29 | (pages >> 2 & 0x7ffff) << 5;
  };
  std::size_t at = kCode;
  for (unsigned i = 0; at + 8 <= kTable; ++i) {
    const std::size_t to = kCode + 4 * static_cast<std::size_t>(random.below(kCodeBytes / 4));
    const std::size_t data = kTable + 16 * static_cast<std::size_t>(random.below(2) * kTableEntries);
    const auto low = static_cast<std::uint32_t>((kElfBase + data) & 0xfff);
    switch (i % 10) {
      case 0: out.put32(at, 0x14000000 | distance(at, to, 26)); break;       // B
      case 1: out.put32(at, 0x94000000 | distance(at, to, 26)); break;       // BL
      case 2: out.put32(at, 0x54000001 | distance(at, to, 19) << 5); break;  // B.NE
      case 3: out.put32(at, 0xb4000003 | distance(at, to, 19) << 5); break;  // CBZ
      case 4: out.put32(at, 0x36000004 | distance(at, to, 14) << 5); break;  // TBZ
      case 5: out.put32(at, 0x58000005 | distance(at, data, 19) << 5); break;  // LDR of a literal
      case 6: out.put32(at, 0x10000006 | distance(at, data, 19) << 5); break;  // ADR
      default:                                                               // ADRP, and ADD or LDR of 4 or of 16 bytes
        out.put32(at, 0x90000000 | i % 10 | page(at, data));
        at += 4;
        if (i % 10 == 7) out.put32(at, 0x91000000 | low << 10 | 7 << 5 | 7);
        if (i % 10 == 8) out.put32(at, 0xb9400000 | (low >> 2) << 10 | 8 << 5 | 1);
        if (i % 10 == 9) out.put32(at, 0x3dc00000 | (low >> 4) << 10 | 9 << 5 | 2);
    }
    at += 4;
  }
  for (; at < kTable; at += 4) out.put32(at, 0xd503201f);
  return out.take();
}

}  // namespace bdelta::test
