#include "exe/section_names.hpp"

#include <algorithm>

#include "exe/elf.hpp"
#include "exe/file_number.hpp"
#include "exe/macho.hpp"
#include "exe/pe.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint32_t kMostNameBytes = 255;
constexpr std::uint64_t kPeEntryBytes = 40;

// Up to the first zero byte, or the end of what there is.
std::string name_at(ByteSpan file, std::uint64_t pos, std::uint64_t most_bytes) {
  if (pos >= file.size()) return {};
  const ByteSpan field = file.subspan(static_cast<std::size_t>(pos)).first(
      static_cast<std::size_t>(std::min<std::uint64_t>(most_bytes, file.size() - pos)));
  return {field.begin(), std::find(field.begin(), field.end(), std::uint8_t{0})};
}

// Names stand in a section of their own, which the header names.
void add_elf(ByteSpan file, const Image& image, std::vector<NamedSection>& sections) {
  const auto header = read_elf_header(file, image.file_pos, {});
  if (!header) return;
  const std::uint64_t pos = image.file_pos;
  const bool wide = header->bits64;
  const std::uint64_t table_pos = pos + (wide ? number_at<std::uint64_t>(file, pos + 0x28) : number_at<std::uint32_t>(file, pos + 0x20));
  const std::uint64_t entry_bytes = number_at<std::uint16_t>(file, pos + (wide ? 0x3a : 0x2e));
  const std::uint64_t names_number = number_at<std::uint16_t>(file, pos + (wide ? 0x3e : 0x32));
  const std::uint64_t names_entry = table_pos + names_number * entry_bytes;
  const std::uint64_t names_pos =
      pos + (wide ? number_at<std::uint64_t>(file, names_entry + 0x18) : number_at<std::uint32_t>(file, names_entry + 0x10));
  for (const ElfSection& section : header->sections) {
    if (section.type == kShtNobits) continue;
    const std::uint64_t name_pos = names_pos + number_at<std::uint32_t>(file, table_pos + section.number * entry_bytes);
    sections.push_back({name_at(file, name_pos, kMostNameBytes), section.file_pos, section.size_bytes});
  }
}

void add_pe(ByteSpan file, const Image& image, std::vector<NamedSection>& sections) {
  const auto header = read_pe_header(file, image.file_pos, {});
  if (!header) return;
  for (std::size_t i = 0; i < header->section_count; ++i) {
    const std::uint64_t entry = header->sections_pos + i * kPeEntryBytes;
    sections.push_back({name_at(file, entry, 8), image.file_pos + number_at<std::uint32_t>(file, entry + 20),
                        number_at<std::uint32_t>(file, entry + 16)});
  }
}

void add_macho(ByteSpan file, const Image& image, std::vector<NamedSection>& sections) {
  const auto header = read_macho_header(file, image.file_pos, {});
  if (!header) return;
  for (const MachoSection& section : header->sections) {
    sections.push_back({name_at(file, section.entry_pos + 16, 16) + "," + name_at(file, section.entry_pos, 16), section.file_pos,
                        section.size_bytes});
  }
}

}  // namespace

std::vector<NamedSection> name_sections(ByteSpan file, const Image& image) {
  std::vector<NamedSection> sections;
  if (image.format == ImageFormat::kElf) add_elf(file, image, sections);
  if (image.format == ImageFormat::kPe) add_pe(file, image, sections);
  if (image.format == ImageFormat::kMachO) add_macho(file, image, sections);
  const std::uint64_t image_end = image.file_pos + image.size_bytes;
  std::erase_if(sections, [&](const NamedSection& section) {
    return section.size_bytes == 0 || section.file_pos < image.file_pos || section.file_pos > image_end ||
           section.size_bytes > image_end - section.file_pos;
  });
  std::stable_sort(sections.begin(), sections.end(), [](const auto& a, const auto& b) { return a.file_pos < b.file_pos; });
  std::uint64_t end = 0;
  std::erase_if(sections, [&](const NamedSection& section) {
    if (section.file_pos < end) return true;
    end = section.file_pos + section.size_bytes;
    return false;
  });
  return sections;
}

}  // namespace bdelta::exe
