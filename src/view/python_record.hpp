// Lists of the files of Python packages.
#pragma once

#include "view/listed_digests.hpp"

namespace bdelta::view {

// Digests of files in all lists of the view, in the order of the lists. Members are those of the view.
void for_each_record_digest(ByteSpan view, const Members& members, const VisitDigest& visit);

}  // namespace bdelta::view
