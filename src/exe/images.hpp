// Finds the executable images of a file: a program as such, those of a tar, of a universal Mach-O, of a concatenation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

// What an image is refused beyond; also bounds the work that a hostile header can cause.
struct ImageLimits {
  std::size_t image_count = 255;     // of a file; Field::image is a byte
  std::size_t section_count = 4096;  // of an image: entries of its header that are looked at
  std::size_t all_section_count = ~std::size_t{0};  // no image is looked for once those found have so many sections
};

// A file's images have numbers from 0 on, also those beyond ImageLimits::image_count, for who wants but some of them.
inline constexpr std::size_t kMostNumberedImages = 4095;

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

// Of the images of the file those with these numbers, which ascend and are below kMostNumberedImages. Fewer if the file
// has not as many. Looks no further than it must, and takes memory for what it gives alone.
[[nodiscard]] std::vector<Image> find_numbered_images(ByteSpan file, std::span<const std::uint32_t> numbers);

}  // namespace bdelta::exe
