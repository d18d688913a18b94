// Fields of ELF's symbols and of what counts them, and those for debuggers.
#include "exe/elf_tables.hpp"

namespace bdelta::exe {
namespace {

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
  const std::uint64_t entry_bytes = symbol_bytes(sink);
  const std::uint64_t value_at = wide ? 8 : 4;
  const Word word{sink};
  for (std::uint64_t i = 1; i < table.size_bytes / entry_bytes && sink.step(); ++i) {
    const std::uint64_t at = table.file_pos + i * entry_bytes;
    const std::uint8_t type = number_at<std::uint8_t>(sink.file(), at + (wide ? 4 : 12)) & 15;
    const std::uint16_t section = number_at<std::uint16_t>(sink.file(), at + (wide ? 6 : 14));
    sink.entry32(at, names.pos, names.size_bytes, 1, FieldKind::kSymbolName);
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
    sink.entry32(table.file_pos + 4 * i, symbols.pos, symbols.size_bytes, symbol_bytes(sink), FieldKind::kSymbolIndex);
  }
}

// The old table has the counts of buckets and of symbols, then a word for each. The newer one has four words, then
// filter, buckets and hashes. The first word is the count of buckets, the third that of filter words, which are as
// wide as pointers.
void add_hash_table(FieldSink& sink, const ElfSection& table, const FileTable& symbols) {
  const auto word = [&](std::uint64_t i) {
    return 4 * i + 4 <= table.size_bytes ? number_at<std::uint32_t>(sink.file(), table.file_pos + 4 * i) : 0;
  };
  if (table.type == kShtHash) add_numbers(sink, table, 2, std::uint64_t{word(0)} + word(1), symbols);
  const std::uint64_t filter_words = std::uint64_t{word(2)} * (sink.image().bits64 ? 2 : 1);
  if (table.type == kShtGnuHash) add_numbers(sink, table, 4 + filter_words, word(0), symbols);
}

// Addresses of code in sections that are not loaded, which are those for debuggers. They lie at any byte, and nothing that
// is short to tell says where; but few eight bytes that are none are the address of an instruction.
void add_unloaded_words(FieldSink& sink, const ElfHeader& header) {
  constexpr std::size_t kBytesToLook = std::size_t{1} << 20;
  const std::uint64_t low = sink.layout().low();
  const std::uint64_t span = sink.layout().high() - low;
  std::uint64_t left_bytes = sink.image().size_bytes;  // sections of a hostile header may all be the same bytes
  for (const ElfSection& section : header.sections) {
    if (section.type != kShtProgbits || (section.flags & kShfAlloc) != 0) continue;
    if (section.size_bytes > left_bytes) return;
    left_bytes -= section.size_bytes;
    const ByteSpan bytes = bytes_at(sink.file(), section.file_pos, section.size_bytes);
    std::size_t next_look = kBytesToLook;
    for (std::size_t i = 0; i + 8 <= bytes.size(); ++i) {
      if (i >= next_look) {
        sink.look();
        next_look += kBytesToLook;
      }
      const auto word = load_le<std::uint64_t>(bytes.data() + i);
      if (word - low >= span) continue;
      const Section* const loaded = sink.layout().section_of(word);
      if (loaded == nullptr || loaded->kind != SectionKind::kCode) continue;
      sink.absolute64(section.file_pos + i, FieldKind::kDebugAddress);
      i += 7;
    }
  }
}

}  // namespace

FileTable elf_table_at(const FieldSink& sink, std::uint64_t address) {
  FileTable table;
  const Section* section = sink.layout().section_of(address);
  if (section == nullptr || !sink.layout().file_pos_of(address, table.pos)) return table;
  table.size_bytes = section->size_bytes - (address - section->address);
  return table;
}

void find_elf_symbol_fields(FieldSink& sink, const ElfHeader& header) {
  for (const ElfSection& section : header.sections) {
    if (section.type == kShtSymtab || section.type == kShtDynsym) {
      add_symbols(sink, section, linked_table(header, section.link));
    }
    if (section.type == kShtHash || section.type == kShtGnuHash) {
      add_hash_table(sink, section, linked_table(header, section.link));
    }
  }
  if (header.bits64) add_unloaded_words(sink, header);
}

}  // namespace bdelta::exe
