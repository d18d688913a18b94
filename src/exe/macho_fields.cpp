// Fields of Mach-O: the entry, symbols, pointers by chained fixups or by rebase opcodes, unwind tables.
#include <algorithm>

#include "exe/leb128.hpp"
#include "exe/macho.hpp"
#include "exe/sorted_tables.hpp"
#include "exe/table_kernels.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint8_t kSymbolBytes = 16;

// nlist_64: name, type, section, description, value.
void add_symbols(FieldSink& sink, const MachoCommand& command) {
  constexpr std::uint8_t kDebugger = 0xe0, kTypeMask = 0x0e, kInSection = 0x0e;
  const std::uint64_t table = sink.image().file_pos + sink.number32(command.file_pos + 8);
  const std::uint64_t names = sink.image().file_pos + sink.number32(command.file_pos + 16);
  const std::uint64_t name_bytes = sink.number32(command.file_pos + 20);
  const std::uint64_t count = sink.number32(command.file_pos + 12);
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    const std::uint64_t at = table + kSymbolBytes * i;
    if (!range_fits(at, kSymbolBytes, sink.file().size())) return;
    sink.entry32(at, names, name_bytes, 1, FieldKind::kSymbolName);
    const std::uint8_t type = number_at<std::uint8_t>(sink.file(), at + 4);
    // Entries for the debugger hold addresses as well, or sizes and times, which mostly lead nowhere.
    if ((type & kDebugger) == 0 && (type & kTypeMask) != kInSection) continue;
    sink.absolute64(at + 8, FieldKind::kSymbolValue);
  }
}

// The table of symbols that stubs and pointers stand for, by their numbers in the other one.
void add_indirect_symbols(FieldSink& sink, const MachoHeader& header, const MachoCommand& command) {
  const auto is_table = [](const MachoCommand& other) { return other.type == kLcSymtab; };
  const auto symtab = std::find_if(header.commands.begin(), header.commands.end(), is_table);
  if (symtab == header.commands.end()) return;
  const std::uint64_t symbols = sink.image().file_pos + sink.number32(symtab->file_pos + 8);
  const std::uint64_t symbol_bytes = kSymbolBytes * std::uint64_t{sink.number32(symtab->file_pos + 12)};
  const std::uint64_t table = sink.image().file_pos + sink.number32(command.file_pos + 56);
  const std::uint64_t count = sink.number32(command.file_pos + 60);
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    sink.entry32(table + 4 * i, symbols, symbol_bytes, kSymbolBytes, FieldKind::kSymbolIndex);
  }
}

// How a chained pointer is made; see the kinds of DYLD_CHAINED_PTR_*.
struct ChainFormat {
  bool authenticated = false;  // arm64e: bits for keys, and 62 tells a bind
  unsigned number_bits = 0;
  bool from_base = false;
  unsigned next_bits = 0;  // from bit 51 on: distance to the next pointer
  unsigned stride_bytes = 0;
};

bool chain_format(std::uint16_t number, ChainFormat& format) {
  switch (number) {
    case 1: format = {true, 43, false, 11, 8}; return true;
    case 2: format = {false, 36, false, 12, 4}; return true;
    case 6: format = {false, 36, true, 12, 4}; return true;
    case 7: format = {true, 43, true, 11, 4}; return true;
    case 9: case 12: format = {true, 43, true, 11, 8}; return true;
    default: return false;
  }
}

// A chain begins somewhere in a page and stays inside it.
void walk_chain(FieldSink& sink, const ChainFormat& format, std::uint64_t page, std::uint64_t start,
                std::uint64_t page_bytes) {
  constexpr unsigned kAuthenticatedBits = 32;
  for (std::uint64_t at = start; at + 8 <= page_bytes && sink.step();) {
    const std::uint64_t pointer = sink.number64(page + at);
    const bool top = (pointer >> 63) != 0;
    const bool bind = format.authenticated ? ((pointer >> 62) & 1) != 0 : top;
    if (!bind && format.authenticated && top) {
      sink.chained(page + at, kAuthenticatedBits, true, FieldKind::kPointer);
    } else if (!bind) {
      sink.chained(page + at, format.number_bits, format.from_base, FieldKind::kPointer);
    }
    const std::uint64_t next = (pointer >> 51) & ((std::uint64_t{1} << format.next_bits) - 1);
    if (next == 0) return;
    at += next * format.stride_bytes;
  }
}

void walk_segment_chains(FieldSink& sink, const MachoSegment& segment, std::uint64_t info) {
  constexpr std::uint16_t kNoChain = 0xffff, kManyChains = 0x8000;
  const std::uint64_t page_bytes = sink.number16(info + 4);
  const std::uint64_t page_count = sink.number16(info + 20);
  ChainFormat format;
  if (page_bytes == 0 || !chain_format(sink.number16(info + 6), format)) return;
  for (std::uint64_t i = 0; i < page_count && i * page_bytes < segment.size_bytes && sink.step(); ++i) {
    const std::uint16_t start = sink.number16(info + 22 + 2 * i);
    if (start == kNoChain || (start & kManyChains) != 0) continue;
    // The last page may be cut, and a pointer may reach over the end of a page of any other.
    const std::uint64_t room = std::min(page_bytes + 7, segment.size_bytes - i * page_bytes);
    walk_chain(sink, format, segment.file_pos + i * page_bytes, start, room);
  }
}

void add_chained_fixups(FieldSink& sink, const MachoHeader& header, const MachoCommand& command) {
  const std::uint64_t data = sink.image().file_pos + sink.number32(command.file_pos + 8);
  const std::uint64_t starts = data + sink.number32(data + 4);
  const std::uint64_t count = std::min<std::uint64_t>(sink.number32(starts), header.segments.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t info_offset = sink.number32(starts + 4 + 4 * i);
    if (info_offset != 0) walk_segment_chains(sink, header.segments[i], starts + info_offset);
  }
}

// A little machine: its opcodes move a place through a segment and mark pointers there.
void add_rebases(FieldSink& sink, const MachoHeader& header, const MachoCommand& command) {
  enum : std::uint8_t { kDone = 0x00, kSetType = 0x10, kSetPlace = 0x20, kAdd = 0x30, kAddWords = 0x40, kMark = 0x50,
                        kMarkMany = 0x60, kMarkAdd = 0x70, kMarkManySkipping = 0x80 };
  const std::uint64_t pos = sink.image().file_pos + sink.number32(command.file_pos + 8);
  const ByteSpan opcodes = bytes_at(sink.file(), pos, sink.number32(command.file_pos + 12));
  ByteCursor cursor(opcodes);
  MachoSegment segment;
  std::uint64_t offset = 0;
  const auto mark = [&](std::uint64_t count, std::uint64_t skip) {
    for (std::uint64_t i = 0; i < count && sink.step(); ++i, offset += 8 + skip) {
      if (!range_fits(offset, 8, segment.size_bytes)) return;
      sink.absolute64(segment.file_pos + offset, FieldKind::kPointer);
    }
  };
  while (cursor.available() != 0 && cursor.ok() && sink.step()) {
    const std::uint8_t byte = cursor.u8();
    const std::uint8_t value = byte & 15;
    const auto opcode = static_cast<std::uint8_t>(byte & 0xf0);
    if (opcode == kDone || opcode > kMarkManySkipping) break;
    if (opcode == kSetPlace) {
      if (value >= header.segments.size()) break;
      segment = header.segments[value];
      const std::uint8_t* const begin = cursor.position();
      offset = read_uleb(cursor);
      // Go's linker tells each pointer so, and when data moves all these numbers change.
      const auto size = static_cast<std::uint64_t>(cursor.position() - begin);
      sink.uleb_entry({pos + static_cast<std::uint64_t>(begin - opcodes.data()), size, offset}, segment.file_pos,
                      segment.size_bytes, FieldKind::kRelocationOffset);
    }
    if (opcode == kAdd) offset += read_uleb(cursor);
    if (opcode == kAddWords) offset += std::uint64_t{value} * 8;
    if (opcode == kMark) mark(value, 0);
    if (opcode == kMarkMany) mark(read_uleb(cursor), 0);
    if (opcode == kMarkAdd) mark(1, read_uleb(cursor));
    if (opcode == kMarkManySkipping) {
      const std::uint64_t count = read_uleb(cursor);
      mark(count, read_uleb(cursor));
    }
  }
}

// A page of the second level: entries of function and encoding, of 8 bytes, or of 24 and 8 bits.
void add_unwind_page(FieldSink& sink, std::uint64_t page, FieldBase function) {
  const std::uint32_t kind = sink.number32(page);
  const std::uint64_t entries = page + sink.number16(page + 4);
  const std::uint64_t count = sink.number16(page + 6);
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    if (kind == kUnwindPageKind) sink.rva32(entries + 8 * i, FieldKind::kUnwindStart);
    if (kind == kCompressedPageKind) sink.offset24(entries + 4 * i, function, FieldKind::kFunctionStart);
  }
}

// __unwind_info: encodings, personality functions, an index of pages by function, exception tables by function.
void add_unwind_info(FieldSink& sink, const MachoSection& section, std::vector<std::uint64_t>& exception_tables) {
  const std::uint64_t pos = section.file_pos;
  const FieldBase start{pos, section.address};
  const std::uint64_t index = pos + sink.number32(pos + 20);
  const std::uint64_t index_count = sink.number32(pos + 24);
  if (!range_fits(pos, section.size_bytes, sink.file().size()) || section.size_bytes < 28) return;
  if (index_count == 0 || !range_fits(index, index_count * 12, pos + section.size_bytes)) return;
  const std::uint64_t personalities = pos + sink.number32(pos + 12);
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(sink.number32(pos + 16), 4); ++i) {
    sink.rva32(personalities + 4 * i, FieldKind::kExceptionTable);
  }
  for (std::uint64_t i = 0; i < index_count && sink.step(); ++i) {
    const std::uint64_t at = index + 12 * i;
    const std::uint32_t page = sink.number32(at + 4);
    sink.rva32(at, FieldKind::kUnwindHeader);
    if (page != 0) sink.offset32(at + 4, start, FieldKind::kUnwindEntry);
    sink.offset32(at + 8, start, FieldKind::kUnwindEntry);
    FieldBase function{0, sink.image().base_address + sink.number32(at)};
    if (page != 0 && sink.layout().file_pos_of(function.address, function.pos)) {
      add_unwind_page(sink, pos + page, function);
    }
  }
  // Two RVAs each, from where the first entry of the index says to where the last does.
  const std::uint64_t end = pos + sink.number32(index + 12 * (index_count - 1) + 8);
  for (std::uint64_t at = pos + sink.number32(index + 8); at + 8 <= end && sink.step(); at += 8) {
    sink.rva32(at, FieldKind::kUnwindStart);
    sink.rva32(at + 4, FieldKind::kExceptionTable);
    exception_tables.push_back(sink.image().base_address + sink.number32(at + 4));
  }
}

// The trie has a command of its own, or is a part of what older linkers write for the loader.
void add_exports(FieldSink& sink, const MachoHeader& header) {
  for (const MachoCommand& command : header.commands) {
    const bool is_info = command.type == kLcDyldInfo || command.type == kLcDyldInfoOnly;
    if (!is_info && command.type != kLcDyldExportsTrie) continue;
    const std::uint64_t at = command.file_pos + (is_info ? 40 : 8);
    find_export_trie_fields(sink, sink.image().file_pos + sink.number32(at), sink.number32(at + 4));
  }
}

}  // namespace

void find_macho_fields(FieldSink& sink) {
  const ByteSpan file = sink.file();
  const std::optional<MachoHeader> header = read_macho_header(file, sink.image().file_pos, {});
  if (!header) return;
  for (const MachoCommand& command : header->commands) {
    if (command.type == kLcMain) sink.rva32(command.file_pos + 8, FieldKind::kLoadCommand);
    if (command.type == kLcSymtab) add_symbols(sink, command);
    if (command.type == kLcDysymtab) add_indirect_symbols(sink, *header, command);
    if (command.type == kLcDyldChainedFixups) add_chained_fixups(sink, *header, command);
    if (command.type == kLcDyldInfo || command.type == kLcDyldInfoOnly) add_rebases(sink, *header, command);
  }
  add_exports(sink, *header);
  std::vector<std::uint64_t> exception_tables;
  if (const MachoSection* unwind = find_section(file, *header, "__unwind_info")) {
    add_unwind_info(sink, *unwind, exception_tables);
  }
  find_exception_table_fields(sink, std::move(exception_tables));
  if (const MachoSection* frames = find_section(file, *header, "__eh_frame")) {
    find_eh_frame_fields(sink, frames->file_pos, frames->size_bytes);
  }
}

}  // namespace bdelta::exe
