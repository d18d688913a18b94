// One view of OLD and of NEW: the streams found in them, unpacked.
#pragma once

#include <optional>

#include "bdelta/report.hpp"
#include "create/view_parts.hpp"
#include "parallel/worker_pool.hpp"
#include "view/geometry.hpp"

namespace bdelta {

// A file, or a view that is the file of the next one, and what was found in it.
struct ViewedFile {
  ByteSpan bytes;
  FoundParts found;
};

struct LayerLimits {
  view::StreamKind kind = view::StreamKind::kDeflate;  // of what was found
  bool at_any_cost = false;          // takes what was found, all that can be made again
  bool has_directory = false;        // an archive's directory stands behind all streams
  std::uint64_t most_raw_bytes = 0;  // of the streams of one file
  std::uint64_t most_view_bytes = 0;   // of both views together
  std::uint64_t most_apply_bytes = 0;  // for OLD, its view, its largest stream and directories
};

struct ViewLayer {
  view::ViewPlan plan;
  Bytes source_view, target_view;
  ViewParts source_parts, target_parts;  // of the views
  view::PackedStreams source_streams, target_streams;  // of the files

  // Each stream of NEW that is unpacked was rebuilt by what applies, and is what NEW has. Nothing if none is, or there is no
  // room for it. until_share: of the stage of the pool's watch, as far as this goes.
  // The report counts NEW's streams.
  static std::optional<ViewLayer> make(ViewedFile source, ViewedFile target, const LayerLimits& limits, double until_share,
                                       WorkerPool& pool, UnpackReport& report);
};

}  // namespace bdelta
