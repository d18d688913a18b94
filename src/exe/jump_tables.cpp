// Position-independent code of GCC and Clang takes a switch through a table of 32-bit numbers in a data section. It
// loads the address of the table (LEA on x86-64, ADRP and ADD on arm64), reads an entry and adds it to the address.
// Nothing says where such tables are or how long. So each data address that code loads is tried. Its numbers are
// entries as long as they lead into code not far from the instruction. They end at the next address that is loaded.
// Data is rarely mistaken for a table, as the distance from a data section to that code is a number that little else
// has.
#include "exe/jump_tables.hpp"

#include <algorithm>

#include "exe/field_sink.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kReach = std::uint64_t{1} << 20;  // bytes between instruction and target; functions are smaller
constexpr std::size_t kLeastEntries = 2;

// The instruction computes an address, and does not read or write what is there.
bool computes_address(ByteSpan file, const Image& image, const Field& field) {
  constexpr std::uint8_t kLea = 0x8d;
  if (image.machine == Machine::kArm64) return field.form == FieldForm::kArmLow12;
  return image.machine == Machine::kX86_64 && field.form == FieldForm::kRel32 && field.pos - image.file_pos >= 2 &&
         field.kind == FieldKind::kDataReference && number_at<std::uint8_t>(file, field.pos - 2) == kLea;
}

// How many numbers from `pos` on lead to code near `candidate.code`; at most `room` bytes.
std::size_t count_entries(ByteSpan file, const ImageLayout& layout, const TableLoad& load, std::uint64_t pos,
                          std::uint64_t room) {
  std::size_t count = 0;
  for (; (count + 1) * 4 <= room; ++count) {
    const auto number = static_cast<std::int32_t>(number_at<std::uint32_t>(file, pos + 4 * count));
    const std::uint64_t target = load.table + static_cast<std::uint64_t>(std::int64_t{number});
    if (target - load.code + kReach > 2 * kReach) break;
    const Section* section = layout.section_of(target);
    if (section == nullptr || section->kind != SectionKind::kCode) break;
  }
  return count;
}

}  // namespace

bool is_table_load(ByteSpan file, const Image& image, const ImageLayout& layout, const Field& field, TableLoad& load) {
  if (field.target_address % 4 != 0 || !computes_address(file, image, field)) return false;
  const Section* section = layout.section_of(field.target_address);
  load.table = field.target_address;
  return section != nullptr && section->kind == SectionKind::kData && layout.address_of(field.pos, load.code);
}

void keep_first_loads(std::vector<TableLoad>& loads) {
  std::sort(loads.begin(), loads.end(), [](const TableLoad& a, const TableLoad& b) {
    return a.table != b.table ? a.table < b.table : a.code < b.code;
  });
  const auto same = [](const TableLoad& a, const TableLoad& b) { return a.table == b.table; };
  loads.erase(std::unique(loads.begin(), loads.end(), same), loads.end());
}

void find_jump_tables(ByteSpan file, const Image& image, std::span<const TableLoad> loads, FieldBlocks& out,
                      Watch* watch) {
  const ImageLayout layout(image);
  FieldSink sink(file, image, layout, out, watch);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const TableLoad& load = loads[i];
    const Section* section = layout.section_of(load.table);
    std::uint64_t pos = 0;
    if (!layout.file_pos_of(load.table, pos)) continue;
    std::uint64_t room = section->size_bytes - (load.table - section->address);
    if (i + 1 < loads.size()) room = std::min(room, loads[i + 1].table - load.table);
    const std::size_t count = count_entries(file, layout, load, pos, room);
    if (count < kLeastEntries) continue;
    for (std::size_t entry = 0; entry < count; ++entry) {
      sink.offset32(pos + 4 * entry, {pos, load.table}, FieldKind::kJumpTable);
    }
  }
  sink.finish();
  out.settle(watch);
}

}  // namespace bdelta::exe
