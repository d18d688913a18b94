// What must hold of images and fields, whatever bytes they were found in.
#pragma once

#include <span>

#include "bdelta/io.hpp"
#include "exe/predict.hpp"
#include "fuzz/fuzz_input.hpp"

namespace bdelta::fuzz {

// Images ascend and are disjoint parts of a file of that size, as are the sections in each; sections do not overlap in
// memory either.
void check_images(std::span<const exe::Image> images, std::uint64_t file_size);

// Fields ascend, don't overlap, lie in [begin, end) and in the image that they name; of each the address read is the
// one it has, and writing that address changes nothing.
void check_fields(ByteSpan file, const exe::Images& images, std::span<const exe::Field> fields, std::uint64_t begin,
                  std::uint64_t end);

// Finds images and fields of a file in every way there is: at once, and by blocks from an arbitrary place on.
void check_program(ByteSpan file);

// Finds lists of types, and moves their numbers.
void check_types(ByteSpan file);

// An input of a target of files: `magic` is written over its bytes from `start` on, so that every input that has room
// gets past it, and the file that makes is checked.
void check_file_input(Input& input, ByteSpan magic, std::size_t start = 0);

// An input of a target of instructions: a byte of options, address and reach of the image, code. Fields lie in the
// section and lead into the image, and each can be read and written.
void check_code_input(Input& input, exe::Machine machine);

}  // namespace bdelta::fuzz
