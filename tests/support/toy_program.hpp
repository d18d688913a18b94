// Toy images that stand for programs of x86 code made of calls.
#pragma once

#include <string>

#include "exe/images.hpp"
#include "support/generate.hpp"

namespace bdelta::test {

// Code at 0x1000 and a table of pointers at 0x8000000, of whole pointers.
inline Bytes toy_file(ByteSpan code, const std::vector<std::uint64_t>& pointers) {
  const auto hex = [](std::uint64_t value) {
    std::string text;
    for (; value != 0 || text.empty(); value /= 16) text.insert(text.begin(), "0123456789abcdef"[value % 16]);
    return text;
  };
  Bytes file = bytes_of("~toy-image\ncode 1000 " + hex(code.size()) + "\ndata 8000000 " + hex(8 * pointers.size()) +
                        "\nend\n");
  append(file, code);
  for (const std::uint64_t pointer : pointers) append_le(file, pointer);
  return file;
}

// The toy image as one of x86 code.
inline std::vector<exe::Image> x86_images(ByteSpan file) {
  std::vector<exe::Image> images = exe::find_images(file);
  for (exe::Image& image : images) image.machine = exe::Machine::kX86_64;
  return images;
}

// `count` calls of five bytes each, to starts of others.
inline Bytes calls(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  Bytes code;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t to = random.below(count);
    code.push_back(0xE8);
    append_le(code, static_cast<std::uint32_t>(5 * to - 5 * (i + 1)));
  }
  return code;
}

}  // namespace bdelta::test
