// The record of the lists of page digests that a patch leaves out, before everything that makes the target.
#pragma once

#include "delta/page_hashes.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// With its tag. The lists are as check_page_hashes wants them.
[[nodiscard]] Bytes encode_page_hashes(const PageHashLists& lists);

// `patch` stands behind the tag. The lists are sound and take no more memory than the header declares. Errors:
// kPatchCorrupt, kUnsupportedFeature for a digest that is not known.
Result<PageHashLists> read_page_hashes(io::TypedReader& patch, const Header& header);

}  // namespace bdelta::native
