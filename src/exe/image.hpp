// An executable image inside a file: where its sections lie in the file and in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bdelta::exe {

// Its number is in patches: append only. There is room for eight.
enum class Machine : std::uint8_t { kNone, kX86_64, kX86_32, kArm64, kArm32, kToy };
inline constexpr std::size_t kMachineCount = static_cast<std::size_t>(Machine::kToy) + 1;
enum class ImageFormat : std::uint8_t { kElf, kPe, kMachO, kToy };

enum class SectionKind : std::uint8_t { kCode, kData, kUnbacked };  // kUnbacked: memory without bytes in the file

struct Section {
  std::uint64_t file_pos = 0;    // in the whole file, not in the image
  std::uint64_t size_bytes = 0;  // in the file; 0 for kUnbacked
  std::uint64_t address = 0;
  std::uint64_t memory_bytes = 0;
  SectionKind kind = SectionKind::kData;
  bool operator==(const Section&) const = default;
};

struct Image {
  ImageFormat format = ImageFormat::kElf;
  Machine machine = Machine::kNone;
  bool bits64 = true;
  bool is_fixed = false;  // loaded where it was linked for. Told of images that are found, not of those out of a patch
  std::uint64_t file_pos = 0;    // of its first byte
  std::uint64_t size_bytes = 0;  // at most what is left of the file
  std::uint64_t base_address = 0;  // what RVAs count from: of the header of PE and Mach-O in memory, else 0
  std::vector<Section> sections;  // ascending file_pos, disjoint in the file; unbacked ones last
};

}  // namespace bdelta::exe
