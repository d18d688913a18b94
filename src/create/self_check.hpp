// The proof of a patch before it is published: applied in memory and compared with NEW.
#pragma once

#include "base/bytes.hpp"
#include "io/spool.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// head and body together are the patch; `pool` is idle and does the work. kSelfCheckFailed with the reason if applying
// the patch does not give `target`. Readers without a view are read in pieces. is_limited: streams
// of an archive are made by one thread, as each takes memory for it.
Status check_patch(RandomReader& source, RandomReader& target, ByteSpan head, const io::Spool& body, WorkerPool& pool,
                   bool is_limited = false);

}  // namespace bdelta
