// Where a signed Mach-O image keeps the digests of its pages.
#pragma once

#include <optional>

#include "bdelta/io.hpp"
#include "delta/page_hashes.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

// The list of SHA-256 digests in the image's code signature (the code directory, as the loader's headers have it), as far
// as the signature says; that the digests are right is for the caller to prove. None without a signature, with one of
// another digest, or with one whose list does not lie behind its pages.
[[nodiscard]] std::optional<PageHashes> find_page_hashes(ByteSpan file, const Image& image);

}  // namespace bdelta::exe
