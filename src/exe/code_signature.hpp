// Where a signed Mach-O image keeps the digests of its pages.
#pragma once

#include <optional>

#include "bdelta/io.hpp"
#include "delta/fills.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

// The image's pages and the place of their SHA-256 digests in its code signature, as a rule with one range. The signature's
// code directory, as the loader's headers have it, says how far the pages reach. That the digests are right is for the
// caller to prove. None without a signature, with one of another digest, or with one whose list does not lie behind its
// pages.
[[nodiscard]] std::optional<FillRule> find_page_digests(ByteSpan file, const Image& image);

}  // namespace bdelta::exe
