// Two of the tables that Go (1.20 and later) keeps for a function. The tree of inlined calls has four numbers a call, the
// second being the name of the called function. How many there are is not written: the third of the function's programs
// says for each stretch of code which call it belongs to, and the largest number counts. The list of objects on the stack
// begins with its length (a word); the fourth number of each leads to a mask for the collector.
#include <algorithm>

#include "exe/go_tables.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kCallsProgram = 2;
constexpr std::uint64_t kStackObjects = 2;
constexpr std::uint64_t kInlinedCalls = 3;
constexpr std::uint64_t kEntryBytes = 16;  // of either table
constexpr std::uint32_t kNone = 0xffffffff;


// At most five bytes, as in Go.
std::uint32_t read_varint(const FieldSink& sink, std::uint64_t& pos) {
  std::uint32_t number = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    const auto byte = number_at<std::uint8_t>(sink.file(), pos++);
    number |= static_cast<std::uint32_t>(byte & 127) << shift;
    if (byte < 128) break;
  }
  return number;
}

// Runs a program: pairs of a change of the value, which begins at -1, and a distance of code. A change of 0 ends it, but for
// the first.
std::int32_t largest_value(FieldSink& sink, std::uint64_t pos) {
  std::uint32_t value = 0xffffffff;
  std::int32_t largest = -1;
  for (bool first = true; sink.step(); first = false) {
    const std::uint32_t change = read_varint(sink, pos);
    if (change == 0 && !first) break;
    value += change >> 1 ^ (0 - (change & 1));
    largest = std::max(largest, static_cast<std::int32_t>(value));
    read_varint(sink, pos);
  }
  return largest;
}

// Position of one of the function's tables, or 0.
std::uint64_t table_pos(const FieldSink& sink, const GoTables& tables, const GoLists& lists, std::uint64_t index) {
  if (index >= lists.data_count) return 0;
  const std::uint32_t offset = sink.number32(lists.programs_pos + 4 * (lists.program_count + index));
  return offset == kNone ? 0 : tables.collector_data.pos + offset;
}

void add_column(FieldSink& sink, std::uint64_t pos, std::uint64_t count, FieldBase base) {
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    sink.offset32(pos + kEntryBytes * i, base, FieldKind::kGoTable);
  }
}

// Where in the code of the function each call was inlined.
void add_call_places(FieldSink& sink, const GoTables& tables, std::uint64_t entry, std::uint64_t pos, std::uint64_t count) {
  if (tables.text.pos == 0) return;
  add_column(sink, pos, count, {tables.text.pos + entry, tables.text.address + entry});
}

}  // namespace

void find_go_function_data(FieldSink& sink, const GoTables& tables, const GoLists& lists) {
  if (const std::uint64_t calls = table_pos(sink, tables, lists, kInlinedCalls); calls != 0) {
    const std::uint32_t program =
        lists.program_count > kCallsProgram ? sink.number32(lists.programs_pos + 4 * kCallsProgram) : 0;
    if (program != 0) {
      const std::int64_t last = largest_value(sink, tables.programs.pos + program);
      add_column(sink, calls + 4, static_cast<std::uint64_t>(last + 1), tables.names);
      add_call_places(sink, tables, lists.entry, calls + 8, static_cast<std::uint64_t>(last + 1));
    }
  }
  const std::uint64_t objects = table_pos(sink, tables, lists, kStackObjects);
  if (objects != 0 && tables.read_only.pos != 0) {
    const Word word{sink};
    add_column(sink, objects + word.bytes + 12, word.at(objects), tables.read_only);
  }
}

}  // namespace bdelta::exe
