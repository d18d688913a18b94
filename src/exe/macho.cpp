#include "exe/macho.hpp"

#include <algorithm>
#include <cstring>

#include "exe/file_number.hpp"
#include "exe/layout.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kHeaderBytes = 32;
constexpr std::uint64_t kSegmentCommandBytes = 72;
constexpr std::uint64_t kSectionEntryBytes = 80;
constexpr std::size_t kNameBytes = 16;
constexpr std::uint32_t kHasInstructions = 0x80000400;  // of either kind

Machine machine_of(std::uint32_t cpu) {
  switch (cpu) {
    case 0x01000007: return Machine::kX86_64;
    case 0x0100000c: return Machine::kArm64;
    default: return Machine::kNone;
  }
}

bool is_linked(std::uint32_t file_type) {
  constexpr std::uint32_t kExecute = 2, kDylib = 6, kDylinker = 7, kBundle = 8, kKextBundle = 11;
  return file_type == kExecute || file_type == kDylib || file_type == kDylinker || file_type == kBundle ||
         file_type == kKextBundle;
}

// Zero-filled sections have an offset that means nothing.
bool is_unbacked(std::uint32_t flags) {
  constexpr std::uint32_t kZeroFill = 1, kGigabyteZeroFill = 12, kThreadLocalZeroFill = 18;
  const std::uint32_t type = flags & 0xff;
  return type == kZeroFill || type == kGigabyteZeroFill || type == kThreadLocalZeroFill;
}

void read_segment(ByteSpan file, const MachoCommand& command, std::uint64_t image_pos, const ImageLimits& limits,
                  MachoHeader& header) {
  if (command.size_bytes < kSegmentCommandBytes) return;
  const std::uint64_t at = command.file_pos;
  MachoSegment segment;
  segment.address = number_at<std::uint64_t>(file, at + 24);
  segment.memory_bytes = number_at<std::uint64_t>(file, at + 32);
  segment.file_pos = image_pos + number_at<std::uint64_t>(file, at + 40);
  segment.size_bytes = number_at<std::uint64_t>(file, at + 48);
  if (segment.file_pos < image_pos || !range_fits(segment.file_pos, segment.size_bytes, file.size())) {
    segment.file_pos = image_pos;  // stays in the list, as fixups count segments, but has no bytes
    segment.size_bytes = 0;
  }
  if (segment.file_pos == image_pos && segment.size_bytes != 0 && !header.has_base) {
    header.base_address = segment.address;
    header.has_base = true;
  }
  header.segments.push_back(segment);
  const std::uint64_t room = (command.size_bytes - kSegmentCommandBytes) / kSectionEntryBytes;
  const std::uint64_t count = std::min<std::uint64_t>(number_at<std::uint32_t>(file, at + 64), room);
  for (std::uint64_t i = 0; i < count && header.sections.size() < limits.section_count; ++i) {
    MachoSection section;
    section.entry_pos = at + kSegmentCommandBytes + i * kSectionEntryBytes;
    section.address = number_at<std::uint64_t>(file, section.entry_pos + 32);
    section.size_bytes = number_at<std::uint64_t>(file, section.entry_pos + 40);
    section.file_pos = image_pos + number_at<std::uint32_t>(file, section.entry_pos + 48);
    section.flags = number_at<std::uint32_t>(file, section.entry_pos + 64);
    header.sections.push_back(section);
  }
}

Section section_from(const MachoSection& section) {
  const bool unbacked = is_unbacked(section.flags);
  const bool code = (section.flags & kHasInstructions) != 0;
  return {unbacked ? 0 : section.file_pos, unbacked ? 0 : section.size_bytes, section.address, section.size_bytes,
          unbacked ? SectionKind::kUnbacked : code ? SectionKind::kCode : SectionKind::kData};
}

}  // namespace

bool detect_macho(ByteSpan file, std::uint64_t pos) noexcept {
  const ByteSpan head = bytes_at(file, pos, kHeaderBytes);
  if (head.empty() || !std::equal(kMachoMagic.begin(), kMachoMagic.end(), head.begin())) return false;
  return machine_of(load_le<std::uint32_t>(head.data() + 4)) != Machine::kNone &&
         is_linked(load_le<std::uint32_t>(head.data() + 12));
}

std::optional<MachoHeader> read_macho_header(ByteSpan file, std::uint64_t pos, const ImageLimits& limits) {
  if (!detect_macho(file, pos)) return std::nullopt;
  MachoHeader header;
  header.machine = machine_of(number_at<std::uint32_t>(file, pos + 4));
  const std::uint32_t count = number_at<std::uint32_t>(file, pos + 16);
  const std::uint32_t commands_bytes = number_at<std::uint32_t>(file, pos + 20);
  if (count > limits.section_count || !range_fits(pos + kHeaderBytes, commands_bytes, file.size())) return std::nullopt;
  std::uint64_t at = pos + kHeaderBytes;
  const std::uint64_t end = at + commands_bytes;
  for (std::uint32_t i = 0; i < count; ++i) {
    const MachoCommand command{number_at<std::uint32_t>(file, at), at, number_at<std::uint32_t>(file, at + 4)};
    if (end - at < 8 || command.size_bytes < 8 || command.size_bytes > end - at) return std::nullopt;
    header.commands.push_back(command);
    if (command.type == kLcSegment64) read_segment(file, command, pos, limits, header);
    at += command.size_bytes;
  }
  header.header_bytes = at - pos;
  return header;
}

std::optional<Image> parse_macho(ByteSpan file, std::uint64_t pos, const ImageLimits& limits) {
  const std::optional<MachoHeader> header = read_macho_header(file, pos, limits);
  if (!header) return std::nullopt;
  Image image;
  image.format = ImageFormat::kMachO;
  image.machine = header->machine;
  image.file_pos = pos;
  image.base_address = header->base_address;
  std::uint64_t end = pos + header->header_bytes;
  for (const MachoSegment& segment : header->segments) end = std::max(end, segment.file_pos + segment.size_bytes);
  image.size_bytes = end - pos;
  for (const MachoSection& section : header->sections) image.sections.push_back(section_from(section));
  settle_sections(image.sections, pos, pos + image.size_bytes);
  if (image.sections.empty()) return std::nullopt;
  if (header->has_base) {
    const std::uint64_t bytes = header->header_bytes;
    image.sections.push_back({pos, bytes, header->base_address, bytes, SectionKind::kData});
    settle_sections(image.sections, pos, pos + image.size_bytes);
  }
  return image;
}

const MachoSection* find_section(ByteSpan file, const MachoHeader& header, std::string_view name) {
  char padded[kNameBytes] = {};
  std::memcpy(padded, name.data(), std::min(name.size(), kNameBytes));
  for (const MachoSection& section : header.sections) {
    const ByteSpan found = bytes_at(file, section.entry_pos, kNameBytes);
    if (!found.empty() && std::memcmp(found.data(), padded, kNameBytes) == 0) return &section;
  }
  return nullptr;
}

}  // namespace bdelta::exe
