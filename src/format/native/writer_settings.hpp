// How groups are coded.
#pragma once

#include <cstdint>

#include "base/deciding/coding.hpp"
#include "codec/codec.hpp"

namespace bdelta::native {

struct WriterSettings {
  CodecSettings numbers;   // streams of lengths, gaps and diagonals
  CodecSettings values;    // residual values
  CodecSettings literals;
  bool model = false;  // numbers through the context coder where that is smaller
  std::uint64_t model_values = 256 * 1024;  // residual values too, if a group has no more: they decode slowly there
  std::uint64_t apply_byte_ns = 0;  // decoding that a byte saved by a model may take; 0 = any
  std::uint64_t window_bytes = 0;   // target bytes of a window that is not plain; 0 = no group is tried as literals alone
  std::uint64_t limit_bytes = ~std::uint64_t{0};  // of the body; kPatchTooLarge beyond
  std::uint64_t codec_bytes = ~std::uint64_t{0};  // that compressors working at the same time may take together
  std::uint64_t doubt_bytes = ~std::uint64_t{0};  // of target: a group of more is not tried as literals alone
  bool model_literals = false;  // literals through their model where that is smaller, …
  std::uint64_t lane_bytes = kTwoLanesBytes;  // of coded target, from where modelled bytes have several lanes
  std::uint64_t model_most_bytes = ~std::uint64_t{0};  // of numbers: a group of more is not tried in the context coder
  std::uint64_t model_target_share = 0;  // likewise of more than 1/share of its target bytes; 0 = of any share
  bool model_misses = false;  // … and misses through theirs
};

}  // namespace bdelta::native
