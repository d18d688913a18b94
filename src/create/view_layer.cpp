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

// Of what an applier may take, for each view of a view: tables, and a packed stream.
constexpr std::uint64_t kFurtherViewBytes = std::uint64_t{30} << 20;

view::PackedStreams places_of(const std::vector<UnpackedStream>& streams) {
  view::PackedStreams places;
  for (const UnpackedStream& stream : streams) places.push_back(stream.place);
  return places;
}

// Of each stream of NEW: the one of OLD with its name, else the one behind that of the stream before.
std::vector<std::size_t> counterparts_of(const std::vector<UnpackedStream>& source, const std::vector<std::string>& target_names) {
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!source[i].name.empty()) by_name.emplace(source[i].name, i);
  }
  std::vector<std::size_t> counterparts;
  std::size_t expected = 0;
  for (const std::string& name : target_names) {
    const auto known = by_name.find(name);
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

std::uint64_t raw_bytes_of(const FoundStreams& found) {
  std::uint64_t bytes = 0;
  for (const view::FoundStream& stream : found) bytes += stream.raw_bytes;
  return bytes;
}

LayerLimits further_limits(LayerLimits limits) {
  limits.has_directory = false;
  limits.most_apply_bytes -= kFurtherViewBytes;
  return limits;
}

bool ViewLayer::unpack_source(const ViewedFile& source, const ChosenStreams& chosen, WorkerPool& pool) {
  const std::uint64_t kept_bytes = view::bytes_of(chosen.kept);
  if (raw_bytes_of(chosen.unpacked) > limits.most_raw_bytes ||
      expected_bytes(source.bytes, chosen.unpacked) + kept_bytes + target_view.size() > limits.most_view_bytes) {
    return false;
  }
  std::vector<UnpackedStream> streams = plan.kind == view::StreamKind::kPngChunks
                                            ? join_png_runs(source.bytes, chosen.unpacked, nullptr)
                                            : unpack_source_streams(source.bytes, chosen.unpacked, pool);
  source_streams = places_of(streams);
  const ToldDirectory directory = limits.has_directory ? told_directory(source.bytes, source_streams) : ToldDirectory();
  plan.source_directory = directory.place;
  plan.source_view_bytes = view_bytes_of(source.bytes, source_streams, directory) + kept_bytes;
  plan.source_largest_bytes = 0;
  for (const view::PackedStream& stream : source_streams) {
    plan.source_largest_bytes = std::max(plan.source_largest_bytes, stream.raw_bytes);
  }
  plan.source_count = source_streams.size();
  plan.kept_count = chosen.kept.size();
  if (source.bytes.size() + view::held_view_bytes(plan.source_view_bytes) + plan.source_largest_bytes +
          view::directory_memory_bytes(plan.source_directory, plan.target_directory) >
      limits.most_apply_bytes) {
    return false;
  }
  plan.geometry = view::encode_geometry(source.bytes, source_streams, chosen.kept, target_streams, counterparts_of(streams, target_names));
  source_view = *view_of(source.bytes, streams, directory, plan.source_view_bytes, plan.kind, false);
  for (const view::KeptRange& range : chosen.kept) {
    append(source_view, source.bytes.subspan(static_cast<std::size_t>(range.file_pos), static_cast<std::size_t>(range.bytes)));
  }
  source_parts = parts_in_view(source.found.parts, source_streams);
  return true;
}

std::optional<ViewLayer> ViewLayer::make(const ViewedFile& source, ViewedFile target, AlikeStreams alike, const LayerLimits& limits,
                                         double until_share, WorkerPool& pool, UnpackReport& report) {
  const FoundStreams& found = target.found.streams;
  if (found.empty()) return std::nullopt;
  ViewLayer layer;
  layer.limits = limits;
  layer.alike = std::move(alike);
  const ChosenStreams chosen = layer.alike.choose(source.bytes, source.found.streams, {});
  layer.left_raw_bytes = raw_bytes_of(source.found.streams) - raw_bytes_of(chosen.unpacked);
  const std::uint64_t most_raw_bytes = std::max(raw_bytes_of(chosen.unpacked), raw_bytes_of(found));
  const std::uint64_t views_bytes = expected_bytes(source.bytes, chosen.unpacked) + expected_bytes(target.bytes, found);
  if (most_raw_bytes > limits.most_raw_bytes || views_bytes > limits.most_view_bytes) {
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
  if (streams.empty()) return std::nullopt;
  layer.target_streams = places_of(streams);
  for (const UnpackedStream& stream : streams) layer.target_names.push_back(stream.name);
  const ToldDirectory directory = limits.has_directory ? told_directory(target.bytes, layer.target_streams) : ToldDirectory();
  plan.target_directory = directory.place;
  plan.target_view_bytes = view_bytes_of(target.bytes, layer.target_streams, directory);
  plan.target_count = layer.target_streams.size();
  if (!layer.unpack_source(source, chosen, pool)) {
    for (const UnpackedStream& stream : streams) report.no_room.add(stream.place.packed_bytes);
    return std::nullopt;
  }
  auto target_view = view_of(target.bytes, streams, directory, plan.target_view_bytes, limits.kind, true);
  if (!target_view) return std::nullopt;
  for (const view::PackedStream& stream : layer.target_streams) report.unpacked.add(stream.packed_bytes);
  layer.target_view = std::move(*target_view);
  layer.target_parts = parts_in_view(std::move(target.found.parts), layer.target_streams);
  return layer;
}

}  // namespace bdelta
