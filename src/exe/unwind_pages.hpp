// The pages of Mach-O's __unwind_info, which lists for each function how it is unwound, as 32 bits, its encoding. A page
// is regular or compressed. Entries of a regular one are a function and an encoding. An entry of a compressed one has 24
// bits that tell how far the function lies behind the first one of the page, and 8 that number an encoding. Numbers
// count the encodings common to all pages, then the page's own, which stand behind its entries in the order of their
// use. Linkers choose for each page what holds more functions.
//
// So one function more changes all pages behind it, and what a compressed entry says depends on the page that it is in.
// Which functions the pages of NEW begin with cannot be predicted; a patch tells that (page_breaks.hpp), and then the pages
// can be made anew like other sorted tables (rebuilt_tables.hpp). PREDICTION.md specifies it.
//
// Source: Apple's mach-o/compact_unwind_encoding.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "exe/macho.hpp"

namespace bdelta::exe {

// Of an image; beyond that its pages are not looked at.
inline constexpr std::size_t kMostUnwindPages = std::size_t{1} << 16;

// Where a page begins, and of which kind it is.
struct PageBreak {
  std::uint32_t rva = 0;  // of the first function
  bool is_compressed = false;
  bool operator==(const PageBreak&) const = default;
};

struct UnwindPage {
  std::uint64_t pos = 0;  // of its head in the file
  PageBreak begin;
  std::uint32_t entry_count = 0;
  std::uint32_t own_count = 0;  // of encodings, behind the entries
};

struct UnwindInfo {
  std::uint64_t common_pos = 0;  // of the encodings common to all pages
  std::uint32_t common_count = 0;
  std::uint64_t begin_pos = 0;  // of the first page
  std::uint64_t end_pos = 0;    // of the last one
  std::vector<UnwindPage> pages;  // ascending and disjoint
};

struct UnwindEntry {
  std::uint32_t rva = 0;
  std::uint32_t encoding = 0;
};

// Nothing if the image has no such section, or pages that are not as linkers write them, each with an entry or more.
[[nodiscard]] std::optional<UnwindInfo> read_unwind_info(ByteSpan file, const MachoHeader& header);
[[nodiscard]] std::optional<UnwindInfo> read_unwind_info(ByteSpan file, const Image& image);

// Of a page of the file. An encoding that the page has not is 0.
[[nodiscard]] UnwindEntry unwind_entry(ByteSpan file, const UnwindInfo& info, const UnwindPage& page, std::uint32_t i);

// Writes pages one behind the other, of the entries that lie from each break to the next; breaks and entries ascend. Pages
// without entries are left out, and so is the first one that there is no room for, with all that follow.
void write_unwind_pages(std::span<const UnwindEntry> entries, std::span<const PageBreak> breaks,
                        std::span<const std::uint32_t> common_encodings, MutableByteSpan table);

}  // namespace bdelta::exe
