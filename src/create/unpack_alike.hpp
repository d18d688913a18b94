// OLD's views made anew, with more of its texts: of streams that stayed packed as NEW has them alike, where something else in NEW
// is made from what they hold.
#pragma once

#include <optional>

#include "create/view_layer.hpp"
#include "match/diagonal.hpp"

namespace bdelta {

struct SourceViews {
  Bytes view;       // the last
  ViewParts parts;  // in it
  view::ViewPlans plans;
  std::uint64_t apply_ns = 0;  // nominal, of all of them
  view::Replacements file_replaced;
};

// Of OLD, and of the views that there are; layers need neither views nor parts.
struct AlikeSearch {
  ByteSpan source;
  ViewParts parts;  // of the file
  PartSearch parts_search;
  std::vector<ViewLayer>& layers;
  ViewLayer last;  // behind them: which of OLD's streams NEW has alike there
  std::uint64_t make_byte_ns = 0;   // nominal nanoseconds of making that a saved byte may take
  std::uint64_t apply_byte_ns = 0;  // of applying, likewise; 0: any
  ByteSpan source_view = {}, target_view = {};  // the last
  ViewParts view_parts = {};  // of OLD's
  Diagonals diagonals = {};   // of the two
};

// Nothing if no such stream is worth it, or there is no room. The same for any number of threads.
[[nodiscard]] std::optional<SourceViews> unpack_alike(const AlikeSearch& search, WorkerPool& pool);

}  // namespace bdelta
