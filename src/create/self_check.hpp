// The proof of a patch before it is published: applied in memory and compared with NEW.
#pragma once

#include <functional>

#include "apply/applied_views.hpp"
#include "base/bytes.hpp"
#include "io/spool.hpp"
#include "parallel/worker_pool.hpp"
#include "view/tree/plan.hpp"

namespace bdelta {

// head and body together are the patch; `pool` is idle and does the work. kSelfCheckFailed with the reason if applying the
// patch does not give `target`. Readers without a view are read in pieces. is_limited: streams of an archive are made by one
// thread, as each takes memory for it. known: of a patch that is made of views. tree_digest: of a patch of trees, whose
// streams `source` and `target` are. It gives the digest of the NEW that goes with what the patch says of it. None for a
// patch of files.
Status check_patch(RandomReader& source, RandomReader& target, ByteSpan head, const io::Spool& body, WorkerPool& pool,
                   bool is_limited = false, const KnownViews* known = nullptr,
                   const std::function<Result<Digest128>(const view::TreePlan&)>& tree_digest = {});

}  // namespace bdelta
