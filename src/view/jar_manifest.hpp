// Manifests and signature files of signed jars and Android packages.
#pragma once

#include "view/listed_digests.hpp"

namespace bdelta::view {

// Of all archives of the view: digests of files, which manifests have; and those of sections of manifests and of whole
// ones, which signature files have. Each in the order of its lists. Members are those of the view.
void for_each_manifest_digest(ByteSpan view, const Members& members, const VisitDigest& visit);
void for_each_section_digest(ByteSpan view, const Members& members, const VisitDigest& visit);
void for_each_whole_digest(ByteSpan view, const Members& members, const VisitDigest& visit);

}  // namespace bdelta::view
