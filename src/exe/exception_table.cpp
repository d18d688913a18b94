// The exception table of one function (LSDA). It has a head, call sites (ranges of code and the action of each) and
// actions (chains of filters). Then come types, which filters count backwards and which end where the head says.
// Numbers are LEB128, whose places move as values change; only the pointers to the types are fields. How many there
// are is not written: it is the largest filter that an action of a call site leads to.
#include <algorithm>

#include "exe/dwarf_pointer.hpp"
#include "exe/leb128.hpp"
#include "exe/table_kernels.hpp"

namespace bdelta::exe {
namespace {

struct ExceptionTable {
  std::uint64_t pos = 0;
  std::uint64_t types_end = 0;  // position behind the first type
  std::uint8_t type_encoding = kDwarfOmitted;
  std::uint64_t type_count = 0;
};

// The largest filter of the chain that begins at `offset` of `actions`. Real chains have a few links.
std::uint64_t largest_filter(ByteSpan actions, std::uint64_t offset, LongNumbers& numbers) {
  constexpr int kMostLinks = 64;
  std::uint64_t largest = 0;
  for (int i = 0; i < kMostLinks && offset < actions.size(); ++i) {
    ByteCursor cursor(actions.subspan(static_cast<std::size_t>(offset)));
    const std::int64_t filter = read_sleb(cursor, &numbers);
    const auto link_at = static_cast<std::uint64_t>(cursor.position() - actions.data());
    const std::int64_t link = read_sleb(cursor, &numbers);
    if (!cursor.ok()) break;
    largest = std::max(largest, filter > 0 ? static_cast<std::uint64_t>(filter) : 0);
    if (link == 0) break;
    offset = link_at + static_cast<std::uint64_t>(link);
  }
  return largest;
}

// Call sites as LEB128 or as numbers of fixed size: begin, length, landing pad; then the action, one more than its
// offset or 0 for none.
std::uint64_t count_types(FieldSink& sink, ByteSpan sites, std::uint8_t encoding, ByteSpan actions,
                          LongNumbers& numbers) {
  const std::uint64_t number_bytes = dwarf_bytes(encoding, sink.image().bits64);
  std::uint64_t largest = 0;
  std::uint64_t last_action = 0;
  ByteCursor cursor(sites);
  while (cursor.available() != 0 && cursor.ok() && sink.step()) {
    for (int i = 0; i < 3; ++i) {
      if (number_bytes == 0) {
        read_uleb(cursor, &numbers);
      } else {
        (void)cursor.bytes(number_bytes);
      }
    }
    const std::uint64_t action = read_uleb(cursor, &numbers);
    if (!cursor.ok()) break;
    if (action != 0 && action != last_action) largest = std::max(largest, largest_filter(actions, action - 1, numbers));
    last_action = action;
  }
  return largest;
}

// Reads the table at the start of `bytes`, which reach to the end of its section.
bool read_table(FieldSink& sink, std::uint64_t pos, ByteSpan bytes, LongNumbers& numbers, ExceptionTable& table) {
  ByteCursor cursor(bytes);
  const std::uint8_t start_encoding = cursor.u8();
  if (start_encoding != kDwarfOmitted) {  // landing pads count from elsewhere
    const std::uint64_t start_bytes = dwarf_bytes(start_encoding, sink.image().bits64);
    if (start_bytes == 0) return false;
    (void)cursor.bytes(start_bytes);
  }
  table.type_encoding = cursor.u8();
  if (table.type_encoding == kDwarfOmitted) return false;
  const std::uint64_t types_distance = read_uleb(cursor, &numbers);
  const auto after_distance = static_cast<std::uint64_t>(cursor.position() - bytes.data());
  const std::uint8_t site_encoding = cursor.u8();
  const std::uint64_t sites_bytes = read_uleb(cursor, &numbers);
  const ByteSpan sites = cursor.bytes(sites_bytes);
  if (!cursor.ok() || !range_fits(after_distance, types_distance, bytes.size())) return false;
  if (site_encoding != kDwarfUleb && dwarf_bytes(site_encoding, sink.image().bits64) == 0) return false;
  const auto actions_at = static_cast<std::size_t>(cursor.position() - bytes.data());
  const std::uint64_t types_end = after_distance + types_distance;
  if (types_end < actions_at) return false;
  const ByteSpan actions = bytes.subspan(actions_at, static_cast<std::size_t>(types_end) - actions_at);
  table.pos = pos;
  table.types_end = pos + types_end;
  table.type_count = count_types(sink, sites, site_encoding, actions, numbers);
  return table.type_count <= actions.size();
}

void add_types(FieldSink& sink, const ExceptionTable& table) {
  const std::uint64_t bytes = dwarf_bytes(table.type_encoding, sink.image().bits64);
  if (bytes == 0 || table.type_count * bytes > table.types_end - table.pos) return;
  for (std::uint64_t i = table.type_count; i > 0 && sink.step(); --i) {
    add_encoded_pointer(sink, table.types_end - i * bytes, table.type_encoding, FieldKind::kExceptionTable);
  }
}

}  // namespace

void find_exception_table_fields(FieldSink& sink, std::vector<std::uint64_t> addresses) {
  std::sort(addresses.begin(), addresses.end());
  std::uint64_t end = 0;  // of the table before; tables don't overlap, so that the work is bounded by their bytes
  for (const std::uint64_t address : addresses) {
    std::uint64_t pos = 0;
    if (!sink.layout().file_pos_of(address, pos) || pos < end || !sink.step()) continue;
    const Section* section = sink.layout().section_of(address);
    ExceptionTable table;
    const ByteSpan bytes = bytes_at(sink.file(), pos, section->file_pos + section->size_bytes - pos);
    if (!read_table(sink, pos, bytes, sink.long_numbers(), table)) continue;
    add_types(sink, table);
    end = table.types_end;
  }
}

}  // namespace bdelta::exe
