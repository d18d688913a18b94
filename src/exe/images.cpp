#include "exe/images.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "exe/elf.hpp"
#include "exe/file_number.hpp"
#include "exe/macho.hpp"
#include "exe/magic_scan.hpp"
#include "exe/pe.hpp"
#include "exe/toy.hpp"

namespace bdelta::exe {
namespace {

// Headers that look right but turn out not to be. Each costs up to ImageLimits::section_count entries, so that a file
// made of such headers could take hours.
constexpr std::size_t kMaxRefused = 4096;

// The first position from `from` on where a magic may begin, or the size of the file.
std::size_t next_candidate(ByteSpan file, std::size_t from) noexcept {
  if (from + 1 >= file.size()) return file.size();
  const std::size_t count = file.size() - 1 - from;
  const std::size_t found = kMagicScan.find(file.data() + from, count);
  return found < count ? from + found : file.size();
}

// A format by its two steps: `detect` is cheap and looks at a few bytes, `parse` is strict and detects first.
struct ImageReader {
  bool (*detect)(ByteSpan file, std::uint64_t pos) noexcept;
  std::optional<Image> (*parse)(ByteSpan file, std::uint64_t pos, const ImageLimits& limits);
};
constexpr ImageReader kReaders[] = {  // by ImageFormat
    {detect_elf, parse_elf}, {detect_pe, parse_pe}, {detect_macho, parse_macho}, {detect_toy, parse_toy}};

// An image that is the same to who has nothing of the file behind its end.
std::optional<Image> parse_alone(const ImageReader& reader, ByteSpan file, std::uint64_t pos, const ImageLimits& limits) {
  std::optional<Image> image = reader.parse(file, pos, limits);
  if (!image || pos + image->size_bytes == file.size()) return image;
  const std::uint64_t size_bytes = image->size_bytes;
  image = reader.parse(up_to_end(file, *image), pos, limits);
  return image && image->size_bytes == size_bytes ? std::move(image) : std::nullopt;
}

// Calls take(Image&&) for one image after the other until it says false, and pass(pos) where a magic may begin that is no
// image's. Whether all of the file was looked at.
template <class Take, class Pass>
bool for_each_image(ByteSpan file, const ImageLimits& limits, Take&& take, Pass&& pass) {
  std::size_t refused = 0;
  std::size_t pos = next_candidate(file, 0);
  while (pos < file.size() && refused < kMaxRefused) {
    std::size_t next = pos + 1;
    bool detected = false;
    for (const ImageReader& reader : kReaders) {
      if (!reader.detect(file, pos)) continue;
      detected = true;
      if (std::optional<Image> image = parse_alone(reader, file, pos, limits)) {
        next = pos + static_cast<std::size_t>(image->size_bytes);
        if (!take(std::move(*image))) return false;
      } else {
        ++refused;
      }
      break;
    }
    if (!detected) pass(pos);
    pos = next_candidate(file, next);
  }
  return pos >= file.size();
}

}  // namespace

ImageSearch search_images(ByteSpan file, const ImageLimits& limits) {
  ImageSearch found;
  if (limits.image_count == 0) return found;
  std::size_t section_count = 0;
  const auto take = [&](Image&& image) {
    section_count += image.sections.size();
    found.images.push_back(std::move(image));
    return found.images.size() < limits.image_count && section_count < limits.all_section_count;
  };
  const auto pass = [&](std::size_t pos) { found.may_have_objects |= is_elf_object(file, pos); };
  if (!for_each_image(file, limits, take, pass)) found.may_have_objects = true;
  return found;
}

std::vector<Image> find_images(ByteSpan file, const ImageLimits& limits) {
  return search_images(file, limits).images;
}

std::optional<Image> parse_image(ByteSpan file, const ImageExtent& extent) {
  const ByteSpan until_end = file.first(static_cast<std::size_t>(extent.pos + extent.size_bytes));
  std::optional<Image> image = kReaders[static_cast<std::size_t>(extent.format)].parse(until_end, extent.pos, {});
  return image && image->size_bytes == extent.size_bytes ? std::move(image) : std::nullopt;
}

bool begins_program(ByteSpan bytes) noexcept {
  constexpr std::array<std::uint8_t, 4> kMacho32Magic{0xce, 0xfa, 0xed, 0xfe}, kUniversalMagic{0xca, 0xfe, 0xba, 0xbe};
  const auto begins = [bytes](std::span<const std::uint8_t> magic) {
    return bytes.size() >= magic.size() && std::equal(magic.begin(), magic.end(), bytes.begin());
  };
  return begins(kElfMagic) || begins(kPeMagic) || begins(kMachoMagic) || begins(kMacho32Magic) || begins(kUniversalMagic);
}

}  // namespace bdelta::exe
