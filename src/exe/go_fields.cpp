// Fields of the tables of Go's runtime, from Go 1.18 on. The pclntab begins with a header that has offsets of its
// parts. These are names of functions, compilation units, files, programs that map code to numbers (pctab), and a
// table of functions. Each entry of that table is the offset of the function in the text and of its record. A record
// is eleven numbers, most of them offsets into those parts, then offsets of tables for the garbage collector. What
// those and the text count from is written in moduledata only (go_module.cpp).
#include <optional>

#include "exe/go_tables.hpp"
#include "exe/table_kernels.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint32_t kMagic118 = 0xfffffff0;
constexpr std::uint32_t kMagic120 = 0xfffffff1;

constexpr std::uint64_t kBucketBytes = 20;  // of an entry of the lookup table
constexpr std::uint8_t kFunctionBytes = 8;  // of an entry of the table of functions
constexpr std::uint8_t kUnitBytes = 4;

// Of a pclntab: eight bytes, then eight words.
std::uint64_t header_bytes(const FieldSink& sink) { return 8 + 8 * Word{sink}.bytes; }

// A pclntab at `pos`: magic, two zero bytes, quantum of instructions, size of a pointer, counts, offsets.
std::optional<GoTables> read_header(const FieldSink& sink, FieldBase start, std::uint64_t size_bytes) {
  const Word word{sink};
  const ByteSpan head = bytes_at(sink.file(), start.pos, header_bytes(sink));
  if (size_bytes < header_bytes(sink) || head.empty()) return std::nullopt;
  const auto magic = load_le<std::uint32_t>(head.data());
  const std::uint8_t quantum = head[6];
  if ((magic != kMagic118 && magic != kMagic120) || head[4] != 0 || head[5] != 0) return std::nullopt;
  if ((quantum != 1 && quantum != 2 && quantum != 4) || head[7] != word.bytes) return std::nullopt;
  GoTables tables;
  tables.start = start;
  tables.size_bytes = size_bytes;
  tables.record_bytes = magic == kMagic118 ? 40 : 44;
  tables.function_count = word.at(start.pos + 8);
  FieldBase* const parts[] = {&tables.names, &tables.units, &tables.files, &tables.programs, &tables.functions};
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const std::uint64_t offset = word.at(start.pos + 8 + (3 + i) * word.bytes);
    if (offset < before || offset > size_bytes) return std::nullopt;
    *parts[i] = {start.pos + offset, start.address + offset};
    before = offset;
  }
  if (tables.function_count == 0 || tables.function_count > (size_bytes - before) / 8) return std::nullopt;
  return tables;
}

// Go's linker gives the pclntab a section of its own, but for PE, and where sections are unknown.
std::optional<GoTables> find_tables(const FieldSink& sink) {
  const Word word{sink};
  const bool own_section = sink.image().format != ImageFormat::kPe && sink.image().sections.size() > 8;
  for (const Section& section : sink.image().sections) {
    if (section.kind != SectionKind::kData || section.size_bytes < header_bytes(sink)) continue;
    const std::uint64_t skipped = (0 - section.address) % word.bytes;
    const std::uint64_t end = own_section ? skipped + 1 : section.size_bytes - header_bytes(sink) + 1;
    const ByteSpan bytes = bytes_at(sink.file(), section.file_pos, section.size_bytes);
    for (std::size_t i = static_cast<std::size_t>(skipped); i < end; i += static_cast<std::size_t>(word.bytes)) {
      // Both magics differ in the lowest bit only; two zero bytes follow.
      if ((load_le<std::uint64_t>(bytes.data() + i) & 0xfffffffffffe) != kMagic118) continue;
      const FieldBase start{section.file_pos + i, section.address + i};
      if (auto tables = read_header(sink, start, section.size_bytes - i)) return tables;
    }
  }
  return std::nullopt;
}

// A list of offsets, each of which may say "none".
void add_offsets(FieldSink& sink, std::uint64_t pos, std::uint64_t count, FieldBase base, std::uint32_t none) {
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    if (sink.number32(pos + 4 * i) != none) sink.offset32(pos + 4 * i, base, FieldKind::kGoTable);
  }
}

// Calls body(position) for each function's record.
template <class Body>
void for_each_record(FieldSink& sink, const GoTables& tables, Body&& body) {
  for (std::uint64_t i = 0; i < tables.function_count && sink.step(); ++i) {
    const std::uint64_t record = sink.number32(tables.functions.pos + 8 * i + 4);
    if (range_fits(tables.functions.pos + record, tables.record_bytes, tables.start.pos + tables.size_bytes)) {
      body(tables.functions.pos + record);
    }
  }
}

// Without lists if they look too long.
GoLists lists_of(const FieldSink& sink, const GoTables& tables, std::uint64_t record) {
  constexpr std::uint64_t kMostLists = 64;
  const GoLists lists{record + tables.record_bytes, sink.number32(record + 28),
                      number_at<std::uint8_t>(sink.file(), record + tables.record_bytes - 1), sink.number32(record)};
  return lists.program_count > kMostLists || lists.data_count > kMostLists ? GoLists{} : lists;
}

// A record has entry, name, size of arguments, return of deferred calls, programs for stack size, file and line, and
// count of programs. Then it has unit, first line (1.20), and flags with the count of tables. These programs and
// tables follow.
void add_function(FieldSink& sink, const GoTables& tables, std::uint64_t at) {
  constexpr std::uint32_t kNone = 0xffffffff;
  if (tables.text.pos != 0) sink.offset32(at, tables.text, FieldKind::kFunctionStart);
  sink.offset32(at + 4, tables.names, FieldKind::kGoTable);
  add_offsets(sink, at + 16, 3, tables.programs, 0);
  sink.entry32(at + 32, tables.units.pos, tables.files.pos - tables.units.pos, kUnitBytes, FieldKind::kGoTable);
  const GoLists lists = lists_of(sink, tables, at);
  add_offsets(sink, lists.programs_pos, lists.program_count, tables.programs, 0);
  if (tables.collector_data.pos != 0) {
    add_offsets(sink, lists.programs_pos + 4 * lists.program_count, lists.data_count, tables.collector_data, kNone);
  }
}

// The tables of all functions, the lookup table, of which each entry begins with the number of a function, and types.
void add_more(FieldSink& sink, const GoTables& tables) {
  if (tables.collector_data.pos != 0) {
    for_each_record(sink, tables, [&](std::uint64_t record) {
      find_go_function_data(sink, tables, lists_of(sink, tables, record));
    });
  }
  for (std::uint64_t i = 0; i < tables.lookup_count && sink.step(); ++i) {
    sink.entry32(tables.lookup.pos + kBucketBytes * i, tables.functions.pos, kFunctionBytes * tables.function_count,
                 kFunctionBytes, FieldKind::kGoTable);
  }
  find_go_type_fields(sink, tables);
}

}  // namespace

void find_go_fields(FieldSink& sink) {
  std::optional<GoTables> tables = find_tables(sink);
  if (!tables) return;
  read_go_module(sink, *tables);
  const std::uint64_t unit_count = (tables->files.pos - tables->units.pos) / 4;
  add_offsets(sink, tables->units.pos, unit_count, tables->files, 0xffffffff);
  // Behind the last function stands the end of the text, without a record.
  for (std::uint64_t i = 0; i <= tables->function_count && sink.step(); ++i) {
    const std::uint64_t at = tables->functions.pos + kFunctionBytes * i;
    if (tables->text.pos != 0) sink.offset32(at, tables->text, FieldKind::kFunctionStart);
    if (i < tables->function_count) sink.offset32(at + 4, tables->functions, FieldKind::kGoTable);
  }
  for_each_record(sink, *tables, [&](std::uint64_t record) { add_function(sink, *tables, record); });
  add_more(sink, *tables);
}

}  // namespace bdelta::exe
