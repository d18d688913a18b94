// ELF: the header, its two tables, and the image they describe.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "exe/images.hpp"

namespace bdelta::exe {

inline constexpr std::array<std::uint8_t, 4> kElfMagic{0x7f, 'E', 'L', 'F'};

// Names and values are those of the ELF specification.
inline constexpr std::uint32_t kShtProgbits = 1;
inline constexpr std::uint32_t kShtSymtab = 2;
inline constexpr std::uint32_t kShtHash = 5;
inline constexpr std::uint32_t kShtNobits = 8;
inline constexpr std::uint32_t kShtDynsym = 11;
inline constexpr std::uint32_t kShtGnuHash = 0x6ffffff6;
inline constexpr std::uint64_t kShfAlloc = 2;
inline constexpr std::uint32_t kPtLoad = 1;
inline constexpr std::uint32_t kPtDynamic = 2;
inline constexpr std::uint32_t kPtArmUnwind = 0x70000001;
inline constexpr std::uint32_t kPtGnuEhFrame = 0x6474e550;

struct ElfSection {
  std::uint32_t number = 0;  // in the table, where sections name one another by it
  std::uint32_t type = 0;
  std::uint32_t link = 0;    // the number of a section that belongs to this one
  std::uint64_t flags = 0;
  std::uint64_t address = 0;
  std::uint64_t file_pos = 0;  // in the whole file
  std::uint64_t size_bytes = 0;
};

struct ElfSegment {
  std::uint32_t type = 0;
  std::uint32_t flags = 0;
  std::uint64_t file_pos = 0;  // in the whole file
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

struct ElfHeader {
  bool bits64 = true;
  bool position_independent = false;
  Machine machine = Machine::kNone;
  std::uint64_t entry_pos = 0;  // of e_entry in the file
  std::uint64_t header_bytes = 0;  // header and program headers, if these follow it
  std::uint64_t tables_end = 0;  // of the later of both tables, in the whole file
  std::vector<ElfSection> sections;  // without those that lie outside of the file
  std::vector<ElfSegment> segments;
};

[[nodiscard]] bool detect_elf(ByteSpan file, std::uint64_t pos) noexcept;

// Whether a relocatable object may begin there, little-endian, of either width: what has no addresses yet.
[[nodiscard]] bool is_elf_object(ByteSpan file, std::uint64_t pos) noexcept;
[[nodiscard]] std::optional<ElfHeader> read_elf_header(ByteSpan file, std::uint64_t pos, const ImageLimits& limits);

// The sections of a file with section headers, else its loaded segments.
[[nodiscard]] std::optional<Image> parse_elf(ByteSpan file, std::uint64_t pos, const ImageLimits& limits);

}  // namespace bdelta::exe
