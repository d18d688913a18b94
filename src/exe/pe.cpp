#include "exe/pe.hpp"

#include <algorithm>

#include "exe/file_number.hpp"
#include "exe/layout.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kDosHeaderBytes = 64;
constexpr std::uint64_t kCoffHeaderBytes = 24;  // signature included
constexpr std::uint64_t kSectionEntryBytes = 40;
constexpr std::uint16_t kMagic32 = 0x10b;
constexpr std::uint16_t kMagic64 = 0x20b;
constexpr std::uint32_t kContainsCode = 0x20;
constexpr std::uint32_t kExecutable = 0x20000000;

Machine machine_of(std::uint16_t number) {
  switch (number) {
    case 0x8664: return Machine::kX86_64;
    case 0x14c: return Machine::kX86_32;
    case 0xaa64: return Machine::kArm64;
    case 0x1c4: return Machine::kArm32;
    default: return Machine::kNone;
  }
}

// Of "PE\0\0" in the file; false if it is not there.
bool find_signature(ByteSpan file, std::uint64_t pos, std::uint64_t& signature_pos) noexcept {
  if (bytes_at(file, pos, kDosHeaderBytes).empty()) return false;
  signature_pos = pos + number_at<std::uint32_t>(file, pos + 60);
  return signature_pos >= pos + 4 && number_at<std::uint32_t>(file, signature_pos) == 0x4550;
}

void read_directories(ByteSpan file, PeHeader& header, std::uint64_t optional_bytes) {
  const std::uint64_t count_pos = header.optional_pos + (header.bits64 ? 108 : 92);
  const std::uint64_t fixed_bytes = header.bits64 ? 112 : 96;
  const std::uint64_t room = (optional_bytes - fixed_bytes) / 8;
  const std::uint64_t count = std::min({std::uint64_t{number_at<std::uint32_t>(file, count_pos)}, room,
                                        std::uint64_t{kPeDirectoryCount}});
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t at = header.optional_pos + fixed_bytes + 8 * i;
    header.directories[i] = {at, number_at<std::uint32_t>(file, at), number_at<std::uint32_t>(file, at + 4)};
  }
}

Section read_section(ByteSpan file, std::uint64_t at, std::uint64_t image_pos, std::uint64_t image_base) {
  const std::uint64_t virtual_bytes = number_at<std::uint32_t>(file, at + 8);
  const std::uint64_t raw_bytes = number_at<std::uint32_t>(file, at + 16);
  const std::uint64_t raw_offset = number_at<std::uint32_t>(file, at + 20);
  const std::uint32_t flags = number_at<std::uint32_t>(file, at + 36);
  Section section;
  section.address = image_base + number_at<std::uint32_t>(file, at + 12);
  section.memory_bytes = virtual_bytes != 0 ? virtual_bytes : raw_bytes;
  section.size_bytes = raw_offset != 0 ? std::min(raw_bytes, section.memory_bytes) : 0;
  section.file_pos = section.size_bytes != 0 ? image_pos + raw_offset : 0;
  const bool code = (flags & (kContainsCode | kExecutable)) != 0;
  section.kind = section.size_bytes == 0 ? SectionKind::kUnbacked : code ? SectionKind::kCode : SectionKind::kData;
  return section;
}

std::uint64_t end_of(ByteSpan file, const PeHeader& header, std::uint64_t image_pos) {
  std::uint64_t end = image_pos + header.header_bytes;
  const auto grow = [&](std::uint64_t offset, std::uint64_t size_bytes) {
    const std::uint64_t begin = image_pos + offset;
    if (offset != 0 && range_fits(begin, size_bytes, file.size())) end = std::max(end, begin + size_bytes);
  };
  for (std::size_t i = 0; i < header.section_count; ++i) {
    const std::uint64_t at = header.sections_pos + i * kSectionEntryBytes;
    grow(number_at<std::uint32_t>(file, at + 20), number_at<std::uint32_t>(file, at + 16));
  }
  grow(header.directories[kPeCertificates].rva, header.directories[kPeCertificates].size_bytes);
  return end;
}

}  // namespace

bool detect_pe(ByteSpan file, std::uint64_t pos) noexcept {
  const ByteSpan head = bytes_at(file, pos, kDosHeaderBytes);
  if (head.empty() || !std::equal(kPeMagic.begin(), kPeMagic.end(), head.begin())) return false;
  std::uint64_t signature_pos = 0;
  return find_signature(file, pos, signature_pos);
}

std::optional<PeHeader> read_pe_header(ByteSpan file, std::uint64_t pos, const ImageLimits& limits) {
  std::uint64_t coff_pos = 0;
  if (!find_signature(file, pos, coff_pos)) return std::nullopt;
  PeHeader header;
  header.optional_pos = coff_pos + kCoffHeaderBytes;
  header.section_count = number_at<std::uint16_t>(file, coff_pos + 6);
  const std::uint64_t optional_bytes = number_at<std::uint16_t>(file, coff_pos + 20);
  const std::uint16_t magic = number_at<std::uint16_t>(file, header.optional_pos);
  if (magic != kMagic32 && magic != kMagic64) return std::nullopt;
  header.bits64 = magic == kMagic64;
  header.sections_pos = header.optional_pos + optional_bytes;
  if (optional_bytes < (header.bits64 ? 112u : 96u) || header.section_count > limits.section_count) return std::nullopt;
  const std::uint64_t table_bytes = header.section_count * kSectionEntryBytes;
  if (!range_fits(header.sections_pos, table_bytes, file.size())) return std::nullopt;
  header.header_bytes = header.sections_pos + table_bytes - pos;
  header.machine = machine_of(number_at<std::uint16_t>(file, coff_pos + 4));
  header.image_base = header.bits64 ? number_at<std::uint64_t>(file, header.optional_pos + 24)
                                    : number_at<std::uint32_t>(file, header.optional_pos + 28);
  read_directories(file, header, optional_bytes);
  return header;
}

std::optional<Image> parse_pe(ByteSpan file, std::uint64_t pos, const ImageLimits& limits) {
  const std::optional<PeHeader> header = read_pe_header(file, pos, limits);
  // RVAs are below 2^32; with the base they must not wrap around.
  if (!header || header->image_base > ~std::uint64_t{0} - (std::uint64_t{1} << 33)) return std::nullopt;
  Image image;
  image.format = ImageFormat::kPe;
  image.machine = header->machine;
  image.bits64 = header->bits64;
  image.file_pos = pos;
  image.size_bytes = end_of(file, *header, pos) - pos;
  image.base_address = header->image_base;
  for (std::size_t i = 0; i < header->section_count; ++i) {
    image.sections.push_back(
        read_section(file, header->sections_pos + i * kSectionEntryBytes, pos, header->image_base));
  }
  settle_sections(image.sections, pos, pos + image.size_bytes);
  if (image.sections.empty()) return std::nullopt;
  // The header is in memory too, at RVA 0, and programs refer to it; a section that overlaps it goes first.
  image.sections.push_back({pos, header->header_bytes, header->image_base, header->header_bytes, SectionKind::kData});
  settle_sections(image.sections, pos, pos + image.size_bytes);
  return image;
}

}  // namespace bdelta::exe
