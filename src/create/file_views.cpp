#include "create/file_views.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "base/try.hpp"
#include "create/unpack_streams.hpp"
#include "hash/crc32.hpp"
#include "view/deflate/recipe_writer.hpp"
#include "view/member_fields.hpp"
#include "view/recipe_memory.hpp"
#include "view/zip_entries.hpp"

namespace bdelta {
namespace {

// What an applier may take for OLD's view, so that it stays within its default limit; and what is unpacked of either file, as
// few packed bytes may be very many.
constexpr std::uint64_t kMostViewApplyBytes = std::uint64_t{176} << 20;
// Of the time that making takes, where streams are unpacked.
constexpr double kUnpackShare = 0.6;
// A limit of making has room for both views, and as much for the work on them.
constexpr std::uint64_t kViewLimitShare = 4;

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
                             bool proven) {
  Bytes view;
  view.reserve(static_cast<std::size_t>(view_bytes));
  view::GapTeller gaps;
  std::uint64_t end = 0;
  for (UnpackedStream& stream : streams) {
    const ByteSpan gap = file.subspan(static_cast<std::size_t>(end), static_cast<std::size_t>(stream.place.file_pos - end));
    view::MemberFields fields{{}, stream.place.packed_bytes, stream.place.raw_bytes};
    if (proven) fields.crc = fields.tells_crc() ? crc32(stream.text) : 0;
    if (!gaps.add(gap, &fields, view) && proven) return std::nullopt;
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

}  // namespace

Result<std::unique_ptr<FileViews>> FileViews::make(RandomReader& source, RandomReader& target, const TreePair* trees,
                                                   const CreateOptions& options, WorkerPool& pool) {
  std::unique_ptr<FileViews> views(new FileViews(source, target));
  const std::uint64_t limit = options.memory_limit_bytes;
  const std::uint64_t most_bytes = limit == 0 ? kMostViewApplyBytes : std::min(kMostViewApplyBytes, limit / kViewLimitShare);
  if (limit != 0 && (source.size() + target.size()) > limit / kViewLimitShare) return std::unique_ptr<FileViews>();
  BDELTA_ASSIGN(views->target_input_, InputBytes::load(target, pool));
  const ByteSpan target_file = views->target_input_.bytes();
  std::vector<view::FoundStream> found_target =
      trees ? find_streams(target_file, trees->target_parts(), most_bytes) : find_streams(target_file, most_bytes);
  if (found_target.empty()) return std::unique_ptr<FileViews>();
  BDELTA_ASSIGN(views->source_input_, InputBytes::load(source, pool));
  const ByteSpan source_file = views->source_input_.bytes();
  std::vector<view::FoundStream> found_source =
      trees ? find_streams(source_file, trees->source_parts(), most_bytes) : find_streams(source_file, most_bytes);
  const bool all = options.unpack == Unpack::kAll;
  if (!all) leave_out_unchanged(source_file, found_source, target_file, found_target);
  if (raw_bytes_of(found_source) > most_bytes || raw_bytes_of(found_target) > most_bytes) return std::unique_ptr<FileViews>();
  const std::uint64_t views_bytes = expected_bytes(source_file, found_source) + expected_bytes(target_file, found_target);
  if (limit != 0 && views_bytes > limit / kViewLimitShare) return std::unique_ptr<FileViews>();

  if (found_target.empty()) return std::unique_ptr<FileViews>();
  if (Watch* const watch = pool.watch()) {
    watch->begin_part(kUnpackShare);
    watch->begin_stage(1, 2 * raw_bytes_of(found_target));  // analysed, and rebuilt
  }
  std::vector<UnpackedStream> of_target = unpack_target_streams(target_file, found_target, all, pool);
  view::ViewPlan& plan = views->plan_;
  plan.recipe = recipe_of(of_target);
  if (of_target.empty()) return std::unique_ptr<FileViews>();
  std::vector<UnpackedStream> of_source = unpack_source_streams(source_file, found_source, pool);

  views->source_streams_ = places_of(of_source);
  views->target_streams_ = places_of(of_target);
  const view::PackedStreams &source_places = views->source_streams_, &target_places = views->target_streams_;
  // A tree may have several, of which a view replaces none.
  const ToldDirectory source_directory = trees ? ToldDirectory() : told_directory(source_file, source_places);
  const ToldDirectory target_directory = trees ? ToldDirectory() : told_directory(target_file, target_places);
  plan.source_directory = source_directory.place;
  plan.target_directory = target_directory.place;
  plan.source_view_bytes = view_bytes_of(source_file, source_places, source_directory);
  plan.target_view_bytes = view_bytes_of(target_file, target_places, target_directory);
  for (const view::PackedStream& stream : source_places) {
    plan.source_largest_bytes = std::max(plan.source_largest_bytes, stream.raw_bytes);
  }
  plan.source_count = source_places.size();
  plan.target_count = target_places.size();
  if (source_file.size() + plan.source_view_bytes + plan.source_largest_bytes +
          view::directory_memory_bytes(plan.source_directory, plan.target_directory) >
      kMostViewApplyBytes) {
    return std::unique_ptr<FileViews>();
  }
  plan.geometry = view::encode_geometry(source_file, source_places, target_places, counterparts_of(of_source, of_target));
  auto target_view = view_of(target_file, of_target, target_directory, plan.target_view_bytes, true);
  if (!target_view) return std::unique_ptr<FileViews>();
  views->target_view_ = std::move(*target_view);
  views->source_view_ = *view_of(source_file, of_source, source_directory, plan.source_view_bytes, false);
  views->source_reader_.emplace(views->source_view_);
  views->target_reader_.emplace(views->target_view_);
  return views;
}

}  // namespace bdelta
