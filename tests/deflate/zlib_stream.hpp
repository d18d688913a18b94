// Deflate streams of the system's zlib, the reference of these tests.
#pragma once

#include <zlib.h>

#include <optional>

#include "base/bytes.hpp"

namespace bdelta::test {

struct ZlibSettings {
  int level = 6;
  int window_bits = 15;
  int memory = 8;
  int strategy = Z_DEFAULT_STRATEGY;
  int flush = Z_NO_FLUSH;          // after each step
  std::size_t step_bytes = 10'000;
};

// A raw stream.
[[nodiscard]] Bytes zlib_deflate(ByteSpan raw, const ZlibSettings& settings = {});

struct ZlibInflated {
  Bytes raw;
  std::size_t packed_bytes = 0;
};

// Nothing if zlib refuses it or it is not complete.
[[nodiscard]] std::optional<ZlibInflated> zlib_inflate(ByteSpan packed);

}  // namespace bdelta::test
