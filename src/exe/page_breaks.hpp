// How the target cuts its tables of unwind information into pages: told, as it depends on functions that no cover brings.
// A patch has it if such tables are rebuilt. PREDICTION.md specifies it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "exe/sorted_tables.hpp"
#include "exe/unwind_pages.hpp"

namespace bdelta::exe {

// Of one image.
struct PageBreaks {
  std::uint32_t image = 0;
  std::vector<PageBreak> pages;  // ascending
};

// The lists ascend by image; each has a page at least, and all have at most kMostUnwindPages.
void append_page_breaks(Bytes& to, std::span<const PageBreaks> lists);

struct ReadPageBreaks {
  std::vector<PageBreaks> lists;
  std::size_t size_bytes = 0;  // of what was read
};

// Out of the first of these bytes; what follows them is left alone. kPatchCorrupt if they are nothing that
// append_page_breaks makes.
[[nodiscard]] Result<ReadPageBreaks> parse_page_breaks(ByteSpan bytes);

// How the tables of unwind information are cut that find_sorted_tables gave of this file. Left out are those with more pages
// than a patch tells, and those whose pages are in another order.
[[nodiscard]] std::vector<PageBreaks> find_page_breaks(ByteSpan file, const std::vector<Image>& images,
                                                       std::span<const SortedTable> tables);

// The list of an image, or none of its pages.
[[nodiscard]] std::span<const PageBreak> breaks_of(std::span<const PageBreaks> lists, std::size_t image);

}  // namespace bdelta::exe
