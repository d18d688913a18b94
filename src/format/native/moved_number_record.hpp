// The record of numbers that copies have others in place of (delta/moved_numbers.hpp), in front of the substitutions.
#pragma once

#include "delta/moved_numbers.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// With its tag. The numbers are as check_moved_numbers wants them.
[[nodiscard]] Bytes encode_moved_numbers(const MovedNumbers& numbers);

// `patch` stands behind the tag. The numbers are sound for the header's source and take no more memory than it declares.
// Errors: kPatchCorrupt, kUnsupportedFeature for a kind of lists that is not known.
Result<MovedNumbers> read_moved_numbers(io::TypedReader& patch, const Header& header);

}  // namespace bdelta::native
