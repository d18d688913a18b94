// The record of the bytes that the patch leaves to who applies it (FORMAT.md, Fills).
#pragma once

#include "delta/fills.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// The whole record. The fills are as check_fills wants them.
[[nodiscard]] Bytes encode_fills(const Fills& fills);

// What stands in its body; sound for the header's target, at least one, and no more than the header's decoder memory
// has room for. Errors: kPatchCorrupt, kPatchTruncated, kUnsupportedFeature for a kind or a space that is not known.
Result<Fills> read_fills(io::TypedReader& patch, const Header& header);

}  // namespace bdelta::native
