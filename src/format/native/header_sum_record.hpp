// The record of the stretches with header checksums that the patch leaves to who applies it (FORMAT.md, Header sums).
#pragma once

#include "delta/header_sums.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// With its tag. The spans are as check_header_sums wants them.
[[nodiscard]] Bytes encode_header_sums(const HeaderSumSpans& spans);

// What stands behind the tag; sound for the header's target, at least one span. Errors: kPatchCorrupt,
// kPatchTruncated, kUnsupportedFeature for a form that is not known.
Result<HeaderSumSpans> read_header_sums(io::TypedReader& patch, const Header& header);

}  // namespace bdelta::native
