// A patch format that is text, in one flavour for each capability that a reader may have.
//
//   toy-bare 9 0         flavour, bytes of NEW (? where only the end tells), bytes of it that are kept for copies; then bytes
//                        of OLD, which may be missing
//   # anything           a note
//   text abc             literals
//   copy 3 2             of OLD: from its byte 3, two bytes
//   copy_new 0 5         the same of NEW
//   run x 4              xxxx
//   upper 3 2            as literals, what of OLD is there, in capitals
//   add 1 32             32 more for a copied byte, behind one that stays
//   window 9             all this is a window of so many bytes
#pragma once

#include <string_view>

#include "apply/push_run.hpp"
#include "support/memory.hpp"

namespace bdelta::test {

// toy-bare has no capability; toy-olds reads OLD while decoding, toy-zero beyond it, toy-open tells no size of NEW, toy-runs
// has runs, toy-laps overlapping copies. A patch of toy-part may come in parts: the first line, then each window. toy-alls
// has all of it.
extern const Formats kToyFormats;

// Applies the patch as apply does.
[[nodiscard]] Result<Bytes> apply_toy(RandomReader& source, std::string_view patch, const ApplyOptions& options = {},
                                      Sink sink = Sink::kPositioned);
[[nodiscard]] Result<Bytes> apply_toy(std::string_view source, std::string_view patch, const ApplyOptions& options = {},
                                      Sink sink = Sink::kPositioned);

// The same as push does, in pieces of so many bytes.
[[nodiscard]] Result<Bytes> push_toy(std::string_view source, std::string_view patch, std::size_t piece_bytes,
                                     const PushOptions& options = {});

// What verify_patch proves.
[[nodiscard]] Result<bool> verify_toy(std::string_view patch);

}  // namespace bdelta::test
