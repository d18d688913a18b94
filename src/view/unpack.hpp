// Making the view of a file.
#pragma once

#include <functional>

#include "parallel/worker_pool.hpp"
#include "view/geometry.hpp"

namespace bdelta::view {

// Takes bytes of a view in order; they are valid for the call.
using ViewSink = std::function<Status(ByteSpan)>;

// Of OLD, by what the patch says: `geometry` stands in front of what it says of OLD, and behind that afterwards. The sink
// gets plan.source_view_bytes. Besides, this takes for a time as much as the largest stream, up to kMostHeldTextBytes of a
// deflate stream, and what is told of a directory. With several threads it takes kAheadThreadBytes for each of them as well.
// Gives what is replaced of OLD. The pool has nothing else to do, and its watch counts bytes of the view; may be null.
//
// Errors: kPatchCorrupt if what the patch says can't be said of any file, or isn't so of this one; those of reading the file, of
// sink and watch.
Result<Replacements> unpack_source(FileWindow& file, const ViewPlan& plan, ByteCursor& geometry, WorkerPool* pool, const ViewSink& sink);

}  // namespace bdelta::view
