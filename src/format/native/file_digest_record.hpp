// The record of the digests of files that the patch leaves to who applies it (FORMAT.md, File digests).
#pragma once

#include "delta/file_digests.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// With its tag. The digests are as check_file_digests wants them.
[[nodiscard]] Bytes encode_file_digests(const FileDigests& digests);

// What stands behind the tag; sound for the header's target, at least one, and no more than the header's decoder memory
// has room for. Errors: kPatchCorrupt, kPatchTruncated, kUnsupportedFeature for a kind that is not known.
Result<FileDigests> read_file_digests(io::TypedReader& patch, const Header& header);

}  // namespace bdelta::native
