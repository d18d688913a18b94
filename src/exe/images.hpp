// The executable images of a file: a program as such, those of a tar, of a universal Mach-O, of a concatenation. Whoever
// makes a patch finds them; who applies it is told where they stand.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bdelta/io.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

// Of the images of a patch, on either side: programs have some dozens each. What layouts of these take is not counted
// with other memory.
inline constexpr std::size_t kMostSectionsOfAll = (std::size_t{1} << 18) + 4096;

// What an image is refused beyond; also bounds the work that a hostile header can cause.
struct ImageLimits {
  std::size_t image_count = ~std::size_t{0};                    // of a file
  std::size_t section_count = 4096;                             // of an image: entries of its header that are looked at
  std::size_t all_section_count = kMostSectionsOfAll - 4096;    // no image is looked for once those found have so many
};

// Images in the order of the file, disjoint. ELF (32 and 64 bit), PE (PE32, PE32+), thin 64-bit Mach-O and toy images,
// at any offset; the parts of a universal Mach-O are found as images of their own. What is not little endian, not
// linked, or not consistent is plain data, as is an image inside another and each one after the first
// `limits.image_count`.
[[nodiscard]] std::vector<Image> find_images(ByteSpan file, const ImageLimits& limits = {});

// The same, and whether the file may have relocatable ELF objects: not if none is among what was passed over to its end.
struct ImageSearch {
  std::vector<Image> images;
  bool may_have_objects = false;
};
[[nodiscard]] ImageSearch search_images(ByteSpan file, const ImageLimits& limits);

// Whether these bytes begin like a program of any of these kinds, universal ones and 32-bit Mach-O included. Says nothing of the
// rest of them.
[[nodiscard]] bool begins_program(ByteSpan bytes) noexcept;

// Where an image stands, and how it is read.
struct ImageExtent {
  std::uint64_t pos = 0;
  std::uint64_t size_bytes = 0;
  ImageFormat format = ImageFormat::kElf;
};

// The image that a search has found there: nothing behind its end is read. None if there is no such image of this size.
[[nodiscard]] std::optional<Image> parse_image(ByteSpan file, const ImageExtent& extent);

// The file up to the end of the image, which is all that its tables are read from.
[[nodiscard]] inline ByteSpan up_to_end(ByteSpan file, const Image& image) noexcept {
  const std::uint64_t end = image.file_pos + image.size_bytes;
  return end < file.size() ? file.first(static_cast<std::size_t>(end)) : file;
}

}  // namespace bdelta::exe
