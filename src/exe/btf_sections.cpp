#include "exe/btf_sections.hpp"

#include <algorithm>
#include <string_view>

#include "exe/btf.hpp"
#include "exe/elf.hpp"
#include "exe/file_number.hpp"
#include "exe/magic_scan.hpp"

namespace bdelta::exe {
namespace {

constexpr std::string_view kSectionName{".BTF\0", 5};  // with the zero that ends it
constexpr std::uint64_t kMostSections = 4096;          // of an object
constexpr std::uint64_t kMostLookedAt = 1 << 22;       // of a file made of nothing else
constexpr std::uint64_t kMostWalked = 2;               // bytes of lists, in bytes of the file: those that turn out to be none

// Positions of fields in the header and in the table of sections, by the width of addresses.
struct ElfWidth {
  std::uint64_t word_bytes, table_at, entry_bytes_at, entry_bytes;
};
constexpr ElfWidth kWidths[2] = {{4, 32, 46, 40}, {8, 40, 58, 64}};

// A relocatable object at a place of the file, of which nothing else has been looked at.
class Object {
 public:
  Object(ByteSpan file, std::uint64_t pos)
      : file_(file), pos_(pos), width_(kWidths[file[static_cast<std::size_t>(pos) + 4] - 1]) {}

  // Where the section of types begins, or nothing. Adds the sections that were looked at.
  [[nodiscard]] std::optional<std::uint64_t> types_header(std::uint64_t& looked_at) const {
    if (number_at<std::uint16_t>(file_, pos_ + width_.entry_bytes_at) != width_.entry_bytes) return std::nullopt;
    const std::uint64_t count = number_at<std::uint16_t>(file_, pos_ + width_.entry_bytes_at + 2);
    const std::uint64_t names = number_at<std::uint16_t>(file_, pos_ + width_.entry_bytes_at + 4);
    for (std::uint64_t i = 1; i < std::min(count, kMostSections); ++i, ++looked_at) {
      const std::uint64_t name = number_at<std::uint32_t>(file_, entry(i));
      const ByteSpan text = bytes_at(file_, section_pos(names) + name, kSectionName.size());
      if (!text.empty() && std::equal(text.begin(), text.end(), kSectionName.begin(),
                                      [](std::uint8_t a, char b) { return a == static_cast<std::uint8_t>(b); })) {
        return section_pos(i);
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::uint64_t word(std::uint64_t at) const {
    return width_.word_bytes == 8 ? number_at<std::uint64_t>(file_, at) : number_at<std::uint32_t>(file_, at);
  }
  [[nodiscard]] std::uint64_t entry(std::uint64_t i) const {
    return pos_ + word(pos_ + width_.table_at) + i * width_.entry_bytes;
  }
  [[nodiscard]] std::uint64_t section_pos(std::uint64_t i) const {
    return pos_ + word(entry(i) + 8 + 2 * width_.word_bytes);
  }

  ByteSpan file_;
  std::uint64_t pos_;
  ElfWidth width_;
};

// What wraps or leads out of the file reads as zeros, and has no header.
std::vector<std::uint64_t> find_headers(ByteSpan file, Watch* watch) {
  std::vector<std::uint64_t> found;
  std::uint64_t looked_at = 0;
  for (std::size_t pos = 0; pos + 1 < file.size() && looked_at < kMostLookedAt; ++pos) {
    pos += kMagicScan.find(file.data() + pos, file.size() - 1 - pos);
    if (!is_elf_object(file, pos)) continue;
    if (watch) watch->advance();
    if (const auto header = Object(file, pos).types_header(looked_at)) found.push_back(*header);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

std::vector<std::uint64_t> find_btf(ByteSpan file, Watch* watch) {
  std::vector<std::uint64_t> positions;
  std::uint64_t end = 0;
  std::uint64_t walked = 0;
  Pace pace(watch, kBtfPace);
  for (const std::uint64_t pos : find_headers(file, watch)) {
    const auto types = read_btf_header(bytes_at(file, pos, kBtfHeaderBytes), pos, file.size());
    if (!types || pos < end || positions.size() == kMostNumberLists) continue;
    walked += types->size_bytes;
    if (walked > kMostWalked * file.size()) break;
    const ByteSpan list = bytes_at(file, types->pos, types->size_bytes);
    if (!for_each_btf_type(list, [&](std::size_t, ByteSpan) { pace.step(); })) continue;
    positions.push_back(pos);
    end = types->pos + types->size_bytes;
  }
  return positions;
}

}  // namespace bdelta::exe
