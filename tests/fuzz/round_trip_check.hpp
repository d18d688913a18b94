// A pair there and back.
#pragma once

#include "base/bytes.hpp"
#include "bdelta/create.hpp"

namespace bdelta::fuzz {

// Makes a patch and applies it: that gives the target. `twice`: makes it again by two threads, which gives the same
// bytes.
void check_round_trip(ByteSpan source, ByteSpan target, CreateOptions options, bool twice);

}  // namespace bdelta::fuzz
