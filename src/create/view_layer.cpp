#include "create/view_layer.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "base/deciding/archives.hpp"
#include "base/deciding/prices.hpp"
#include "create/unpack_streams.hpp"
#include "hash/crc32.hpp"
#include "view/deflate/recipe_reader.hpp"
#include "view/deflate/recipe_writer.hpp"
#include "view/png_chunks.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta {
namespace {

view::PackedStreams places_of(const std::vector<UnpackedStream>& streams) {
  view::PackedStreams places;
  for (const UnpackedStream& stream : streams) places.push_back(stream.place);
  return places;
}

view::PackedStreams places_of(const FoundStreams& streams) {
  view::PackedStreams places;
  for (const view::FoundStream& stream : streams) places.push_back({stream.file_pos, stream.packed_bytes, stream.raw_bytes});
  return places;
}

std::vector<std::string_view> names_of(const auto& named) {
  std::vector<std::string_view> names;
  for (const auto& each : named) names.push_back(each.name);
  return names;
}

// Of each of NEW: the one of OLD with its name, else the one behind that of the one before.
std::vector<std::size_t> counterparts_of(const std::vector<std::string_view>& source, const std::vector<std::string>& target) {
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!source[i].empty()) by_name.emplace(source[i], i);
  }
  std::vector<std::size_t> counterparts;
  std::size_t expected = 0;
  for (const std::string& name : target) {
    const auto known = by_name.find(name);
    const std::size_t last = source.empty() ? 0 : source.size() - 1;
    counterparts.push_back(known != by_name.end() ? known->second : std::min(expected, last));
    expected = counterparts.back() + 1;
  }
  return counterparts;
}

// Whether the CRC-32s of a run of chunks are theirs.
bool has_right_chunks(ByteSpan file, std::uint64_t pos, const view::JoinedChunks& run) {
  return std::all_of(run.sizes.begin(), run.sizes.end(), [&](std::uint32_t size) {
    const ByteSpan chunk = file.subspan(static_cast<std::size_t>(pos), view::kChunkFrameBytes + size);
    pos += chunk.size();
    return view::load_be(chunk.data() + chunk.size() - 4) == crc32(chunk.subspan(4, std::size_t{4} + size));
  });
}

// What doesn't fit into one recipe stays packed; all does, with no stream left, if what applies had to hold too much of it.
Bytes recipe_of(std::vector<UnpackedStream>& streams) {
  deflate::RecipeWriter writer;
  std::uint64_t held_bytes = 0;
  std::erase_if(streams, [&](const UnpackedStream& stream) {
    if (!writer.add(stream.recipe, {stream.place.raw_bytes, stream.place.packed_bytes})) return true;
    held_bytes += view::held_bytes(stream.recipe);
    return false;
  });
  Bytes recipe = writer.finish();
  if (held_bytes > view::most_held_bytes(recipe.size())) streams.clear();
  return recipe;
}

// They are what the recipes at hand make. Nothing unless these are what a reader finds in the recipe of all of them.
std::vector<view::ProvenStream> proven_streams(ByteSpan file, const std::vector<UnpackedStream>& streams, ByteSpan recipe) {
  std::vector<view::ProvenStream> proven;
  auto reader = deflate::RecipeReader::open(recipe);
  if (!reader) return {};
  for (const UnpackedStream& stream : streams) {
    const auto read = reader->next({stream.place.raw_bytes, stream.place.packed_bytes});
    if (!read || *read != stream.recipe) return {};
    proven.push_back({stream.text_digest, file.subspan(static_cast<std::size_t>(stream.place.file_pos), static_cast<std::size_t>(stream.place.packed_bytes))});
  }
  return proven;
}

// Those whose chunks are whole, and of NEW right; `recipe` is that of NEW, else null.
std::vector<UnpackedStream> join_png_runs(ByteSpan file, const std::vector<view::FoundStream>& found, Bytes* recipe) {
  std::vector<UnpackedStream> streams;
  for (const view::FoundStream& run : found) {
    auto joined = view::join_chunks(file, run.file_pos, run.raw_bytes);
    if (!joined || (recipe && !has_right_chunks(file, run.file_pos, *joined))) continue;
    if (recipe) view::ChunkSizes::encode(joined->sizes, *recipe);
    streams.push_back({{run.file_pos, joined->packed_bytes, joined->data.size()}, run.name, std::move(joined->data), {}, {}});
  }
  return streams;
}

}  // namespace

std::uint64_t expected_view_bytes(ByteSpan file, const FoundStreams& found) {
  std::uint64_t bytes = file.size();
  for (const view::FoundStream& stream : found) bytes = bytes - stream.packed_bytes + stream.raw_bytes;
  return bytes;
}

std::uint64_t raw_bytes_of(const FoundStreams& found) {
  std::uint64_t bytes = 0;
  for (const view::FoundStream& stream : found) bytes += stream.raw_bytes;
  return bytes;
}

std::uint64_t analysis_bytes(const FoundStreams& found) {
  std::uint64_t largest_bytes = 0;
  for (const view::FoundStream& stream : found) largest_bytes = std::max(largest_bytes, stream.packed_bytes);
  return kAnalysisRatio * largest_bytes;
}

std::uint64_t ViewLayer::apply_ns() const noexcept {
  std::uint64_t unpack_ns = 0;
  if (plan.kind == view::StreamKind::kDeflate) {
    for (const view::PackedStream& stream : source_replaced.streams) unpack_ns += kUnpackStreamNs + stream.raw_bytes * kUnpackNs;
  }
  return plan.source_view_bytes / 1024 * kViewKiBNs + unpack_ns + std::accumulate(rebuilding_ns.begin(), rebuilding_ns.end(), std::uint64_t{0});
}

LayerLimits further_limits(LayerLimits limits) {
  limits.holds_source = true;
  limits.most_apply_bytes -= kFurtherViewBytes;
  return limits;
}

// What the plan says of OLD's streams, and their places and directories; nothing if there is no room for it.
std::optional<DescribedFile> ViewLayer::plan_source(const ViewedFile& source, const FoundStreams& streams, const view::KeptRanges& kept) {
  DescribedFile described = describe_file(source, places_of(streams), target_entries);
  source_replaced = described.replaced;
  plan.entry_bytes = std::max(view::entry_bytes_of(source_replaced.directories), view::entry_bytes_of(target_replaced.directories));
  plan.source_view_bytes = view::view_bytes_of(source.bytes.size(), source_replaced.all()) + view::bytes_of(kept);
  plan.source_largest_bytes = 0;
  for (const view::PackedStream& stream : source_replaced.streams) {
    plan.source_largest_bytes = std::max(plan.source_largest_bytes, stream.raw_bytes);
  }
  plan.source_count = source_replaced.streams.size();
  plan.source_directory_count = source_replaced.directories.size();
  plan.kept_count = kept.size();
  const std::uint64_t apply_bytes = (limits.holds_source ? view::held_view_bytes(source.bytes.size()) : 0) + view::held_view_bytes(plan.source_view_bytes) +
                                    view::held_stream_bytes(plan.kind, plan.source_largest_bytes) + view::directory_memory_bytes(plan.entry_bytes);
  if (apply_bytes > limits.most_apply_bytes || !view::may_be_kept(plan.source_view_bytes, source.bytes.size(), apply_bytes)) return std::nullopt;
  const std::vector<std::string_view> directory_names(described.names.begin(), described.names.end());
  const view::Counterparts counterparts{counterparts_of(names_of(streams), target_names.streams), counterparts_of(directory_names, target_names.directories)};
  plan.geometry = view::encode_geometry(source.bytes, source_replaced, kept, target_replaced, counterparts);
  return described;
}

// Texts go to their places in the view, so none is held twice. Where a stream is not what the file says of it, all is done again.
bool ViewLayer::inflate_source(const ViewedFile& source, FoundStreams streams, const view::KeptRanges& kept, WorkerPool& pool) {
  for (view::FoundStream& stream : streams) stream.raw_bytes = std::min(stream.raw_bytes, view::kMostRatio * (stream.packed_bytes + 1));
  for (;;) {
    const std::optional<DescribedFile> described = plan_source(source, streams, kept);
    if (!described) return false;
    std::vector<std::size_t> text_pos;
    source_view = make_source_view(source.bytes, *described, plan.kind, view::bytes_of(kept), [&](std::size_t index, Bytes& view) {
      text_pos.push_back(view.size());
      view.resize(view.size() + static_cast<std::size_t>(streams[index].raw_bytes));
    });
    if (inflate_source_streams(source.bytes, streams, source_view, text_pos, pool)) return true;
    Bytes().swap(source_view);
  }
}

bool ViewLayer::join_source(const ViewedFile& source, const FoundStreams& found, const view::KeptRanges& kept) {
  const std::vector<UnpackedStream> runs = join_png_runs(source.bytes, found, nullptr);
  FoundStreams streams;
  for (const UnpackedStream& run : runs) streams.push_back({run.place.file_pos, run.place.packed_bytes, run.place.raw_bytes, run.name});
  const std::optional<DescribedFile> described = plan_source(source, streams, kept);
  if (!described) return false;
  source_view = make_source_view(source.bytes, *described, plan.kind, view::bytes_of(kept),
                                 [&](std::size_t index, Bytes& view) { append(view, runs[index].text); });
  return true;
}

bool ViewLayer::unpack_source(const ViewedFile& source, ChosenStreams chosen, WorkerPool& pool) {
  if (raw_bytes_of(chosen.unpacked) > limits.most_raw_bytes ||
      expected_view_bytes(source.bytes, chosen.unpacked) + view::bytes_of(chosen.kept) + target_view.size() > limits.most_view_bytes) {
    return false;
  }
  const bool is_made = plan.kind == view::StreamKind::kPngChunks ? join_source(source, chosen.unpacked, chosen.kept)
                                                                 : inflate_source(source, std::move(chosen.unpacked), chosen.kept, pool);
  if (!is_made) return false;
  for (const view::KeptRange& range : chosen.kept) {
    append(source_view, source.bytes.subspan(static_cast<std::size_t>(range.file_pos), static_cast<std::size_t>(range.bytes)));
  }
  source_parts = parts_in_view(source.found.parts, source_replaced);
  return true;
}

std::optional<ViewLayer> ViewLayer::make(const ViewedFile& source, ViewedFile target, AlikeStreams alike, const LayerLimits& limits,
                                         double until_share, WorkerPool& pool, UnpackReport& report) {
  const FoundStreams& found = target.found.streams;
  if (found.empty()) return std::nullopt;
  ViewLayer layer;
  layer.limits = limits;
  layer.alike = std::move(alike);
  ChosenStreams chosen = layer.alike.choose(source.bytes, source.found.streams, {});
  layer.left_raw_bytes = raw_bytes_of(source.found.streams) - raw_bytes_of(chosen.unpacked);
  const std::uint64_t most_raw_bytes = std::max(raw_bytes_of(chosen.unpacked), raw_bytes_of(found));
  const std::uint64_t views_bytes = expected_view_bytes(source.bytes, chosen.unpacked) + expected_view_bytes(target.bytes, found);
  const std::uint64_t make_bytes = views_bytes + (limits.kind == view::StreamKind::kDeflate ? analysis_bytes(found) : 0);
  if (most_raw_bytes > limits.most_raw_bytes || views_bytes > limits.most_view_bytes || make_bytes > limits.most_make_bytes) {
    for (const view::FoundStream& stream : found) report.no_room.add(stream.packed_bytes);
    return std::nullopt;
  }
  pool.begin_stage(until_share, 2 * raw_bytes_of(found));  // analysed, and rebuilt
  const bool of_pngs = limits.kind == view::StreamKind::kPngChunks;
  view::ViewPlan& plan = layer.plan;
  plan.kind = limits.kind;
  std::vector<UnpackedStream> streams = of_pngs ? join_png_runs(target.bytes, found, &plan.recipe)
                                                : unpack_target_streams(target.bytes, found, limits.at_any_cost, pool, report);
  if (!of_pngs) plan.recipe = recipe_of(streams);
  for (const UnpackedStream& stream : streams) {
    if (!of_pngs) layer.rebuilding_ns.push_back(stream.rebuilding_ns);
  }
  if (streams.empty()) return std::nullopt;
  if (!of_pngs) layer.proven = proven_streams(target.bytes, streams, plan.recipe);
  for (const UnpackedStream& stream : streams) layer.target_names.streams.push_back(stream.name);
  DescribedFile described = describe_file(target, places_of(streams), entries_of(source));
  layer.target_entries = entries_of(target);
  layer.target_names.directories = std::move(described.names);
  layer.target_replaced = described.replaced;
  plan.target_view_bytes = view::view_bytes_of(target.bytes.size(), described.replaced.all());
  plan.target_count = described.replaced.streams.size();
  plan.target_directory_count = described.replaced.directories.size();
  auto target_view = make_target_view(target.bytes, streams, described, limits.kind);  // first, as it takes NEW's texts away
  if (!target_view) return std::nullopt;
  if (!layer.unpack_source(source, std::move(chosen), pool)) {
    for (const UnpackedStream& stream : streams) report.no_room.add(stream.place.packed_bytes);
    return std::nullopt;
  }
  for (const view::PackedStream& stream : layer.target_replaced.streams) report.unpacked.add(stream.packed_bytes);
  layer.target_view = std::move(*target_view);
  layer.target_parts = parts_in_view(std::move(target.found.parts), layer.target_replaced);
  return layer;
}

}  // namespace bdelta
