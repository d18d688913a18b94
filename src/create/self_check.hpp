// The proof of a patch before it is published: applied in memory and compared with NEW.
#pragma once

#include "base/bytes.hpp"
#include "io/spool.hpp"

namespace bdelta {

// head and body together are the patch. kSelfCheckFailed with the reason if applying it does not give `target`.
Status check_patch(ByteSpan source, ByteSpan target, ByteSpan head, const io::Spool& body, unsigned threads);

}  // namespace bdelta
