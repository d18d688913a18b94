#include "exe/images.hpp"

#include <optional>

#include "exe/elf.hpp"
#include "exe/file_number.hpp"
#include "exe/macho.hpp"
#include "exe/pe.hpp"
#include "exe/toy.hpp"

// A file is mostly not the start of an image, so the scan has to pass over plain data at the speed of memory. Each
// magic is known by its first two bytes; a block is asked at once whether any of its positions has one of the four
// pairs, in a loop without branches that compilers turn into vector instructions. Only a block that says yes is looked
// at byte by byte. Random bytes have a pair each 16 KiB.

namespace bdelta::exe {
namespace {

constexpr std::size_t kBlockBytes = 512;

// Headers that look right but turn out not to be. Each costs up to ImageLimits::section_count entries, so that a file
// made of such headers could take hours.
constexpr std::size_t kMaxRefused = 4096;

// Bitwise operators throughout: a branch would keep the loop from being vectorised.
inline std::uint8_t begins_magic(std::uint8_t first, std::uint8_t second) noexcept {
  const auto pair = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>((first == a) & (second == b));
  };
  return static_cast<std::uint8_t>(pair(kElfMagic[0], kElfMagic[1]) | pair(kPeMagic[0], kPeMagic[1]) |
                                   pair(kMachoMagic[0], kMachoMagic[1]) | pair(kToyMagic[0], kToyMagic[1]));
}

bool block_has_magic(const std::uint8_t* block) noexcept {
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    any = static_cast<std::uint8_t>(any | begins_magic(block[i], block[i + 1]));
  }
  return any != 0;
}

// The first position from `from` on where a magic may begin, or the size of the file.
std::size_t next_candidate(ByteSpan file, std::size_t from) noexcept {
  const std::size_t end = file.size();
  while (from + 1 < end) {
    if (end - from > kBlockBytes && !block_has_magic(file.data() + from)) {
      from += kBlockBytes;
      continue;
    }
    const std::size_t stop = end - from > kBlockBytes ? from + kBlockBytes : end - 1;
    for (; from < stop; ++from) {
      if (begins_magic(file[from], file[from + 1]) != 0) return from;
    }
  }
  return end;
}

// A format by its two steps: `detect` is cheap and looks at a few bytes, `parse` is strict.
struct ImageReader {
  bool (*detect)(ByteSpan file, std::uint64_t pos) noexcept;
  std::optional<Image> (*parse)(ByteSpan file, std::uint64_t pos, const ImageLimits& limits);
};
constexpr ImageReader kReaders[] = {
    {detect_elf, parse_elf}, {detect_pe, parse_pe}, {detect_macho, parse_macho}, {detect_toy, parse_toy}};

}  // namespace

std::vector<Image> find_images(ByteSpan file, const ImageLimits& limits) {
  std::vector<Image> images;
  std::size_t refused = 0;
  std::size_t pos = next_candidate(file, 0);
  while (pos < file.size() && images.size() < limits.image_count && refused < kMaxRefused) {
    std::size_t next = pos + 1;
    for (const ImageReader& reader : kReaders) {
      if (!reader.detect(file, pos)) continue;
      if (std::optional<Image> image = reader.parse(file, pos, limits)) {
        next = pos + static_cast<std::size_t>(image->size_bytes);
        images.push_back(std::move(*image));
      } else {
        ++refused;
      }
      break;
    }
    pos = next_candidate(file, next);
  }
  return images;
}

}  // namespace bdelta::exe
