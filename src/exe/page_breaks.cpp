//   lists:   count, lists
//   list:    number of the image - number of the one before - 1, of the first one its number; count of pages, pages
//   page:    (its first function's RVA - that of the page before, of the first one 0) * 2 + compressed
#include "exe/page_breaks.hpp"

#include <algorithm>
#include <string>

#include "base/byte_cursor.hpp"
#include "exe/images.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kLastStart = 0xffffffff;

Error bad_breaks(const char* what) {
  return {ErrorCode::kPatchCorrupt, std::string("pages of unwind information: ") + what + "; fetch the patch again"};
}

}  // namespace

void append_page_breaks(Bytes& to, std::span<const PageBreaks> lists) {
  append_varint(to, lists.size());
  std::uint32_t next = 0;
  for (const PageBreaks& list : lists) {
    append_varint(to, list.image - next);
    next = list.image + 1u;
    append_varint(to, list.pages.size());
    std::uint64_t before = 0;
    for (const PageBreak& page : list.pages) {
      append_varint(to, (page.rva - before) * 2 + (page.is_compressed ? 1 : 0));
      before = page.rva;
    }
  }
}

Result<ReadPageBreaks> parse_page_breaks(ByteSpan bytes) {
  constexpr std::uint64_t kMostImages = std::uint64_t{1} << 32;
  ByteCursor from(bytes);
  const std::uint64_t list_count = from.varint();
  if (!from.ok() || list_count > kMostUnwindPages) return bad_breaks("expected at most 65,536 lists, found more");
  ReadPageBreaks read;
  std::uint64_t next = 0;
  std::uint64_t room = kMostUnwindPages;
  for (std::uint64_t i = 0; i < list_count; ++i) {
    const std::uint64_t gap = from.varint();
    const std::uint64_t page_count = from.varint();
    if (!from.ok() || gap >= kMostImages - next) {
      return bad_breaks("expected the number of an image below 2^32, found a higher one");
    }
    if (page_count == 0 || page_count > room) return bad_breaks("expected 1 to 65,536 pages in all, found none or more");
    room -= page_count;
    PageBreaks list{static_cast<std::uint32_t>(next + gap), {}};
    next += gap + 1;
    std::uint64_t rva = 0;
    for (std::uint64_t page = 0; page < page_count; ++page) {
      const std::uint64_t gap_and_form = from.varint();
      if (!from.ok() || gap_and_form / 2 > kLastStart - rva) {
        return bad_breaks("expected functions below 2^32, found none or a higher one");
      }
      rva += gap_and_form / 2;
      list.pages.push_back({static_cast<std::uint32_t>(rva), gap_and_form % 2 != 0});
    }
    read.lists.push_back(std::move(list));
  }
  read.size_bytes = bytes.size() - from.available();
  return read;
}

std::vector<PageBreaks> find_page_breaks(ByteSpan file, const std::vector<Image>& images, std::span<const SortedTable> tables) {
  const auto begins_before = [](const UnwindPage& a, const UnwindPage& b) { return a.begin.rva < b.begin.rva; };
  std::vector<PageBreaks> lists;
  std::size_t room = kMostUnwindPages;
  for (const SortedTable& table : tables) {
    if (!is_same_table(table.kind, SortedTableKind::kMixedUnwindPages)) continue;
    const ByteSpan bytes = up_to_end(file, images[table.image]);
    const auto info = read_unwind_info(bytes, images[table.image]);
    if (!info || info->pages.size() > room) continue;
    if (!std::is_sorted(info->pages.begin(), info->pages.end(), begins_before)) continue;
    room -= info->pages.size();
    PageBreaks& list = lists.emplace_back(PageBreaks{table.image, {}});
    for (const UnwindPage& page : info->pages) list.pages.push_back(page.begin);
  }
  return lists;
}

std::span<const PageBreak> breaks_of(std::span<const PageBreaks> lists, std::size_t image) {
  const auto found = std::find_if(lists.begin(), lists.end(), [&](const PageBreaks& list) { return list.image == image; });
  return found != lists.end() ? std::span<const PageBreak>(found->pages) : std::span<const PageBreak>();
}

}  // namespace bdelta::exe
