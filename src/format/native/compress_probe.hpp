// Whether a slow codec has anything to find in a stream: asked before it is let loose, answered from samples.
#pragma once

#include "codec/codec.hpp"

namespace bdelta::native {

// False if a fast codec saves next to nothing in samples of `raw` and next to nothing of it repeats anywhere: data that is
// compressed or random. True also for streams and settings that are quick anyway. `watch` may be null.
Result<bool> looks_compressible(ByteSpan raw, const CodecSettings& settings, Watch* watch);

}  // namespace bdelta::native
