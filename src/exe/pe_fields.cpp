// Fields of PE: headers and directories, base relocations with the words they change, imports and exports, tables of
// valid targets of indirect calls. What unwinding needs is in pe_exceptions.cpp.
#include <utility>

#include "exe/pe_tables.hpp"

namespace bdelta::exe {
namespace {

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
void add_relocations(FieldSink& sink, const PeTable& table) {
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
  each_block([&](std::uint64_t at, std::uint64_t) { sink.rva32(at, FieldKind::kRelocationOffset); });
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

void add_exports(FieldSink& sink, const PeTable& table) {
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

void add_imports(FieldSink& sink, const PeTable& table) {
  for (std::uint64_t at = table.pos; at + 20 <= table.pos + table.size_bytes && sink.step(); at += 20) {
    if (sink.number32(at + 12) == 0) return;
    for (const std::uint64_t offset : {0u, 12u, 16u}) sink.rva32(at + offset, FieldKind::kImportExport);
    add_thunks(sink, sink.number32(at));
    add_thunks(sink, sink.number32(at + 16));
  }
}

void add_delay_imports(FieldSink& sink, const PeTable& table) {
  constexpr std::uint32_t kOfRvas = 1;
  for (std::uint64_t at = table.pos; at + 32 <= table.pos + table.size_bytes && sink.step(); at += 32) {
    if (sink.number32(at + 4) == 0 || sink.number32(at) != kOfRvas) return;
    for (std::uint64_t offset = 4; offset < 28; offset += 4) sink.rva32(at + offset, FieldKind::kImportExport);
    add_thunks(sink, sink.number32(at + 16));
  }
}

// Sorted RVAs with some bytes of flags behind each.
void add_guard_table(FieldSink& sink, const PeTable& config, std::uint64_t table_at, std::uint64_t count_at) {
  const std::uint64_t stride = 4 + (sink.number32(config.pos + 144) >> 28);
  std::uint64_t pos = 0;
  if (count_at + 8 > config.size_bytes) return;
  if (!sink.layout().file_pos_of(number_at<std::uint64_t>(sink.file(), config.pos + table_at), pos)) return;
  const std::uint64_t count = number_at<std::uint64_t>(sink.file(), config.pos + count_at);
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) sink.rva32(pos + stride * i, FieldKind::kFunctionStart);
}

// Where Microsoft's compiler put accesses to volatile memory, and the code in which it noted all of them: RVAs, and RVAs
// with sizes.
void add_volatile_metadata(FieldSink& sink, const PeTable& config) {
  constexpr std::uint64_t kPointerAt = 256;
  std::uint64_t pos = 0;
  if (kPointerAt + 8 > config.size_bytes) return;
  if (!sink.layout().file_pos_of(sink.number64(config.pos + kPointerAt), pos)) return;
  for (const auto& [table_at, entry_bytes] : {std::pair<std::uint64_t, std::uint64_t>{8, 4}, {16, 8}}) {
    std::uint64_t at = 0;
    sink.rva32(pos + table_at, FieldKind::kFunctionStart);
    if (!pos_of_rva(sink, sink.number32(pos + table_at), at)) continue;
    const std::uint64_t count = sink.number32(pos + table_at + 4) / entry_bytes;
    for (std::uint64_t i = 0; i < count && sink.step(); ++i) sink.rva32(at + entry_bytes * i, FieldKind::kFunctionStart);
  }
}

}  // namespace

void find_pe_fields(FieldSink& sink) {
  constexpr std::uint64_t kDebugEntryBytes = 28;
  const std::optional<PeHeader> header = read_pe_header(sink.file(), sink.image().file_pos, {});
  if (!header) return;
  const auto table = [&](std::size_t index) { return table_of(sink, header->directories[index]); };
  add_headers(sink, *header);
  add_relocations(sink, table(kPeRelocations));
  if (sink.image().bits64) find_pe_exception_fields(sink, table(kPeExceptions));
  add_exports(sink, table(kPeExports));
  add_imports(sink, table(kPeImports));
  add_delay_imports(sink, table(kPeDelayImports));
  const PeTable debug = table(kPeDebug);
  for (std::uint64_t at = 0; at + kDebugEntryBytes <= debug.size_bytes && sink.step(); at += kDebugEntryBytes) {
    sink.rva32(debug.pos + at + 20, FieldKind::kLoadCommand);
  }
  if (sink.image().bits64) {
    const PeTable config = table(kPeLoadConfig);
    add_guard_table(sink, config, 128, 136);  // functions
    add_guard_table(sink, config, 264, 272);  // continuations of exceptions
    add_volatile_metadata(sink, config);
  }
}

}  // namespace bdelta::exe
