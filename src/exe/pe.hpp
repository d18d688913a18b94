// PE32 and PE32+: the headers and the image they describe.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "exe/images.hpp"

namespace bdelta::exe {

inline constexpr std::array<std::uint8_t, 2> kPeMagic{'M', 'Z'};

// One of the up to sixteen entries that lead to the tables of an image.
struct PeDirectory {
  std::uint64_t field_pos = 0;  // of the entry in the file: RVA, then size
  std::uint32_t rva = 0;
  std::uint32_t size_bytes = 0;
};
inline constexpr std::size_t kPeExports = 0;
inline constexpr std::size_t kPeImports = 1;
inline constexpr std::size_t kPeExceptions = 3;
inline constexpr std::size_t kPeCertificates = 4;  // the one whose "RVA" is an offset
inline constexpr std::size_t kPeRelocations = 5;
inline constexpr std::size_t kPeDebug = 6;
inline constexpr std::size_t kPeLoadConfig = 10;
inline constexpr std::size_t kPeDelayImports = 13;
inline constexpr std::size_t kPeDirectoryCount = 16;

struct PeHeader {
  bool bits64 = true;
  Machine machine = Machine::kNone;
  std::uint64_t optional_pos = 0;  // of the optional header in the file
  std::uint64_t image_base = 0;
  std::uint64_t header_bytes = 0;  // from the start of the image to the end of the section table
  std::uint64_t sections_pos = 0;
  std::size_t section_count = 0;
  std::array<PeDirectory, kPeDirectoryCount> directories;  // those that are not there have an RVA of 0
};

[[nodiscard]] bool detect_pe(ByteSpan file, std::uint64_t pos) noexcept;
[[nodiscard]] std::optional<PeHeader> read_pe_header(ByteSpan file, std::uint64_t pos, const ImageLimits& limits);
[[nodiscard]] std::optional<Image> parse_pe(ByteSpan file, std::uint64_t pos, const ImageLimits& limits);

}  // namespace bdelta::exe
