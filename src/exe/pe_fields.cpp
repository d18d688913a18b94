// Fields of PE: headers and directories, base relocations with the words they change, imports and exports, tables of
// functions with their unwind information, tables of valid targets of indirect calls.
#include <algorithm>

#include "exe/pe.hpp"
#include "exe/table_kernels.hpp"

namespace bdelta::exe {
namespace {


// Position of the byte at an RVA; false if it has none.
bool pos_of_rva(const FieldSink& sink, std::uint64_t rva, std::uint64_t& pos) {
  return rva != 0 && sink.layout().file_pos_of(sink.image().base_address + rva, pos);
}

// A directory with its bytes in the file, cut to what is left of the image, so that many images don't read one
// another's bytes; empty if it is not there.
struct Table {
  std::uint64_t pos = 0;
  std::uint64_t size_bytes = 0;
};

Table table_of(const FieldSink& sink, const PeDirectory& directory) {
  Table table;
  const std::uint64_t end = sink.image().file_pos + sink.image().size_bytes;
  if (!pos_of_rva(sink, directory.rva, table.pos) || table.pos > end) return {};
  table.size_bytes = std::min<std::uint64_t>(directory.size_bytes, end - table.pos);
  return table;
}

void add_headers(FieldSink& sink, const PeHeader& header) {
  sink.rva32(header.optional_pos + 16, FieldKind::kLoadCommand);  // entry
  sink.rva32(header.optional_pos + 20, FieldKind::kLoadCommand);  // base of code
  for (std::size_t i = 0; i < header.directories.size(); ++i) {
    const PeDirectory& directory = header.directories[i];
    if (directory.rva == 0 || i == kPeCertificates) continue;
    sink.rva32(directory.field_pos, FieldKind::kLoadCommand);
    sink.size32(directory.field_pos + 4, sink.image().base_address + directory.rva, FieldKind::kLoadCommand);
  }
  for (std::size_t i = 0; i < header.section_count; ++i) {
    sink.rva32(header.sections_pos + 40 * i + 12, FieldKind::kLoadCommand);
  }
}

// Blocks of a page's RVA, their size, and 16 bits a place: type and offset in the page.
void add_relocations(FieldSink& sink, const Table& table) {
  constexpr unsigned kHighLow = 3, kWide = 10;
  const auto each_block = [&](const auto& visit) {
    std::uint64_t at = table.pos;
    const std::uint64_t end = table.pos + table.size_bytes;
    while (end - at >= 8 && sink.step()) {
      const std::uint64_t block_bytes = sink.number32(at + 4);
      if (block_bytes < 8 || block_bytes > end - at) break;
      visit(at, block_bytes);
      at += block_bytes;
    }
  };
  each_block([&](std::uint64_t at, std::uint64_t) { sink.rva32(at, FieldKind::kRelocationPlace); });
  each_block([&](std::uint64_t at, std::uint64_t block_bytes) {
    const std::uint64_t page = sink.number32(at);
    for (std::uint64_t i = 8; i + 2 <= block_bytes; i += 2) {
      const unsigned entry = number_at<std::uint16_t>(sink.file(), at + i);
      const unsigned type = entry >> 12;
      std::uint64_t pos = 0;
      if ((type != kHighLow && type != kWide) || !pos_of_rva(sink, page + (entry & 0xfff), pos)) continue;
      type == kWide ? sink.absolute64(pos, FieldKind::kPointer) : sink.absolute32(pos, FieldKind::kPointer);
    }
  });
}

void add_rvas(FieldSink& sink, std::uint64_t rva, std::uint64_t count) {
  std::uint64_t pos = 0;
  if (!pos_of_rva(sink, rva, pos)) return;
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) sink.rva32(pos + 4 * i, FieldKind::kImportExport);
}

void add_exports(FieldSink& sink, const Table& table) {
  if (table.size_bytes < 40) return;
  for (const std::uint64_t offset : {12u, 28u, 32u, 36u}) sink.rva32(table.pos + offset, FieldKind::kImportExport);
  add_rvas(sink, sink.number32(table.pos + 28), sink.number32(table.pos + 20));
  add_rvas(sink, sink.number32(table.pos + 32), sink.number32(table.pos + 24));
}

// RVAs of names, as wide as pointers, up to a 0; those with the highest bit are numbers.
void add_thunks(FieldSink& sink, std::uint64_t rva) {
  const bool wide = sink.image().bits64;
  std::uint64_t pos = 0;
  if (!pos_of_rva(sink, rva, pos)) return;
  for (; sink.step(); pos += wide ? 8 : 4) {
    const std::uint64_t thunk = wide ? number_at<std::uint64_t>(sink.file(), pos) : sink.number32(pos);
    if (thunk == 0) return;
    if ((thunk >> 31) == 0) sink.rva32(pos, FieldKind::kImportExport);
  }
}

void add_imports(FieldSink& sink, const Table& table) {
  for (std::uint64_t at = table.pos; at + 20 <= table.pos + table.size_bytes && sink.step(); at += 20) {
    if (sink.number32(at + 12) == 0) return;
    for (const std::uint64_t offset : {0u, 12u, 16u}) sink.rva32(at + offset, FieldKind::kImportExport);
    add_thunks(sink, sink.number32(at));
    add_thunks(sink, sink.number32(at + 16));
  }
}

void add_delay_imports(FieldSink& sink, const Table& table) {
  constexpr std::uint32_t kOfRvas = 1;
  for (std::uint64_t at = table.pos; at + 32 <= table.pos + table.size_bytes && sink.step(); at += 32) {
    if (sink.number32(at + 4) == 0 || sink.number32(at) != kOfRvas) return;
    for (std::uint64_t offset = 4; offset < 28; offset += 4) sink.rva32(at + offset, FieldKind::kImportExport);
    add_thunks(sink, sink.number32(at + 16));
  }
}

// What follows the handler's RVA depends on the handler. Two kinds are told by their look: a count and ranges of code
// with filter and target, as __C_specific_handler has them; or the RVA of the C++ tables.
void add_handler_data(FieldSink& sink, std::uint64_t pos) {
  constexpr std::uint32_t kMostScopes = 256;
  constexpr std::uint32_t kExecuteHandler = 1;  // instead of the RVA of a filter
  const std::uint64_t base = sink.image().base_address;
  const std::uint32_t first = sink.number32(pos);
  const auto is_code = [&](std::uint32_t rva) {
    const Section* section = sink.layout().section_of(base + rva);
    return section != nullptr && section->kind == SectionKind::kCode;
  };
  if (first == 0 || first > kMostScopes) {
    const Section* section = sink.layout().section_of(base + first);
    if (section != nullptr && section->kind == SectionKind::kData && first % 4 == 0) {
      sink.rva32(pos, FieldKind::kExceptionTable);
    }
    return;
  }
  for (std::uint32_t i = 0; i < first && sink.step(); ++i) {
    const std::uint64_t at = pos + 4 + 16 * std::uint64_t{i};
    if (!is_code(sink.number32(at)) || sink.number32(at + 4) <= sink.number32(at)) return;
    sink.rva32(at, FieldKind::kExceptionTable);
    sink.rva32(at + 4, FieldKind::kExceptionTable);
    if (sink.number32(at + 8) != kExecuteHandler) sink.rva32(at + 8, FieldKind::kExceptionTable);
    sink.rva32(at + 12, FieldKind::kExceptionTable);
  }
}

// Of x86-64: version and flags, size of the prologue, count of codes, frame; the codes, padded to pairs; the handler or
// the function whose information goes on with this.
void add_unwind_info(FieldSink& sink, std::uint64_t pos) {
  constexpr unsigned kHandlers = 3, kChained = 4;
  const ByteSpan head = bytes_at(sink.file(), pos, 4);
  if (head.empty() || (head[0] & 7) == 0 || (head[0] & 7) > 2) return;
  const unsigned flags = head[0] >> 3;
  const std::uint64_t at = pos + 4 + 2 * ((std::uint64_t{head[2]} + 1) & ~std::uint64_t{1});
  if ((flags & kChained) != 0) {
    for (std::uint64_t i = 0; i < 12; i += 4) sink.rva32(at + i, FieldKind::kPdata);
  } else if ((flags & kHandlers) != 0) {
    sink.rva32(at, FieldKind::kExceptionTable);
    add_handler_data(sink, at + 4);
  }
}

// RUNTIME_FUNCTION: begin, end and unwind information on x86-64; begin, and unwind information or that itself in some
// bits, on arm64.
void add_functions(FieldSink& sink, const Table& table) {
  const bool x86 = sink.image().machine == Machine::kX86_64;
  const std::uint64_t entry_bytes = x86 ? 12 : 8;
  std::vector<std::uint32_t> unwind_infos;
  for (std::uint64_t i = 0; i < table.size_bytes / entry_bytes && sink.step(); ++i) {
    const std::uint64_t at = table.pos + i * entry_bytes;
    const std::uint32_t unwind = sink.number32(at + entry_bytes - 4);
    sink.rva32(at, FieldKind::kPdata);
    if (x86) sink.rva32(at + 4, FieldKind::kPdata);
    if (x86 || unwind % 4 == 0) sink.rva32(at + entry_bytes - 4, FieldKind::kPdata);
    if (x86) unwind_infos.push_back(unwind);
  }
  std::sort(unwind_infos.begin(), unwind_infos.end());
  unwind_infos.erase(std::unique(unwind_infos.begin(), unwind_infos.end()), unwind_infos.end());
  for (const std::uint32_t rva : unwind_infos) {
    std::uint64_t pos = 0;
    if (pos_of_rva(sink, rva, pos) && sink.step()) add_unwind_info(sink, pos);
  }
}

// Sorted RVAs with some bytes of flags behind each.
void add_guard_table(FieldSink& sink, const Table& config, std::uint64_t table_at, std::uint64_t count_at) {
  const std::uint64_t stride = 4 + (sink.number32(config.pos + 144) >> 28);
  std::uint64_t pos = 0;
  if (count_at + 8 > config.size_bytes) return;
  if (!sink.layout().file_pos_of(number_at<std::uint64_t>(sink.file(), config.pos + table_at), pos)) return;
  const std::uint64_t count = number_at<std::uint64_t>(sink.file(), config.pos + count_at);
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) sink.rva32(pos + stride * i, FieldKind::kFunctionStart);
}

}  // namespace

void find_pe_fields(FieldSink& sink) {
  constexpr std::uint64_t kDebugEntryBytes = 28;
  const std::optional<PeHeader> header = read_pe_header(sink.file(), sink.image().file_pos, {});
  if (!header) return;
  const auto table = [&](std::size_t index) { return table_of(sink, header->directories[index]); };
  add_headers(sink, *header);
  add_relocations(sink, table(kPeRelocations));
  if (sink.image().bits64) add_functions(sink, table(kPeExceptions));
  add_exports(sink, table(kPeExports));
  add_imports(sink, table(kPeImports));
  add_delay_imports(sink, table(kPeDelayImports));
  const Table debug = table(kPeDebug);
  for (std::uint64_t at = 0; at + kDebugEntryBytes <= debug.size_bytes && sink.step(); at += kDebugEntryBytes) {
    sink.rva32(debug.pos + at + 20, FieldKind::kLoadCommand);
  }
  if (sink.image().bits64) {
    const Table config = table(kPeLoadConfig);
    add_guard_table(sink, config, 128, 136);  // functions
    add_guard_table(sink, config, 264, 272);  // continuations of exceptions
  }
}

}  // namespace bdelta::exe
