#include "exe/elf.hpp"

#include <algorithm>

#include "exe/file_number.hpp"
#include "exe/layout.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kShfExecutable = 4;
constexpr std::uint64_t kShfTls = 0x400;
constexpr std::uint32_t kPfExecutable = 1;
constexpr std::uint16_t kEtRelocatable = 1;
constexpr std::uint16_t kEtExecutable = 2;
constexpr std::uint16_t kEtDynamic = 3;

Machine machine_of(std::uint16_t number, bool bits64) {
  switch (number) {
    case 62: return bits64 ? Machine::kX86_64 : Machine::kNone;  // x32 is none
    case 183: return bits64 ? Machine::kArm64 : Machine::kNone;
    case 3: return bits64 ? Machine::kNone : Machine::kX86_32;
    case 40: return bits64 ? Machine::kNone : Machine::kArm32;
    default: return Machine::kNone;
  }
}

// Reads structures that exist in two widths. Positions are of the whole file.
struct Reader {
  ByteSpan file;
  bool bits64;

  std::uint16_t u16(std::uint64_t pos) const { return number_at<std::uint16_t>(file, pos); }
  std::uint32_t u32(std::uint64_t pos) const { return number_at<std::uint32_t>(file, pos); }
  std::uint64_t word(std::uint64_t pos) const {
    return bits64 ? number_at<std::uint64_t>(file, pos) : number_at<std::uint32_t>(file, pos);
  }
};

ElfSection read_section(const Reader& read, std::uint64_t at, std::uint64_t image_pos) {
  const std::uint64_t w = read.bits64 ? 8 : 4;
  ElfSection section;
  section.type = read.u32(at + 4);
  section.flags = read.word(at + 8);
  section.address = read.word(at + 8 + w);
  section.file_pos = image_pos + read.word(at + 8 + 2 * w);
  section.size_bytes = read.word(at + 8 + 3 * w);
  section.link = read.u32(at + 8 + 4 * w);
  return section;
}

ElfSegment read_segment(const Reader& read, std::uint64_t at, std::uint64_t image_pos) {
  ElfSegment segment;
  segment.type = read.u32(at);
  segment.flags = read.u32(at + (read.bits64 ? 4 : 24));
  segment.file_pos = image_pos + read.word(at + (read.bits64 ? 8 : 4));
  segment.address = read.word(at + (read.bits64 ? 16 : 8));
  segment.size_bytes = read.word(at + (read.bits64 ? 32 : 16));
  segment.memory_bytes = read.word(at + (read.bits64 ? 40 : 20));
  return segment;
}

// A table of `count` entries: bounded by the limit and by the bytes that are there.
bool table_fits(ByteSpan file, std::uint64_t pos, std::uint64_t count, std::uint64_t entry_bytes,
                const ImageLimits& limits) {
  return count <= limits.section_count && range_fits(pos, count * entry_bytes, file.size());
}

void read_segments(const Reader& read, std::uint64_t image_pos, const ImageLimits& limits, ElfHeader& header) {
  const std::uint64_t entry_bytes = read.bits64 ? 56 : 32;
  const std::uint64_t own_bytes = read.bits64 ? 64 : 52;
  const std::uint64_t offset = read.word(image_pos + (read.bits64 ? 32 : 28));
  const std::uint64_t count = read.u16(image_pos + (read.bits64 ? 56 : 44));
  const std::uint64_t found_bytes = read.u16(image_pos + (read.bits64 ? 54 : 42));
  header.header_bytes = own_bytes;
  std::uint64_t at = 0;
  if (count == 0 || found_bytes != entry_bytes || !checked_add(image_pos, offset, at)) return;
  if (!table_fits(read.file, at, count, entry_bytes, limits)) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    const ElfSegment segment = read_segment(read, at + i * entry_bytes, image_pos);
    if (segment.file_pos >= image_pos && range_fits(segment.file_pos, segment.size_bytes, read.file.size())) {
      header.segments.push_back(segment);
    }
  }
  if (offset == own_bytes) header.header_bytes += count * entry_bytes;
  header.tables_end = std::max(header.tables_end, at + count * entry_bytes);
}

void read_sections(const Reader& read, std::uint64_t image_pos, const ImageLimits& limits, ElfHeader& header) {
  const std::uint64_t entry_bytes = read.bits64 ? 64 : 40;
  const std::uint64_t offset = read.word(image_pos + (read.bits64 ? 40 : 32));
  std::uint64_t count = read.u16(image_pos + (read.bits64 ? 60 : 48));
  const std::uint64_t found_bytes = read.u16(image_pos + (read.bits64 ? 58 : 46));
  std::uint64_t at = 0;
  if (offset == 0 || found_bytes != entry_bytes || !checked_add(image_pos, offset, at)) return;
  if (!range_fits(at, entry_bytes, read.file.size())) return;
  // Where the count does not fit its field the first section, which is none, has it as its size.
  if (count == 0) count = read_section(read, at, image_pos).size_bytes;
  if (!table_fits(read.file, at, count, entry_bytes, limits)) return;
  for (std::uint64_t i = 1; i < count; ++i) {
    ElfSection section = read_section(read, at + i * entry_bytes, image_pos);
    section.number = static_cast<std::uint32_t>(i);
    if (section.type == 0 || section.file_pos < image_pos) continue;
    if (section.type == kShtNobits || range_fits(section.file_pos, section.size_bytes, read.file.size())) {
      header.sections.push_back(section);
    }
  }
  header.tables_end = std::max(header.tables_end, at + count * entry_bytes);
}

void add_sections(const ElfHeader& header, std::vector<Section>& out) {
  for (const ElfSection& section : header.sections) {
    if ((section.flags & kShfAlloc) == 0) continue;
    if (section.type == kShtNobits) {
      // .tbss has an address but takes up none.
      if ((section.flags & kShfTls) != 0) continue;
      out.push_back({0, 0, section.address, section.size_bytes, SectionKind::kUnbacked});
      continue;
    }
    const SectionKind kind = (section.flags & kShfExecutable) != 0 ? SectionKind::kCode : SectionKind::kData;
    out.push_back({section.file_pos, section.size_bytes, section.address, section.size_bytes, kind});
  }
}

void add_segments(const ElfHeader& header, std::vector<Section>& out) {
  for (const ElfSegment& segment : header.segments) {
    if (segment.type != kPtLoad) continue;
    const SectionKind kind = (segment.flags & kPfExecutable) != 0 ? SectionKind::kCode : SectionKind::kData;
    const std::uint64_t memory = std::max(segment.memory_bytes, segment.size_bytes);
    if (segment.size_bytes != 0) {
      out.push_back({segment.file_pos, segment.size_bytes, segment.address, memory, kind});
    } else {
      out.push_back({0, 0, segment.address, memory, SectionKind::kUnbacked});
    }
  }
}

// The header is in memory too and programs refer to it, but no section holds it.
void add_header(const ElfHeader& header, std::uint64_t image_pos, std::vector<Section>& out) {
  for (const ElfSegment& segment : header.segments) {
    if (segment.type != kPtLoad || segment.file_pos != image_pos || segment.size_bytes < header.header_bytes) continue;
    out.push_back({image_pos, header.header_bytes, segment.address, header.header_bytes, SectionKind::kData});
    return;
  }
}

std::uint64_t end_of(const ElfHeader& header, std::uint64_t image_pos) {
  std::uint64_t end = std::max(header.tables_end, image_pos + header.header_bytes);
  for (const ElfSection& section : header.sections) {
    if (section.type != kShtNobits) end = std::max(end, section.file_pos + section.size_bytes);
  }
  for (const ElfSegment& segment : header.segments) end = std::max(end, segment.file_pos + segment.size_bytes);
  return end;
}

// Of a little-endian file of either width; 0 if none begins there.
std::uint16_t elf_type(ByteSpan file, std::uint64_t pos) noexcept {
  const ByteSpan head = bytes_at(file, pos, 52);
  if (head.empty() || !std::equal(kElfMagic.begin(), kElfMagic.end(), head.begin())) return 0;
  const std::uint8_t width = head[4];
  const bool little_endian = head[5] == 1;
  if ((width != 1 && width != 2) || !little_endian || head[6] != 1) return 0;
  return load_le<std::uint16_t>(head.data() + 16);
}

}  // namespace

bool detect_elf(ByteSpan file, std::uint64_t pos) noexcept {
  const std::uint16_t type = elf_type(file, pos);
  return type == kEtExecutable || type == kEtDynamic;  // what is not linked has no addresses
}

bool is_elf_object(ByteSpan file, std::uint64_t pos) noexcept { return elf_type(file, pos) == kEtRelocatable; }

std::optional<ElfHeader> read_elf_header(ByteSpan file, std::uint64_t pos, const ImageLimits& limits) {
  if (!detect_elf(file, pos)) return std::nullopt;
  ElfHeader header;
  header.bits64 = file[static_cast<std::size_t>(pos) + 4] == 2;
  const Reader read{file, header.bits64};
  if (!range_fits(pos, header.bits64 ? 64 : 52, file.size()) || read.u32(pos + 20) != 1) return std::nullopt;
  header.position_independent = read.u16(pos + 16) == kEtDynamic;
  header.machine = machine_of(read.u16(pos + 18), header.bits64);
  header.entry_pos = pos + 24;
  read_segments(read, pos, limits, header);
  read_sections(read, pos, limits, header);
  return header;
}

std::optional<Image> parse_elf(ByteSpan file, std::uint64_t pos, const ImageLimits& limits) {
  const std::optional<ElfHeader> header = read_elf_header(file, pos, limits);
  if (!header) return std::nullopt;
  Image image;
  image.format = ImageFormat::kElf;
  image.machine = header->machine;
  image.bits64 = header->bits64;
  image.is_fixed = !header->position_independent;
  image.file_pos = pos;
  image.size_bytes = end_of(*header, pos) - pos;
  add_sections(*header, image.sections);
  settle_sections(image.sections, pos, pos + image.size_bytes);
  if (image.sections.empty()) {
    add_segments(*header, image.sections);
  } else {
    add_header(*header, pos, image.sections);
  }
  settle_sections(image.sections, pos, pos + image.size_bytes);
  if (image.sections.empty()) return std::nullopt;
  return image;
}

}  // namespace bdelta::exe
