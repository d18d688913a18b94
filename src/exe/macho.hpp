// Thin Mach-O of 64 bits: load commands and the image they describe.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "exe/images.hpp"

namespace bdelta::exe {

inline constexpr std::array<std::uint8_t, 4> kMachoMagic{0xcf, 0xfa, 0xed, 0xfe};

// Names and values are those of the loader's headers.
inline constexpr std::uint32_t kLcSymtab = 0x2;
inline constexpr std::uint32_t kLcDysymtab = 0xb;
inline constexpr std::uint32_t kLcSegment64 = 0x19;
inline constexpr std::uint32_t kLcDyldInfo = 0x22;
inline constexpr std::uint32_t kLcFunctionStarts = 0x26;
inline constexpr std::uint32_t kLcDyldInfoOnly = 0x80000022;
inline constexpr std::uint32_t kLcMain = 0x80000028;
inline constexpr std::uint32_t kLcDyldExportsTrie = 0x80000033;
inline constexpr std::uint32_t kLcDyldChainedFixups = 0x80000034;

struct MachoCommand {
  std::uint32_t type = 0;
  std::uint64_t file_pos = 0;  // of the command, in the whole file
  std::uint32_t size_bytes = 0;
};

struct MachoSegment {
  std::uint64_t address = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t file_pos = 0;
  std::uint64_t size_bytes = 0;
};

struct MachoSection {
  std::uint64_t entry_pos = 0;  // of its entry among the load commands; begins with the name
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t file_pos = 0;
  std::uint32_t flags = 0;
};

struct MachoHeader {
  Machine machine = Machine::kNone;
  std::uint64_t header_bytes = 0;  // load commands included
  std::uint64_t base_address = 0;  // of the header in memory
  bool has_base = false;
  std::vector<MachoCommand> commands;
  std::vector<MachoSegment> segments;  // in their order; fixups count them
  std::vector<MachoSection> sections;
};

[[nodiscard]] bool detect_macho(ByteSpan file, std::uint64_t pos) noexcept;
[[nodiscard]] std::optional<MachoHeader> read_macho_header(ByteSpan file, std::uint64_t pos, const ImageLimits& limits);
[[nodiscard]] std::optional<Image> parse_macho(ByteSpan file, std::uint64_t pos, const ImageLimits& limits);

// The first section `name` of any segment, or nullptr.
[[nodiscard]] const MachoSection* find_section(ByteSpan file, const MachoHeader& header, std::string_view name);

}  // namespace bdelta::exe
