#include "exe/unwind_pages.hpp"

#include <algorithm>

#include "exe/file_number.hpp"
#include "exe/sorted_tables.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kInfoHeadBytes = 28;
constexpr std::uint64_t kIndexEntryBytes = 12;  // function, page, list of exception tables
constexpr std::uint32_t kRegular = kUnwindPageKind, kCompressed = kCompressedPageKind;
constexpr std::uint32_t kRegularHeadBytes = kUnwindPageHeadBytes, kCompressedHeadBytes = 12;
constexpr std::uint32_t kMostEncodings = 256;  // that 8 bits can number

std::uint32_t head_bytes(bool is_compressed) { return is_compressed ? kCompressedHeadBytes : kRegularHeadBytes; }
std::uint32_t page_entry_bytes(bool is_compressed) { return is_compressed ? 4 : 8; }

std::uint64_t bytes_of(const UnwindPage& page) {
  return head_bytes(page.begin.is_compressed) +
         std::uint64_t{page.entry_count} * page_entry_bytes(page.begin.is_compressed) + 4 * std::uint64_t{page.own_count};
}

// Without gaps: the head is followed by the entries, these by the page's own encodings.
bool read_page(ByteSpan file, UnwindPage& page) {
  const std::uint32_t kind = number_at<std::uint32_t>(file, page.pos);
  if (kind != kRegular && kind != kCompressed) return false;
  page.begin.is_compressed = kind == kCompressed;
  page.entry_count = number_at<std::uint16_t>(file, page.pos + 6);
  if (page.entry_count == 0) return false;
  if (number_at<std::uint16_t>(file, page.pos + 4) != head_bytes(page.begin.is_compressed)) return false;
  if (!page.begin.is_compressed) return true;
  page.own_count = number_at<std::uint16_t>(file, page.pos + 10);
  return number_at<std::uint16_t>(file, page.pos + 8) == kCompressedHeadBytes + 4 * page.entry_count;
}

// Numbers encodings: the common ones first, then others as they come.
class EncodingNumbers {
 public:
  explicit EncodingNumbers(std::span<const std::uint32_t> common) : all_(common.begin(), common.end()), common_(common) {}

  void begin_page() { all_.resize(common_.size()); }
  // The last number for each one that there is none left for.
  [[nodiscard]] std::uint32_t number_of(std::uint32_t encoding) {
    const auto found = std::find(all_.begin(), all_.end(), encoding);
    const auto number = static_cast<std::uint32_t>(found - all_.begin());
    if (found != all_.end()) return number;
    if (number == kMostEncodings) return kMostEncodings - 1;
    all_.push_back(encoding);
    return number;
  }
  [[nodiscard]] std::span<const std::uint32_t> own() const { return std::span(all_).subspan(common_.size()); }

 private:
  std::vector<std::uint32_t> all_;
  std::span<const std::uint32_t> common_;
};

Bytes page_bytes(std::span<const UnwindEntry> entries, const PageBreak& begin, EncodingNumbers& numbers) {
  Bytes bytes;
  const auto put16 = [&](std::uint64_t number) { append_le(bytes, static_cast<std::uint16_t>(number)); };
  const auto put32 = [&](std::uint32_t number) { append_le(bytes, number); };
  put32(begin.is_compressed ? kCompressed : kRegular);
  put16(head_bytes(begin.is_compressed));
  put16(entries.size());
  if (!begin.is_compressed) {
    for (const UnwindEntry& entry : entries) {
      put32(entry.rva);
      put32(entry.encoding);
    }
    return bytes;
  }
  numbers.begin_page();
  Bytes words;
  for (const UnwindEntry& entry : entries) {
    append_le(words, numbers.number_of(entry.encoding) << 24 | ((entry.rva - begin.rva) & 0xffffff));
  }
  put16(kCompressedHeadBytes + words.size());
  put16(numbers.own().size());
  append(bytes, words);
  for (const std::uint32_t encoding : numbers.own()) put32(encoding);
  return bytes;
}

}  // namespace

std::optional<UnwindInfo> read_unwind_info(ByteSpan file, const MachoHeader& header) {
  const MachoSection* const section = find_section(file, header, "__unwind_info");
  if (section == nullptr || section->size_bytes < kInfoHeadBytes) return std::nullopt;
  if (!range_fits(section->file_pos, section->size_bytes, file.size())) return std::nullopt;
  const std::uint64_t section_end = section->file_pos + section->size_bytes;
  const auto word = [&](std::uint64_t at) { return number_at<std::uint32_t>(file, section->file_pos + at); };
  UnwindInfo info;
  info.common_pos = section->file_pos + word(4);
  info.common_count = word(8);
  const std::uint64_t index_at = word(20);
  const std::uint64_t index_count = word(24);
  if (info.common_count > kMostEncodings || !range_fits(word(4), 4 * std::uint64_t{info.common_count}, section->size_bytes) ||
      index_count < 2 || index_count - 1 > kMostUnwindPages ||
      !range_fits(index_at, kIndexEntryBytes * index_count, section->size_bytes)) {
    return std::nullopt;
  }
  for (std::uint64_t i = 0; i + 1 < index_count; ++i) {
    const std::uint64_t at = index_at + kIndexEntryBytes * i;
    UnwindPage page{section->file_pos + word(at + 4), {word(at), false}};
    if (page.pos < info.end_pos || !read_page(file, page)) return std::nullopt;
    if (i == 0) info.begin_pos = page.pos;
    info.end_pos = page.pos + bytes_of(page);
    if (info.end_pos > section_end) return std::nullopt;
    info.pages.push_back(page);
  }
  return info;
}

std::optional<UnwindInfo> read_unwind_info(ByteSpan file, const Image& image) {
  const auto header = read_macho_header(file, image.file_pos, {});
  return header ? read_unwind_info(file, *header) : std::nullopt;
}

UnwindEntry unwind_entry(ByteSpan file, const UnwindInfo& info, const UnwindPage& page, std::uint32_t i) {
  const std::uint64_t entries = page.pos + head_bytes(page.begin.is_compressed);
  const auto word = [&](std::uint64_t pos) { return number_at<std::uint32_t>(file, pos); };
  if (!page.begin.is_compressed) {
    const std::uint64_t at = entries + 8 * std::uint64_t{i};
    return {word(at), word(at + 4)};
  }
  const std::uint32_t entry = word(entries + 4 * std::uint64_t{i});
  const std::uint32_t number = entry >> 24;
  UnwindEntry found{page.begin.rva + (entry & 0xffffff), 0};
  if (number < info.common_count) {
    found.encoding = word(info.common_pos + 4 * std::uint64_t{number});
  } else if (number - info.common_count < page.own_count) {
    found.encoding = word(entries + 4 * (std::uint64_t{page.entry_count} + number - info.common_count));
  }
  return found;
}

void write_unwind_pages(std::span<const UnwindEntry> entries, std::span<const PageBreak> breaks,
                        std::span<const std::uint32_t> common_encodings, MutableByteSpan table) {
  std::fill(table.begin(), table.end(), std::uint8_t{0});
  const auto first_from = [&](std::uint32_t rva) {
    return std::partition_point(entries.begin(), entries.end(), [&](const UnwindEntry& entry) { return entry.rva < rva; });
  };
  EncodingNumbers numbers(common_encodings);
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    const auto begin = first_from(breaks[i].rva);
    const auto end = i + 1 < breaks.size() ? first_from(breaks[i + 1].rva) : entries.end();
    if (begin == end) continue;
    const Bytes bytes = page_bytes({begin, end}, breaks[i], numbers);
    if (bytes.size() > table.size()) return;
    std::copy(bytes.begin(), bytes.end(), table.begin());
    table = table.subspan(bytes.size());
  }
}

}  // namespace bdelta::exe
