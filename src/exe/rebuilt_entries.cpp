#include "exe/rebuilt_entries.hpp"

#include "exe/file_number.hpp"
#include "exe/images.hpp"
#include "exe/listed_entries.hpp"
#include "exe/unwind_pages.hpp"

namespace bdelta::exe {
namespace {

std::uint32_t encoding_of(const NewEntry& entry, const RebuiltTable& table) {
  if (!entry.leads) return static_cast<std::uint32_t>(entry.more);
  const auto offset = static_cast<std::uint32_t>(entry.more - table.base_address);
  return std::uint32_t{entry.flags} << 24 | (offset & kEncodingOffsetMask);
}

// Those common to all pages are OLD's, as they are now.
std::vector<std::uint32_t> new_common_encodings(const RebuildInputs& in, const Predictor& predictor,
                                                const RebuiltTable& table) {
  const Image& old_image = in.source.all[table.old.image];
  const ByteSpan file = up_to_end(in.file, old_image);
  const auto info = read_unwind_info(file, old_image);
  std::vector<std::uint32_t> encodings;
  std::uint64_t old_base = 0;
  if (!info || !base_of(in.source, table.old, old_base)) return encodings;
  for (std::uint32_t i = 0; i < info->common_count; ++i) {
    OldEntry old;
    set_encoding(old, number_at<std::uint32_t>(file, info->common_pos + 4 * std::uint64_t{i}), old_image.machine, old_base);
    NewEntry entry{0, 0, old.more, old.leads != 0, static_cast<std::uint8_t>(old.flags)};
    if (entry.leads) (void)predictor.lead(table.old.image, old.more, table.target_image, entry.more);
    encodings.push_back(encoding_of(entry, table));
  }
  return encodings;
}

void write_mixed_pages(const std::vector<NewEntry>& entries, const RebuildInputs& in, const Predictor& predictor,
                       RebuiltTable& table) {
  constexpr std::uint64_t kMost32 = 0xffffffff;
  const std::uint64_t image_base = in.target.all[table.target_image].base_address;
  std::vector<UnwindEntry> listed;
  listed.reserve(entries.size());
  for (const NewEntry& entry : entries) {
    const std::uint64_t rva = entry.start - image_base;
    if (rva <= kMost32) listed.push_back({static_cast<std::uint32_t>(rva), encoding_of(entry, table)});
  }
  write_unwind_pages(listed, breaks_of(in.breaks, table.target_image), new_common_encodings(in, predictor, table), table.bytes);
}

void write_entry(const NewEntry& entry, const RebuiltTable& table, const Image& image, std::uint8_t* to) {
  if (table.old.kind == SortedTableKind::kRelativeRelocations && has_addends(image.machine)) {
    store_le<std::uint64_t>(to, entry.start);
    store_le<std::uint64_t>(to + 8, relative_relocation_type(image.machine));
    store_le<std::uint64_t>(to + 16, entry.more);
    return;
  }
  const auto store = [&](std::size_t at, std::uint64_t number) {
    store_le<std::uint32_t>(to + at, static_cast<std::uint32_t>(number));
  };
  if (table.old.kind == SortedTableKind::kUnwindPages) {
    store(0, entry.start - image.base_address);
    store(4, encoding_of(entry, table));
    return;
  }
  const auto last = entry_bytes(table.old.kind, image.machine) - 4;
  store(0, entry.start - table.base_address);
  if (last == 8) store(4, entry.end - table.base_address);
  store(last, entry.leads ? entry.more - table.base_address : entry.more);
}

}  // namespace

void write_entries(const std::vector<NewEntry>& entries, const RebuildInputs& in, const Predictor& predictor,
                   RebuiltTable& table) {
  if (table.old.kind == SortedTableKind::kMixedUnwindPages) return write_mixed_pages(entries, in, predictor, table);
  if (table.old.kind == SortedTableKind::kUnwindPages) write_page_heads(entries.size(), table.bytes);
  const Image& image = in.target.all[table.target_image];
  for (std::size_t i = 0; i < entries.size(); ++i) {
    write_entry(entries[i], table, image, table.bytes.data() + entry_at(table.old.kind, image.machine, i));
  }
}

}  // namespace bdelta::exe
