#include "support/unwind_section.hpp"

#include "support/exe_craft.hpp"

namespace bdelta::test {
namespace {

constexpr std::size_t kHeadBytes = 28, kIndexEntryBytes = 12;

// Of the page that begins with these bytes.
std::size_t page_bytes(const std::uint8_t* head, bool is_compressed) {
  if (is_compressed) return load_le<std::uint16_t>(head + 8) + std::size_t{4} * load_le<std::uint16_t>(head + 10);
  return 8 + std::size_t{8} * load_le<std::uint16_t>(head + 6);
}

}  // namespace

UnwindSection unwind_section(const std::vector<exe::UnwindEntry>& entries, const std::vector<exe::PageBreak>& breaks,
                             const std::vector<std::uint32_t>& common_encodings, std::size_t gap_bytes) {
  Bytes pages(entries.size() * 8 + 16 * breaks.size());
  exe::write_unwind_pages(entries, breaks, common_encodings, pages);
  UnwindSection section;
  section.index_at = kHeadBytes + 4 * common_encodings.size();
  section.pages_at = section.index_at + kIndexEntryBytes * (breaks.size() + 1);
  CraftedBytes out;
  out.put32(0, 1).put32(4, kHeadBytes).put32(8, common_encodings.size());
  out.put32(20, section.index_at).put32(24, breaks.size() + 1);
  for (std::size_t i = 0; i < common_encodings.size(); ++i) out.put32(kHeadBytes + 4 * i, common_encodings[i]);
  out.grow_to(section.pages_at);
  std::size_t at = 0;
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    const std::size_t page_at = section.pages_at + at + (i == 0 ? 0 : gap_bytes);
    const std::size_t bytes = page_bytes(pages.data() + at, breaks[i].is_compressed);
    out.put32(section.index_at + kIndexEntryBytes * i, breaks[i].rva).put32(section.index_at + kIndexEntryBytes * i + 4, page_at);
    out.put_bytes(page_at, ByteSpan(pages).subspan(at, bytes));
    at += bytes;
  }
  section.bytes = out.take();
  return section;
}

}  // namespace bdelta::test
