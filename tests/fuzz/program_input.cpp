#include "fuzz/program_input.hpp"

#include <array>

#include "support/exe_craft_more.hpp"
#include "support/program_pair.hpp"
#include "support/rebased_program.hpp"
#include "support/sorted_program.hpp"

namespace bdelta::fuzz {
namespace {

// A program with sorted tables, of one of the shapes.
Bytes sorted(std::size_t shape) { return test::sorted_program({1, 2, 3, 4, 5, 6}, test::kSortedShapes[shape]).bytes; }

std::array<Bytes, kProgramCount> make_programs() {
  test::ProgramPair pair = test::program_pair(11, 24);
  Bytes two = test::craft_elf();
  append(two, test::craft_pe());
  return {std::move(pair.old_version), std::move(pair.new_version), test::craft_elf(),
          test::craft_elf_without_sections(), test::craft_elf32(), test::craft_go(), test::craft_pe(),
          test::craft_macho(), test::craft_toy(), std::move(two), test::craft_go_program(true),
          test::craft_arm32(), test::craft_macho_exports(), sorted(0), sorted(1), sorted(2), sorted(3), sorted(4),
          sorted(5), sorted(6), sorted(7), sorted(8), sorted(9), sorted(10),
          test::craft_go_program(true, test::GoVersion::k127), test::rebased_program({1, 2, 3}).bytes};
}

// Places before and behind what matters are equally likely to be hit, so half of the changes go to the first bytes.
void change(Bytes& bytes, Input& input) {
  constexpr std::size_t kHeaderBytes = 256;
  const std::uint8_t how = input.u8();
  const std::size_t range = (how & 0x80) != 0 ? bytes.size() : std::min(bytes.size(), kHeaderBytes);
  const std::size_t at = input.u16() % range;
  const std::size_t width = std::min<std::size_t>(std::size_t{1} << (how & 3), bytes.size() - at);
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  if ((how & 0x40) != 0) {  // one part over another
    const std::size_t from = input.u16() % bytes.size();
    const std::size_t length = std::min({std::size_t{input.u8()}, bytes.size() - at, bytes.size() - from});
    const Bytes moved(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                      bytes.begin() + static_cast<std::ptrdiff_t>(from + length));
    std::copy(moved.begin(), moved.end(), place);
    return;
  }
  const ByteSpan value = input.bytes(width);
  std::copy(value.begin(), value.end(), place);
}

}  // namespace

const Bytes& sound_program(std::size_t number) {
  static const std::array<Bytes, kProgramCount> programs = make_programs();
  return programs[number % kProgramCount];
}

Bytes take_program(Input& input) {
  Bytes bytes = sound_program(input.u8());
  for (std::size_t count = input.u8() & 15; count > 0 && !input.empty(); --count) change(bytes, input);
  return bytes;
}

}  // namespace bdelta::fuzz
