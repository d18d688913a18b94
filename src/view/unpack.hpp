// Making the view of a file.
#pragma once

#include "parallel/watch.hpp"
#include "view/geometry.hpp"

namespace bdelta::view {

struct UnpackedFile {
  Bytes bytes;  // the view
  PackedStreams streams;
};

// Of OLD, by what the patch says: `geometry` stands in front of OLD's positions, and behind them afterwards. Takes
// plan.source_view_bytes and, for a time, as much as the largest stream. The watch counts bytes of the view; may be null.
//
// Errors: kPatchCorrupt if what the patch says can't be said of any file; kWrongSourceDigest if it isn't so of this one;
// those of the watch.
Result<UnpackedFile> unpack_source(ByteSpan file, const ViewPlan& plan, ByteCursor& geometry, Watch* watch);

}  // namespace bdelta::view
