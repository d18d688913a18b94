// Fields of ELF: the entry, the dynamic table, relocations with the words they change, symbols, unwind tables.
#include <algorithm>

#include "exe/elf.hpp"
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

// What is read from the dynamic table; 0 where it says nothing.
struct Dynamic {
  std::uint64_t rela = 0, rela_bytes = 0;
  std::uint64_t rel = 0, rel_bytes = 0;
  std::uint64_t jump_rel = 0, jump_rel_bytes = 0;
  std::uint64_t relr = 0, relr_bytes = 0;
  std::uint64_t string_table = 0, string_bytes = 0;
  std::uint64_t symbol_table = 0;
  std::uint64_t init_array = 0, init_array_bytes = 0;
  std::uint64_t fini_array = 0, fini_array_bytes = 0;
  std::uint64_t plt_got = 0;
  std::uint64_t plt_rel_tag = 0;  // kRela or kRel: what jump_rel is made of
};

struct Word {
  const FieldSink& sink;
  std::uint64_t bytes = sink.image().bits64 ? 8 : 4;

  std::uint64_t at(std::uint64_t pos) const {
    return bytes == 8 ? number_at<std::uint64_t>(sink.file(), pos) : number_at<std::uint32_t>(sink.file(), pos);
  }
};

void remember(std::uint64_t tag, std::uint64_t value, Dynamic& dynamic) {
  switch (tag) {
    case kRela: dynamic.rela = value; break;
    case kRelaBytes: dynamic.rela_bytes = value; break;
    case kRel: dynamic.rel = value; break;
    case kRelBytes: dynamic.rel_bytes = value; break;
    case kJumpRel: dynamic.jump_rel = value; break;
    case kPltRelBytes: dynamic.jump_rel_bytes = value; break;
    case kPltRel: dynamic.plt_rel_tag = value; break;
    case kRelr: dynamic.relr = value; break;
    case kRelrBytes: dynamic.relr_bytes = value; break;
    case kStringTable: dynamic.string_table = value; break;
    case kSymbolTable: dynamic.symbol_table = value; break;
    case kStringBytes: dynamic.string_bytes = value; break;
    case kInitArray: dynamic.init_array = value; break;
    case kInitArrayBytes: dynamic.init_array_bytes = value; break;
    case kFiniArray: dynamic.fini_array = value; break;
    case kFiniArrayBytes: dynamic.fini_array_bytes = value; break;
    case kPltGot: dynamic.plt_got = value; break;
    default: break;
  }
}

bool is_address_tag(std::uint64_t tag) {
  switch (tag) {
    case kPltGot: case kHash: case kStringTable: case kSymbolTable: case kRela: case kInit: case kFini: case kRel:
    case kJumpRel: case kInitArray: case kFiniArray: case kPreinitArray: case kRelr: case kGnuHash:
    case kVersionSymbols: case kVersionDefinitions: case kVersionNeeds: return true;
    default: return false;
  }
}

// The start of what the size behind this tag measures, or 0.
std::uint64_t measured_by(std::uint64_t tag, const Dynamic& dynamic) {
  switch (tag) {
    case kRelaBytes: return dynamic.rela;
    case kRelBytes: return dynamic.rel;
    case kPltRelBytes: return dynamic.jump_rel;
    case kRelrBytes: return dynamic.relr;
    case kStringBytes: return dynamic.string_table;
    case kInitArrayBytes: return dynamic.init_array;
    case kFiniArrayBytes: return dynamic.fini_array;
    default: return 0;
  }
}

Dynamic add_dynamic(FieldSink& sink, const ElfSegment& segment) {
  const Word word{sink};
  const std::uint64_t count = segment.size_bytes / (2 * word.bytes);
  Dynamic dynamic;
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    const std::uint64_t at = segment.file_pos + 2 * word.bytes * i;
    const std::uint64_t tag = word.at(at);
    if (tag == 0) break;
    remember(tag, word.at(at + word.bytes), dynamic);
  }
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    const std::uint64_t at = segment.file_pos + 2 * word.bytes * i;
    const std::uint64_t tag = word.at(at);
    if (tag == 0) break;
    if (is_address_tag(tag)) sink.absolute(at + word.bytes, FieldKind::kDynamic);
    if (const std::uint64_t start = measured_by(tag, dynamic)) sink.size(at + word.bytes, start, FieldKind::kDynamic);
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

// A table of the file, in memory or not.
struct FileTable {
  std::uint64_t pos = 0;
  std::uint64_t size_bytes = 0;
};

constexpr std::uint8_t kWideSymbolBytes = 24;

// The table at an address, up to the end of its section, which the dynamic table doesn't tell.
FileTable table_at(const FieldSink& sink, std::uint64_t address) {
  FileTable table;
  const Section* section = sink.layout().section_of(address);
  if (section == nullptr || !sink.layout().file_pos_of(address, table.pos)) return table;
  table.size_bytes = section->size_bytes - (address - section->address);
  return table;
}

// Entries of .rela (place, info, addend) or .rel (place, info); the addend of the latter is in the changed word. The high
// half of a wide info is the number of a symbol.
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
    sink.absolute(at, FieldKind::kRelocationPlace);
    if (word.bytes == 8) sink.entry32(at + 12, symbols.pos, symbols.size_bytes, kWideSymbolBytes, FieldKind::kSymbolIndex);
    if (with_addend && is_relative(sink.image().machine, type)) {
      sink.absolute(at + 2 * word.bytes, FieldKind::kRelocationAddend);
    }
  }
  const std::size_t mark = sink.mark();
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    std::uint64_t place = 0;
    if (sink.layout().file_pos_of(word.at(begin + i * entry_bytes), place)) sink.absolute(place, FieldKind::kPointer);
  }
  sink.sort_since(mark);  // entries are grouped by symbol
}

// .relr: a word is the address of a place, or (odd) bits for the words behind the place before.
void add_packed_relocations(FieldSink& sink, std::uint64_t address, std::uint64_t size_bytes) {
  const Word word{sink};
  std::uint64_t begin = 0;
  if (address == 0 || !sink.layout().file_pos_of(address, begin)) return;
  const std::uint64_t count = std::min(size_bytes, sink.file().size() - begin) / word.bytes;
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    const std::uint64_t at = begin + i * word.bytes;
    if (word.at(at) % 2 == 0) sink.absolute(at, FieldKind::kRelocationPlace);
  }
  const std::size_t mark = sink.mark();
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
  sink.sort_since(mark);
}

// Nothing where there is none of that number, or it has no bytes.
FileTable linked_table(const ElfHeader& header, std::uint32_t number) {
  for (const ElfSection& section : header.sections) {
    if (section.number == number && section.type != kShtNobits) return {section.file_pos, section.size_bytes};
  }
  return {};
}

void add_symbols(FieldSink& sink, const ElfSection& table, const FileTable& names) {
  constexpr std::uint8_t kTls = 6;
  constexpr std::uint16_t kFirstReservedSection = 0xff00;
  const bool wide = sink.image().bits64;
  const std::uint64_t entry_bytes = wide ? 24 : 16;
  const std::uint64_t value_at = wide ? 8 : 4;
  const Word word{sink};
  for (std::uint64_t i = 1; i < table.size_bytes / entry_bytes && sink.step(); ++i) {
    const std::uint64_t at = table.file_pos + i * entry_bytes;
    const std::uint8_t type = number_at<std::uint8_t>(sink.file(), at + (wide ? 4 : 12)) & 15;
    const std::uint16_t section = number_at<std::uint16_t>(sink.file(), at + (wide ? 6 : 14));
    if (wide) sink.entry32(at, names.pos, names.size_bytes, 1, FieldKind::kSymbolName);
    if (type == kTls || section == 0 || section >= kFirstReservedSection) continue;
    sink.absolute(at + value_at, FieldKind::kSymbolValue);
    sink.size(at + value_at + word.bytes, word.at(at + value_at), FieldKind::kSymbolSize);
  }
}

// Words [begin, begin + count) of a hash table, each the number of a symbol.
void add_numbers(FieldSink& sink, const ElfSection& table, std::uint64_t begin, std::uint64_t count,
                 const FileTable& symbols) {
  const std::uint64_t words = table.size_bytes / 4;
  for (std::uint64_t i = begin; i < words && i - begin < count && sink.step(); ++i) {
    sink.entry32(table.file_pos + 4 * i, symbols.pos, symbols.size_bytes, kWideSymbolBytes, FieldKind::kSymbolIndex);
  }
}

// The old table has the counts of buckets and of symbols, then a word for each. The newer one has four words, of which the
// first is the count of buckets and the third that of filter words of eight bytes, then filter, buckets and hashes.
void add_hash_table(FieldSink& sink, const ElfSection& table, const FileTable& symbols) {
  const auto word = [&](std::uint64_t i) {
    return 4 * i + 4 <= table.size_bytes ? number_at<std::uint32_t>(sink.file(), table.file_pos + 4 * i) : 0;
  };
  if (table.type == kShtHash) add_numbers(sink, table, 2, std::uint64_t{word(0)} + word(1), symbols);
  if (table.type == kShtGnuHash) add_numbers(sink, table, 4 + 2 * std::uint64_t{word(2)}, word(0), symbols);
}

// Addresses of code in sections that are not loaded, which are those for debuggers. They lie at any byte, and nothing that is
// short to tell says where; but few eight bytes that are none are the address of an instruction.
void add_unloaded_words(FieldSink& sink, const ElfHeader& header) {
  const std::uint64_t low = sink.layout().low();
  const std::uint64_t span = sink.layout().high() - low;
  std::uint64_t left_bytes = sink.image().size_bytes;  // sections of a hostile header may all be the same bytes
  for (const ElfSection& section : header.sections) {
    if (section.type != kShtProgbits || (section.flags & kShfAlloc) != 0) continue;
    if (section.size_bytes > left_bytes) return;
    left_bytes -= section.size_bytes;
    const ByteSpan bytes = bytes_at(sink.file(), section.file_pos, section.size_bytes);
    for (std::size_t i = 0; i + 8 <= bytes.size(); ++i) {
      const auto word = load_le<std::uint64_t>(bytes.data() + i);
      if (word - low >= span) continue;
      const Section* const loaded = sink.layout().section_of(word);
      if (loaded == nullptr || loaded->kind != SectionKind::kCode) continue;
      sink.absolute64(section.file_pos + i, FieldKind::kDebugAddress);
      i += 7;
    }
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
    const FileTable symbols = table_at(sink, dynamic.symbol_table);
    add_relocations(sink, dynamic.rela, dynamic.rela_bytes, true, symbols);
    add_relocations(sink, dynamic.rel, dynamic.rel_bytes, false, symbols);
    add_relocations(sink, dynamic.jump_rel, dynamic.jump_rel_bytes, dynamic.plt_rel_tag == kRela, symbols);
    add_packed_relocations(sink, dynamic.relr, dynamic.relr_bytes);
    std::uint64_t got = 0;
    if (sink.layout().file_pos_of(dynamic.plt_got, got)) sink.absolute(got, FieldKind::kPointer);
  }
  add_unwind_tables(sink, *header);
  for (const ElfSection& section : header->sections) {
    if (section.type == kShtSymtab || section.type == kShtDynsym) {
      add_symbols(sink, section, linked_table(*header, section.link));
    }
    if (header->bits64 && (section.type == kShtHash || section.type == kShtGnuHash)) {
      add_hash_table(sink, section, linked_table(*header, section.link));
    }
  }
  if (header->bits64) add_unloaded_words(sink, *header);
  if (sink.image().is_fixed) find_fixed_pointers(sink);
}

}  // namespace bdelta::exe
