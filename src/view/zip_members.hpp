// What a zip archive holds, as a list of members.
#pragma once

#include "base/bytes.hpp"
#include "view/members.hpp"
#include "view/packed_streams.hpp"

namespace bdelta::view {

// Adds those of the archive that `file` is; none if it is none. Positions are those of the file's view, in which `streams`
// are unpacked. What stands behind the members may be told otherwise there. A member whose stream stays packed is no regular
// file. Takes up to three times as much memory as the archive has bytes, if it has nothing but headers.
void add_zip_members(ByteSpan file, const PackedStreams& streams, Members& members);

}  // namespace bdelta::view
