// One view of OLD and of NEW: the streams found in them, unpacked.
#pragma once

#include <optional>

#include "bdelta/report.hpp"
#include "create/alike_streams.hpp"
#include "create/view_bytes.hpp"
#include "parallel/worker_pool.hpp"
#include "view/proven_stream.hpp"

namespace bdelta {

struct LayerLimits {
  view::StreamKind kind = view::StreamKind::kDeflate;  // of what was found
  bool holds_source = false;         // an applier does, or a part of it, while it makes the next view of it
  bool at_any_cost = false;          // takes what was found, all that can be made again
  std::uint64_t most_raw_bytes = 0;  // of the streams of one file
  std::uint64_t most_view_bytes = 0;   // of both views together
  std::uint64_t most_make_bytes = 0;   // for these, and for what analysing NEW's largest stream takes
  std::uint64_t most_apply_bytes = 0;  // for OLD where it is held, its view, its largest stream and directories
};

[[nodiscard]] std::uint64_t raw_bytes_of(const FoundStreams& found);

// Of a view, if all streams are as large as is said.
[[nodiscard]] std::uint64_t expected_view_bytes(ByteSpan file, const FoundStreams& found);

// What a stream takes while it is analysed, beside its text.
[[nodiscard]] std::uint64_t analysis_bytes(const FoundStreams& found);

// For a view of a view with such limits: it takes memory, too.
[[nodiscard]] LayerLimits further_limits(LayerLimits limits);

struct ViewLayer {
  view::ViewPlan plan;
  Bytes source_view, target_view;
  ViewParts source_parts, target_parts;  // of the views
  view::Replacements source_replaced, target_replaced;  // of the files
  std::vector<view::ProvenStream> proven;  // of NEW, of deflate
  AlikeStreams alike;
  std::uint64_t left_raw_bytes = 0;  // of OLD's streams that stay packed and could be unpacked
  std::vector<std::uint64_t> rebuilding_ns;  // nominal, of each of NEW's streams; none where they are chunks
  LayerLimits limits;
  struct {
    std::vector<std::string> streams, directories;
  } target_names;  // of what is replaced of NEW
  std::set<Digest128> target_entries;  // of the directories found in NEW

  // Each stream of NEW that is unpacked was rebuilt by what applies, and is what NEW has. Nothing if none is, or there is no
  // room for it. until_share: of the stage of the pool's watch, as far as this goes.
  // The report counts NEW's streams, but for those that are alike. These are not in the target.
  static std::optional<ViewLayer> make(const ViewedFile& source, ViewedFile target, AlikeStreams alike, const LayerLimits& limits,
                                       double until_share, WorkerPool& pool, UnpackReport& report);

  // OLD's view and what the plan says of it, made for NEW's as it is. False if there is no room for it.
  bool unpack_source(const ViewedFile& source, ChosenStreams chosen, WorkerPool& pool);

  // Nominal nanoseconds that applying takes for it.
  [[nodiscard]] std::uint64_t apply_ns() const noexcept;

 private:
  [[nodiscard]] std::optional<DescribedFile> plan_source(const ViewedFile& source, const FoundStreams& streams, const view::KeptRanges& kept);
  bool inflate_source(const ViewedFile& source, FoundStreams streams, const view::KeptRanges& kept, WorkerPool& pool);
  bool join_source(const ViewedFile& source, const FoundStreams& found, const view::KeptRanges& kept);
};

}  // namespace bdelta
