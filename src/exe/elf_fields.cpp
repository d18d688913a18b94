// Fields of ELF: the entry, the dynamic table, relocations with the words they change, unwind tables.
#include <algorithm>
#include <array>

#include "exe/elf_tables.hpp"
#include "exe/table_kernels.hpp"

namespace bdelta::exe {
namespace {

enum DynamicTag : std::uint64_t {
  kPltRelBytes = 2, kPltGot = 3, kHash = 4, kStringTable = 5, kSymbolTable = 6, kRela = 7, kRelaBytes = 8,
  kStringBytes = 10, kInit = 12, kFini = 13, kRel = 17, kRelBytes = 18, kPltRel = 20, kJumpRel = 23, kInitArray = 25,
  kFiniArray = 26, kInitArrayBytes = 27, kFiniArrayBytes = 28, kPreinitArray = 32, kPreinitArrayBytes = 33,
  kRelrBytes = 35, kRelr = 36, kGnuHash = 0x6ffffef5, kVersionSymbols = 0x6ffffff0, kVersionDefinitions = 0x6ffffffc,
  kVersionNeeds = 0x6ffffffe,
};

// What the dynamic table says, by tag; 0 where it says nothing. Nothing is made of the higher tags but that some are
// addresses.
using Dynamic = std::array<std::uint64_t, kRelr + 1>;

bool is_address_tag(std::uint64_t tag) {
  switch (tag) {
    case kPltGot: case kHash: case kStringTable: case kSymbolTable: case kRela: case kInit: case kFini: case kRel:
    case kJumpRel: case kInitArray: case kFiniArray: case kPreinitArray: case kRelr: case kGnuHash:
    case kVersionSymbols: case kVersionDefinitions: case kVersionNeeds: return true;
    default: return false;
  }
}

// The tag of the start of what the size behind this tag measures, or 0.
std::uint64_t start_tag_of(std::uint64_t tag) {
  switch (tag) {
    case kRelaBytes: return kRela;
    case kRelBytes: return kRel;
    case kPltRelBytes: return kJumpRel;
    case kRelrBytes: return kRelr;
    case kStringBytes: return kStringTable;
    case kInitArrayBytes: return kInitArray;
    case kFiniArrayBytes: return kFiniArray;
    default: return 0;
  }
}

Dynamic add_dynamic(FieldSink& sink, const ElfSegment& segment) {
  const Word word{sink};
  const std::uint64_t count = segment.size_bytes / (2 * word.bytes);
  Dynamic dynamic{};
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    const std::uint64_t at = segment.file_pos + 2 * word.bytes * i;
    const std::uint64_t tag = word.at(at);
    if (tag == 0) break;
    if (tag < dynamic.size()) dynamic[tag] = word.at(at + word.bytes);
  }
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    const std::uint64_t at = segment.file_pos + 2 * word.bytes * i;
    const std::uint64_t tag = word.at(at);
    if (tag == 0) break;
    if (is_address_tag(tag)) sink.absolute(at + word.bytes, FieldKind::kDynamic);
    if (const std::uint64_t start = dynamic[start_tag_of(tag)]) sink.size(at + word.bytes, start, FieldKind::kDynamic);
  }
  return dynamic;
}

// The addend is an address of the image, and not an offset to a symbol.
bool is_relative(Machine machine, std::uint64_t type) {
  switch (machine) {
    case Machine::kX86_64: return type == 8 || type == 37;
    case Machine::kArm64: return type == 1027 || type == 1032;
    case Machine::kX86_32: return type == 8 || type == 42;
    case Machine::kArm32: return type == 23 || type == 160;
    default: return false;
  }
}

void add_symbol_number(FieldSink& sink, std::uint64_t info_pos, const FileTable& symbols) {
  const std::uint8_t entry_bytes = symbol_bytes(sink);
  if (sink.image().bits64) {
    sink.entry32(info_pos + 4, symbols.pos, symbols.size_bytes, entry_bytes, FieldKind::kSymbolIndex);
  } else {
    sink.entry24(info_pos, symbols.pos, symbols.size_bytes, entry_bytes, FieldKind::kSymbolIndex);
  }
}

// Entries of .rela (place, info, addend) or .rel (place, info); the addend of the latter is in the changed word. The high
// half of a wide info, and all but the low byte of another, is the number of a symbol.
void add_relocations(FieldSink& sink, std::uint64_t address, std::uint64_t size_bytes, bool with_addend,
                     const FileTable& symbols) {
  const Word word{sink};
  const std::uint64_t entry_bytes = word.bytes * (with_addend ? 3 : 2);
  std::uint64_t begin = 0;
  if (address == 0 || !sink.layout().file_pos_of(address, begin)) return;
  const std::uint64_t count = std::min(size_bytes, sink.file().size() - begin) / entry_bytes;
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    const std::uint64_t at = begin + i * entry_bytes;
    const std::uint64_t info = word.at(at + word.bytes);
    const std::uint64_t type = word.bytes == 8 ? info & 0xffffffff : info & 0xff;
    sink.absolute(at, FieldKind::kRelocationOffset);
    add_symbol_number(sink, at + word.bytes, symbols);
    if (with_addend && is_relative(sink.image().machine, type)) {
      sink.absolute(at + 2 * word.bytes, FieldKind::kRelocationAddend);
    }
  }
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    std::uint64_t place = 0;
    if (sink.layout().file_pos_of(word.at(begin + i * entry_bytes), place)) sink.absolute(place, FieldKind::kPointer);
  }
}

// .relr: a word is the address of a place, or (odd) bits for the words behind the place before.
void add_packed_relocations(FieldSink& sink, std::uint64_t address, std::uint64_t size_bytes) {
  const Word word{sink};
  std::uint64_t begin = 0;
  if (address == 0 || !sink.layout().file_pos_of(address, begin)) return;
  const std::uint64_t count = std::min(size_bytes, sink.file().size() - begin) / word.bytes;
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    const std::uint64_t at = begin + i * word.bytes;
    if (word.at(at) % 2 == 0) sink.absolute(at, FieldKind::kRelocationOffset);
  }
  std::uint64_t next = 0;
  const auto add_pointer = [&](std::uint64_t place) {
    std::uint64_t pos = 0;
    if (sink.layout().file_pos_of(place, pos)) sink.absolute(pos, FieldKind::kPointer);
  };
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {  // also for words that mark nothing
    const std::uint64_t entry = word.at(begin + i * word.bytes);
    if (entry % 2 == 0) {
      add_pointer(entry);
      next = entry + word.bytes;
      continue;
    }
    for (std::uint64_t bits = entry >> 1, place = next; bits != 0 && sink.step(); bits >>= 1, place += word.bytes) {
      if ((bits & 1) != 0) add_pointer(place);
    }
    next += (8 * word.bytes - 1) * word.bytes;
  }
}

void add_unwind_tables(FieldSink& sink, const ElfHeader& header) {
  for (const ElfSegment& segment : header.segments) {
    if (segment.type != kPtGnuEhFrame) continue;
    const std::uint64_t frames = find_eh_frame_header_fields(sink, segment.file_pos, segment.size_bytes);
    const Section* section = frames != 0 ? sink.layout().section_of(frames) : nullptr;
    if (section == nullptr || section->size_bytes <= frames - section->address) continue;
    const std::uint64_t skipped = frames - section->address;
    find_eh_frame_fields(sink, section->file_pos + skipped, section->size_bytes - skipped);
  }
}

}  // namespace

void find_elf_fields(FieldSink& sink) {
  const std::optional<ElfHeader> header = read_elf_header(sink.file(), sink.image().file_pos, {});
  if (!header) return;
  sink.absolute(header->entry_pos, FieldKind::kLoadCommand);
  for (const ElfSegment& segment : header->segments) {
    if (segment.type != kPtDynamic) continue;
    const Dynamic dynamic = add_dynamic(sink, segment);
    const FileTable symbols = elf_table_at(sink, dynamic[kSymbolTable]);
    add_relocations(sink, dynamic[kRela], dynamic[kRelaBytes], true, symbols);
    add_relocations(sink, dynamic[kRel], dynamic[kRelBytes], false, symbols);
    add_relocations(sink, dynamic[kJumpRel], dynamic[kPltRelBytes], dynamic[kPltRel] == kRela, symbols);
    add_packed_relocations(sink, dynamic[kRelr], dynamic[kRelrBytes]);
    std::uint64_t got = 0;
    if (sink.layout().file_pos_of(dynamic[kPltGot], got)) sink.absolute(got, FieldKind::kPointer);
  }
  add_unwind_tables(sink, *header);
  if (sink.image().machine == Machine::kArm32) find_arm_unwind_fields(sink, *header);
  find_elf_symbol_fields(sink, *header);
  if (sink.image().is_fixed) find_fixed_pointers(sink);
}

}  // namespace bdelta::exe
