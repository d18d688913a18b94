// Finds the executable images of a file: a program as such, those of a tar, of a universal Mach-O, of a concatenation.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

// What an image is refused beyond; also bounds the work that a hostile header can cause.
struct ImageLimits {
  std::size_t image_count = 255;     // of a file; Field::image is a byte
  std::size_t section_count = 4096;  // of an image: entries of its header that are looked at
};

// Images in the order of the file, disjoint. ELF (32 and 64 bit), PE (PE32, PE32+), thin 64-bit Mach-O and toy images,
// at any offset; the parts of a universal Mach-O are found as images of their own. What is not little endian, not
// linked, or not consistent is plain data, as is an image inside another and each one after the first
// `limits.image_count`.
[[nodiscard]] std::vector<Image> find_images(ByteSpan file, const ImageLimits& limits = {});

}  // namespace bdelta::exe
