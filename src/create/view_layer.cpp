#include "create/view_layer.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "create/unpack_streams.hpp"
#include "hash/adler32.hpp"
#include "hash/crc32.hpp"
#include "view/deflate/recipe_writer.hpp"
#include "view/png_chunks.hpp"
#include "view/member_fields.hpp"
#include "view/recipe_memory.hpp"
#include "view/zip_entries.hpp"

namespace bdelta {
namespace {

view::PackedStreams places_of(const std::vector<UnpackedStream>& streams) {
  view::PackedStreams places;
  for (const UnpackedStream& stream : streams) places.push_back(stream.place);
  return places;
}

// Of each stream of NEW: the one of OLD with its name, else the one behind that of the stream before.
std::vector<std::size_t> counterparts_of(const std::vector<UnpackedStream>& source, const std::vector<UnpackedStream>& target) {
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!source[i].name.empty()) by_name.emplace(source[i].name, i);
  }
  std::vector<std::size_t> counterparts;
  std::size_t expected = 0;
  for (const UnpackedStream& stream : target) {
    const auto known = by_name.find(stream.name);
    const std::size_t last = source.empty() ? 0 : source.size() - 1;
    counterparts.push_back(known != by_name.end() ? known->second : std::min(expected, last));
    expected = counterparts.back() + 1;
  }
  return counterparts;
}

// Of a view, if all streams are as large as is said.
std::uint64_t expected_bytes(ByteSpan file, const std::vector<view::FoundStream>& found) {
  std::uint64_t bytes = file.size();
  for (const view::FoundStream& stream : found) bytes = bytes - stream.packed_bytes + stream.raw_bytes;
  return bytes;
}

std::uint64_t raw_bytes_of(const std::vector<view::FoundStream>& found) {
  std::uint64_t bytes = 0;
  for (const view::FoundStream& stream : found) bytes += stream.raw_bytes;
  return bytes;
}

std::uint64_t packed_bytes_of(const std::vector<view::FoundStream>& found) {
  std::uint64_t bytes = 0;
  for (const view::FoundStream& stream : found) bytes += stream.packed_bytes;
  return bytes;
}

struct ToldDirectory {
  view::ZipDirectory place;
  Bytes told;
};

// Of the archive that the file is; none if it has none, or not one behind all streams.
ToldDirectory told_directory(ByteSpan file, const view::PackedStreams& streams) {
  const view::ZipDirectory directory = view::find_zip_directory(file);
  std::optional<Bytes> told = view::tell_directory(file, streams, directory);
  return told ? ToldDirectory{directory, std::move(*told)} : ToldDirectory();
}

std::uint64_t view_bytes_of(ByteSpan file, const view::PackedStreams& streams, const ToldDirectory& directory) {
  return view::view_bytes_of(file.size(), streams) - directory.place.bytes + directory.told.size();
}

// Takes the texts out of the streams. Without `proven` their CRC-32s are taken for right. Nothing if what applies would not
// find again what is told around them.
std::optional<Bytes> view_of(ByteSpan file, std::vector<UnpackedStream>& streams, const ToldDirectory& directory, std::uint64_t view_bytes,
                             view::StreamKind kind, bool proven) {
  Bytes view;
  view.reserve(static_cast<std::size_t>(view_bytes));
  view::GapTeller gaps;
  std::uint64_t end = 0;
  for (UnpackedStream& stream : streams) {
    const ByteSpan gap = file.subspan(static_cast<std::size_t>(end), static_cast<std::size_t>(stream.place.file_pos - end));
    view::MemberFields fields{{}, stream.place.packed_bytes, stream.place.raw_bytes};
    if (proven) {
      fields.crc = fields.tells_crc() ? crc32(stream.text) : 0;
      fields.adler = fields.tells_crc() ? adler32(stream.text) : 0;
    }
    if (!gaps.add(gap, kind == view::StreamKind::kDeflate ? &fields : nullptr, view) && proven) return std::nullopt;
    append(view, stream.text);
    Bytes().swap(stream.text);
    end = stream.place.file_end();
  }
  const ByteSpan rest = file.subspan(static_cast<std::size_t>(end));
  (void)gaps.add(rest.first(static_cast<std::size_t>(directory.place.pos_in(rest.size()))), nullptr, view);
  append(view, directory.told);
  append(view, rest.last(static_cast<std::size_t>(directory.place.behind_bytes)));
  return view;
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

// Those whose chunks are whole, and of NEW right; `recipe` is that of NEW, else null.
std::vector<UnpackedStream> join_png_runs(ByteSpan file, const std::vector<view::FoundStream>& found, Bytes* recipe) {
  std::vector<UnpackedStream> streams;
  for (const view::FoundStream& run : found) {
    auto joined = view::join_chunks(file, run.file_pos, run.raw_bytes);
    if (!joined || (recipe && !has_right_chunks(file, run.file_pos, *joined))) continue;
    if (recipe) view::ChunkSizes::encode(joined->sizes, *recipe);
    streams.push_back({{run.file_pos, joined->packed_bytes, joined->data.size()}, run.name, std::move(joined->data), {}});
  }
  return streams;
}

}  // namespace

std::optional<ViewLayer> ViewLayer::make(ViewedFile source, ViewedFile target, const LayerLimits& limits, double until_share,
                                         WorkerPool& pool, UnpackReport& report) {
  std::vector<view::FoundStream> &found_source = source.found.streams, &found_target = target.found.streams;
  const std::uint64_t all_bytes = packed_bytes_of(found_target), all_count = found_target.size();
  if (!limits.at_any_cost) leave_out_unchanged(source.bytes, found_source, target.bytes, found_target);
  report.same.count += all_count - found_target.size();
  report.same.bytes += all_bytes - packed_bytes_of(found_target);
  if (found_target.empty()) return std::nullopt;
  const std::uint64_t most_raw_bytes = std::max(raw_bytes_of(found_source), raw_bytes_of(found_target));
  const std::uint64_t views_bytes = expected_bytes(source.bytes, found_source) + expected_bytes(target.bytes, found_target);
  if (most_raw_bytes > limits.most_raw_bytes || views_bytes > limits.most_view_bytes) {
    for (const view::FoundStream& stream : found_target) report.no_room.add(stream.packed_bytes);
    return std::nullopt;
  }
  pool.begin_stage(until_share, 2 * raw_bytes_of(found_target));  // analysed, and rebuilt
  const bool of_pngs = limits.kind == view::StreamKind::kPngChunks;
  ViewLayer layer;
  view::ViewPlan& plan = layer.plan;
  plan.kind = limits.kind;
  std::vector<UnpackedStream> of_target =
      of_pngs ? join_png_runs(target.bytes, found_target, &plan.recipe)
                : unpack_target_streams(target.bytes, found_target, limits.at_any_cost, pool, report);
  if (!of_pngs) plan.recipe = recipe_of(of_target);
  if (of_target.empty()) return std::nullopt;
  std::vector<UnpackedStream> of_source =
      of_pngs ? join_png_runs(source.bytes, found_source, nullptr) : unpack_source_streams(source.bytes, found_source, pool);

  layer.source_streams = places_of(of_source);
  layer.target_streams = places_of(of_target);
  const ToldDirectory source_directory = limits.has_directory ? told_directory(source.bytes, layer.source_streams) : ToldDirectory();
  const ToldDirectory target_directory = limits.has_directory ? told_directory(target.bytes, layer.target_streams) : ToldDirectory();
  plan.source_directory = source_directory.place;
  plan.target_directory = target_directory.place;
  plan.source_view_bytes = view_bytes_of(source.bytes, layer.source_streams, source_directory);
  plan.target_view_bytes = view_bytes_of(target.bytes, layer.target_streams, target_directory);
  for (const view::PackedStream& stream : layer.source_streams) {
    plan.source_largest_bytes = std::max(plan.source_largest_bytes, stream.raw_bytes);
  }
  plan.source_count = layer.source_streams.size();
  plan.target_count = layer.target_streams.size();
  if (source.bytes.size() + view::held_view_bytes(plan.source_view_bytes) + plan.source_largest_bytes +
          view::directory_memory_bytes(plan.source_directory, plan.target_directory) >
      limits.most_apply_bytes) {
    for (const UnpackedStream& stream : of_target) report.no_room.add(stream.place.packed_bytes);
    return std::nullopt;
  }
  plan.geometry = view::encode_geometry(source.bytes, layer.source_streams, layer.target_streams, counterparts_of(of_source, of_target));
  auto target_view = view_of(target.bytes, of_target, target_directory, plan.target_view_bytes, limits.kind, true);
  if (!target_view) return std::nullopt;
  for (const view::PackedStream& stream : layer.target_streams) report.unpacked.add(stream.packed_bytes);
  layer.target_view = std::move(*target_view);
  layer.source_view = *view_of(source.bytes, of_source, source_directory, plan.source_view_bytes, limits.kind, false);
  layer.source_parts = parts_in_view(std::move(source.found.parts), layer.source_streams);
  layer.target_parts = parts_in_view(std::move(target.found.parts), layer.target_streams);
  return layer;
}

}  // namespace bdelta
