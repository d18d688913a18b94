// Seeds of what reads images and code.
#include <string>

#include "fuzz/program_input.hpp"
#include "fuzz/seeds.hpp"
#include "support/exe_craft_more.hpp"
#include "support/fixed_program.hpp"
#include "support/generate.hpp"
#include "support/kernel_modules.hpp"
#include "support/pe_program.hpp"
#include "support/program_pair.hpp"
#include "support/rebased_program.hpp"
#include "support/sorted_program.hpp"

namespace bdelta::fuzz {

void save_programs() {
  save("exe_elf", "sections", test::craft_elf());
  save("exe_elf", "segments", test::craft_elf_without_sections());
  save("exe_elf", "i386", test::craft_elf32());
  save("exe_elf", "module", test::module_pair({1, 1, 60}).old_version);
  save("exe_elf", "module_32", test::module_pair({1, 2, 60, false, false}).old_version);
  save("exe_elf", "go", test::craft_go());
  save("exe_elf", "go_64", test::craft_go_program(true));
  save("exe_elf", "go_32", test::craft_go_program(false));
  save("exe_elf", "go_127", test::craft_go_program(true, test::GoVersion::k127));
  save("exe_elf", "arm32", test::craft_arm32());
  save("exe_elf", "linked", test::program_pair(11, 8).old_version);
  save("exe_elf", "with_pe", sound_program(9));
  save("exe_elf", "fixed", test::fixed_program({1, 2, 3, 4}).bytes);
  save("exe_pe", "sections", test::craft_pe());
  save("exe_pe", "exceptions", test::pe_program({2, 3}, false).bytes);
  save("exe_pe", "exceptions_arm64", test::pe_program({2, 3, 4}, true).bytes);
  for (const test::SortedShape shape : test::kSortedShapes) {
    const char* const target = shape <= test::SortedShape::kPeArm64    ? "exe_pe"
                               : shape <= test::SortedShape::kElfArm32 ? "exe_elf"
                                                                       : "exe_macho";
    save(target, "sorted" + std::to_string(static_cast<int>(shape)),
         test::sorted_program({1, 2, 3, 4, 5, 6}, shape).bytes);
  }
  save("exe_macho", "thin", test::craft_macho());
  save("exe_macho", "exports", test::craft_macho_exports());
  save("exe_macho", "rebases", test::rebased_program({1, 2, 3}).bytes);
  Bytes two = test::craft_macho();
  append(two, test::craft_macho());
  save("exe_macho", "two", two);
  Bytes universal = {0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2};
  universal.resize(64);
  append(universal, two);
  save("exe_macho", "universal", universal);
  save("exe_toy", "toy", test::craft_toy());
  save("exe_toy", "empty", test::bytes_of("~toy-image\ncode 1000 0\nend\n"));
  save("exe_toy", "overlapping", test::bytes_of("~toy-image\ncode 1000 10\ndata 1008 8\nunbacked ffffffffffffffff 2\n"
                                                "end\n012345678901234567890123456789"));
}

void save_code() {
  const Bytes linked = test::program_pair(11, 12).old_version;
  const ByteSpan code = ByteSpan(linked).subspan(0x100, 400);
  const Bytes far = joined({Bytes{0}, number(std::uint64_t{0x400000}), Bytes{38}});
  const Bytes wrapping = joined({Bytes{0}, number(~std::uint64_t{0xfff}), Bytes{20}});
  for (const auto& [name, start] : {std::pair{"linked", far}, {"at_the_end", wrapping}}) {
    save("isa_x86_64", name, joined({start, code}));
  }
  save("isa_x86_64", "any", joined({far, test::random_bytes(300, 1)}));
  save("isa_x86_64", "across_blocks", joined({Bytes{0x80}, number(std::uint64_t{0x400000}), Bytes{38}, code}));
  const Bytes low = joined({Bytes{0}, number(std::uint32_t{0x8048000}), Bytes{31}});
  save("isa_x86_32", "linked", joined({low, code}));
  save("isa_x86_32", "any", joined({low, test::random_bytes(300, 2)}));
  Bytes arm;
  // bl, b.ne, cbz, tbz, adr; adrp with add, ldr and str behind it; ldr of a literal
  for (const std::uint32_t word :
       {0x94000010u, 0x54000041u, 0xb4000060u, 0x36000080u, 0x10000100u, 0xb0000001u, 0x91010021u, 0xb0000002u,
        0xf9400443u, 0xb0000003u, 0xb9000864u, 0x58000120u, 0x17fffff0u}) {
    append_le(arm, word);
  }
  save("isa_arm64", "references", joined({far, arm}));
  Bytes last_page;  // adrp of its own page, with an add behind it
  for (const std::uint32_t word : {0x90000001u, 0x91002021u}) append_le(last_page, word);
  save("isa_arm64", "at_the_end", joined({wrapping, last_page}));
  save("isa_arm64", "any", joined({far, test::random_bytes(400, 3)}));
  Bytes arm32;
  // ldr of a literal, add of it to pc, bl, b, b.ne, blx, ldr of a literal that pc is added to, ldr of one as such
  for (const std::uint32_t word : {0xe59f2018u, 0xe08f2002u, 0xeb000001u, 0xea000002u, 0x1afffffeu, 0xfa000000u,
                                   0xe59f3004u, 0xe79f3003u, 0x00000010u, 0xfffffff0u, 0xe51f1008u, 0x08048010u}) {
    append_le(arm32, word);
  }
  Bytes thumb;
  // ldr of a literal, add of pc, bl, blx, beq, b, short branches, a long ldr and its add, nop, literals
  for (const unsigned half : {0x4a05u, 0x447au, 0xf000u, 0xf802u, 0xf000u, 0xe802u, 0xf000u, 0x8002u, 0xf000u, 0xb802u, 0xe7feu,
                              0xe001u, 0xf8dfu, 0xa004u, 0x44fau, 0xbf00u, 0x0010u, 0x0000u, 0xf000u, 0xf802u}) {
    append_le(thumb, static_cast<std::uint16_t>(half));
  }
  save("isa_arm32", "thumb", joined({low, thumb, thumb}));
  save("isa_arm32", "mixed", joined({Bytes{0x80}, number(std::uint32_t{0x8048000}), Bytes{31}, thumb, arm32}));
  save("isa_arm32", "references", joined({low, arm32}));
  save("isa_arm32", "any", joined({low, test::random_bytes(400, 4)}));
  save("isa_arm32", "across_blocks", joined({Bytes{0x80}, number(std::uint32_t{0x8048000}), Bytes{31}, arm32, arm32}));
  save("isa_arm64", "across_blocks", joined({Bytes{0x80}, number(std::uint64_t{0x400000}), Bytes{38}, arm, arm}));
}

}  // namespace bdelta::fuzz
