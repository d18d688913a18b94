#include "exe/toy.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "exe/file_number.hpp"
#include "exe/layout.hpp"

namespace bdelta::exe {
namespace {

constexpr std::size_t kLongestLine = 64;

// Takes a line off `text` without its line feed; false if there is none within kLongestLine.
bool take_line(std::string_view& text, std::string_view& line) {
  const std::size_t end = text.substr(0, kLongestLine).find('\n');
  if (end == std::string_view::npos) return false;
  line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return true;
}

bool take_word(std::string_view& line, std::string_view& word) {
  const std::size_t end = std::min(line.find(' '), line.size());
  word = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return !word.empty();
}

bool take_number(std::string_view& line, std::uint64_t& number) {
  std::string_view word;
  if (!take_word(line, word)) return false;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number, 16);
  return error == std::errc() && stop == word.data() + word.size();
}

bool parse_section(std::string_view line, Section& section) {
  std::string_view word;
  if (!take_word(line, word)) return false;
  if (word != "code" && word != "data" && word != "unbacked") return false;
  section.kind = word == "code" ? SectionKind::kCode : word == "data" ? SectionKind::kData : SectionKind::kUnbacked;
  if (!take_number(line, section.address) || !take_number(line, section.memory_bytes) || !line.empty()) return false;
  section.size_bytes = section.kind == SectionKind::kUnbacked ? 0 : section.memory_bytes;
  return true;
}

}  // namespace

bool detect_toy(ByteSpan file, std::uint64_t pos) noexcept {
  const ByteSpan head = bytes_at(file, pos, kToyMagic.size());
  return !head.empty() && std::equal(kToyMagic.begin(), kToyMagic.end(), head.begin());
}

std::optional<Image> parse_toy(ByteSpan file, std::uint64_t pos, const ImageLimits& limits) {
  if (!detect_toy(file, pos)) return std::nullopt;
  std::string_view text(reinterpret_cast<const char*>(file.data()) + pos, file.size() - static_cast<std::size_t>(pos));
  text.remove_prefix(kToyMagic.size());
  Image image;
  image.format = ImageFormat::kToy;
  image.machine = Machine::kToy;
  image.file_pos = pos;
  std::string_view line;
  while (take_line(text, line) && line != "end") {
    Section section;
    if (image.sections.size() == limits.section_count || !parse_section(line, section)) return std::nullopt;
    image.sections.push_back(section);
  }
  if (line != "end") return std::nullopt;
  std::uint64_t at = file.size() - text.size();
  for (Section& section : image.sections) {
    section.file_pos = section.size_bytes != 0 ? at : 0;
    if (!range_fits(at, section.size_bytes, file.size())) return std::nullopt;
    at += section.size_bytes;
  }
  image.size_bytes = at - pos;
  const std::size_t count = image.sections.size();
  settle_sections(image.sections, pos, pos + image.size_bytes);
  if (count == 0 || image.sections.size() != count) return std::nullopt;  // by hand: nothing is dropped in silence
  return image;
}

}  // namespace bdelta::exe
