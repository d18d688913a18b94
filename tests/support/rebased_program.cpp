#include "support/rebased_program.hpp"

#include "support/exe_craft_more.hpp"
#include "support/generate.hpp"

namespace bdelta::test {
namespace {

constexpr std::size_t kText = 0x400, kOpcodeBytes = 5;
constexpr std::size_t kOtherData = 0x4000;  // in front of the pointers, so that the numbers of their places have three bytes
constexpr std::size_t kTextSegment = 32, kDataSegment = 184, kOpcodeSegment = 256, kDyldInfo = 328, kCommandsEnd = 376;

std::size_t code_bytes(unsigned number) { return 48 + 4 * Random(number + 99).below(24); }

}  // namespace

RebasedProgram rebased_program(const std::vector<unsigned>& functions) {
  std::vector<std::size_t> starts{kText};
  for (const unsigned number : functions) starts.push_back(starts.back() + code_bytes(number));
  RebasedProgram program;
  program.data_pos = aligned_up(starts.back(), 8);
  program.pointers_pos = program.data_pos + kOtherData;
  program.opcodes_pos = program.pointers_pos + 8 * functions.size();
  const std::size_t end = program.opcodes_pos + 2 + kOpcodeBytes * functions.size();
  CraftedBytes out;
  out.grow_to(end);
  out.put32(0, 0xfeedfacf).put32(4, 0x01000007).put32(12, 2).put32(16, 4).put32(20, kCommandsEnd - kTextSegment);
  const auto put_segment = [&](std::size_t at, std::size_t from, std::size_t to, unsigned sections) {
    out.put32(at, 0x19).put32(at + 4, 72 + 80 * sections).put64(at + 24, kMachoBase + from).put64(at + 32, to - from);
    out.put64(at + 40, from).put64(at + 48, to - from).put32(at + 64, sections);
  };
  put_segment(kTextSegment, 0, program.data_pos, 1);
  const std::size_t section = kTextSegment + 72;
  out.put_bytes(section, bytes_of("__text"));
  out.put64(section + 32, kMachoBase + kText).put64(section + 40, starts.back() - kText).put32(section + 48, kText);
  out.put32(section + 64, 0x80000400);
  put_segment(kDataSegment, program.data_pos, program.opcodes_pos, 0);
  put_segment(kOpcodeSegment, program.opcodes_pos, end, 0);
  out.put32(kDyldInfo, 0x80000022).put32(kDyldInfo + 4, 48);
  out.put32(kDyldInfo + 8, program.opcodes_pos).put32(kDyldInfo + 12, end - program.opcodes_pos);
  out.put_bytes(program.data_pos, random_bytes(kOtherData, 3));
  out.put8(program.opcodes_pos, 0x11);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const std::size_t pointer = program.pointers_pos + 8 * i, at = program.opcodes_pos + 1 + kOpcodeBytes * i;
    out.put_bytes(starts[i], random_bytes(code_bytes(functions[i]), functions[i] + 6));
    out.put64(pointer, kMachoBase + starts[i] + functions[i] % 4 * 4);
    out.put8(at, 0x21).put8(at + 4, 0x51);
    out.put_bytes(at + 1, long_number(static_cast<std::uint32_t>(pointer - program.data_pos), 3));
  }
  program.bytes = out.take();
  return program;
}

}  // namespace bdelta::test
