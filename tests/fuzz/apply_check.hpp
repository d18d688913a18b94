// One patch applied in every way.
#pragma once

#include <optional>

#include "base/bytes.hpp"

namespace bdelta::fuzz {

// To a regular place, to a stream and to nothing; from a source with and without a view. All give `target`, or, if that
// is absent, an error.
void check_apply(ByteSpan source, ByteSpan patch, const std::optional<Bytes>& target);

}  // namespace bdelta::fuzz
