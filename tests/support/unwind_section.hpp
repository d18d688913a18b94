// Bytes of a section __unwind_info of Mach-O with pages of either kind.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "exe/unwind_pages.hpp"

namespace bdelta::test {

struct UnwindSection {
  Bytes bytes;
  std::size_t index_at = 0;  // offsets
  std::size_t pages_at = 0;  // up to the end
};

// Entries and breaks ascend; each break has an entry. Behind the first page are so many bytes that belong to none.
[[nodiscard]] UnwindSection unwind_section(const std::vector<exe::UnwindEntry>& entries,
                                           const std::vector<exe::PageBreak>& breaks,
                                           const std::vector<std::uint32_t>& common_encodings, std::size_t gap_bytes = 0);

}  // namespace bdelta::test
