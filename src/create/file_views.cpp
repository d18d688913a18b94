#include "create/file_views.hpp"

#include <algorithm>

#include "base/deciding/archives.hpp"
#include "base/try.hpp"
#include "create/find_pngs.hpp"
#include "create/level.hpp"
#include "view/gzip_head.hpp"
#include "view/member_alignment.hpp"
#include "view/png_chunks.hpp"
#include "view/zip_entries.hpp"

namespace bdelta {
namespace {

// Of the time that making takes, where streams are unpacked.
constexpr double kUnpackShare = 0.6;

constexpr std::uint64_t kMostReadBytes = std::uint64_t{1} << 20;  // of the directory of an archive that is only looked at

ViewParts parts_of(const TreePair::Parts& files) {
  ViewParts parts;
  for (view::Member& member : members_of(files)) parts.push_back({std::move(member), false, false});
  return parts;
}

// Of the view of an archive, as it says itself; 0 of any other file. Little of it is read, and little memory taken.
std::uint64_t estimated_view_bytes(ByteSpan file) {
  if (view::gzip_head_bytes(file, 0) != 0 && file.size() > view::kGzipTrailerBytes) {
    return file.size() + load_le<std::uint32_t>(file.data() + file.size() - 4);
  }
  const auto directory = view::find_zip_directory(file);
  if (!directory || directory->bytes > kMostReadBytes) return 0;
  std::uint64_t bytes = file.size();
  for (const view::ZipEntry& entry : view::find_zip_entries(file)) bytes += std::min(entry.raw_bytes, kMostViewsBytes);
  return bytes;
}

// Of both views under a limit of memory; 0: there is none.
std::uint64_t most_view_bytes(std::uint64_t limit) {
  if (limit == 0) return kMostViewsBytes;
  const std::uint64_t beside_work = limit - std::min(limit, kLeftForWorkBytes);
  return std::max(limit / kSmallLimitShare, std::min(limit / kViewLimitShare, beside_work));
}

// The least limit with room for such views.
std::uint64_t limit_for(std::uint64_t view_bytes) {
  return std::min(kSmallLimitShare * view_bytes, std::max(kViewLimitShare * view_bytes, view_bytes + kLeftForWorkBytes));
}

// For the next views, while others are held.
void set_limits(LayerLimits& limits, std::uint64_t held_bytes, std::uint64_t limit) {
  const auto beside_held = [held_bytes](std::uint64_t bytes) { return bytes - std::min(bytes, held_bytes); };
  limits.most_view_bytes = most_view_bytes(limit);
  limits.most_make_bytes = ~std::uint64_t{0};
  if (limit == 0) return;
  limits.most_make_bytes = beside_held(limit);
  if (held_bytes != 0) limits.most_view_bytes = std::min(limits.most_view_bytes, beside_held(limit - limit / kHeldLimitShare));
}

// That has room for the views of files which are so large that nobody looks into them; 0 if this can't be told.
std::uint64_t limit_for_archives(ByteSpan source, ByteSpan target) {
  const std::uint64_t target_bytes = estimated_view_bytes(target);
  const std::uint64_t view_bytes = target_bytes + std::max<std::uint64_t>(source.size(), estimated_view_bytes(source));
  return target_bytes == 0 || view_bytes > kMostViewsBytes ? 0 : limit_for(view_bytes);
}

// That has room for the views of these files, and for making them; 0 if this one has.
std::uint64_t limit_for_views(const ViewedFile& source, const ViewedFile& target, std::uint64_t limit_bytes) {
  const std::uint64_t view_bytes = expected_view_bytes(source.bytes, source.found.streams) + expected_view_bytes(target.bytes, target.found.streams);
  const std::uint64_t make_bytes = view_bytes + analysis_bytes(target.found.streams);
  return view_bytes > most_view_bytes(limit_bytes) || make_bytes > limit_bytes ? std::max(limit_for(view_bytes), make_bytes) : 0;
}

// Of NEW what can't be unpacked.
void count_left(const FoundParts& found, UnpackReport& report) {
  for (const view::Member& member : found.encrypted) report.encrypted.add(member.data_bytes);
  report.unscanned.add(found.unscanned);
}

// Out of NEW's streams.
AlikeStreams leave_out_alike(const ViewedFile& source, ViewedFile& target, const LayerLimits& limits, UnpackReport& report) {
  if (limits.at_any_cost) return {};
  return {source.bytes, source.found.streams, target.bytes, target.found.streams, report.same};
}

// Chunks of PNG files, joined, and then the streams that these hold: two views, or none. chunks: of NEW.
std::vector<ViewLayer> png_layers(const ViewPair& pair, FoundParts chunks, LayerLimits limits, std::uint64_t held_bytes, std::uint64_t memory_limit,
                                  WorkerPool& pool, UnpackReport& report) {
  std::vector<ViewLayer> layers;
  count_left(chunks, report);
  if (chunks.streams.empty()) return layers;
  ViewedFile source{pair.source, find_png_runs(pair.source, pair.source_parts)};
  ViewedFile target{pair.target, std::move(chunks)};
  UnpackReport of_chunks;  // these hold streams, and are none
  limits.kind = view::StreamKind::kPngChunks;
  AlikeStreams alike = leave_out_alike(source, target, limits, of_chunks);
  auto joined = ViewLayer::make(source, std::move(target), std::move(alike), limits, 1, pool, of_chunks);
  if (!joined) return layers;
  limits = further_limits(limits);
  limits.kind = view::StreamKind::kDeflate;
  set_limits(limits, held_bytes + joined->source_view.size() + joined->target_view.size(), memory_limit);
  const auto streams_of = [&](ByteSpan view, const ViewParts& parts, const view::PackedStreams& runs) {
    return ViewedFile{view, {parts, find_png_streams(view, runs, limits.most_raw_bytes), {}, {}, {}}};
  };
  source = streams_of(joined->source_view, joined->source_parts, joined->source_replaced.streams);
  target = streams_of(joined->target_view, joined->target_parts, joined->target_replaced.streams);
  alike = leave_out_alike(source, target, limits, report);
  auto unpacked = ViewLayer::make(source, std::move(target), std::move(alike), limits, 1, pool, report);
  if (!unpacked) return layers;
  layers.push_back(std::move(*joined));
  layers.push_back(std::move(*unpacked));
  return layers;
}

}  // namespace

Result<std::unique_ptr<FileViews>> FileViews::make(RandomReader& source, RandomReader& target, const TreePair* trees, bool scans,
                                                   const CreateOptions& options, WorkerPool& pool, UnpackReport& report,
                                                   std::uint64_t& needed_bytes) {
  std::unique_ptr<FileViews> views(new FileViews(source, target));
  const std::uint64_t limit = options.memory_limit_bytes;
  const std::uint64_t most_bytes = most_view_bytes(limit);
  if (source.size() + target.size() > most_bytes) {
    if (limit != 0) needed_bytes = limit_for_archives(source.view(), target.view());
    return std::unique_ptr<FileViews>();
  }
  LayerLimits limits;
  limits.at_any_cost = options.unpack == Unpack::kAll;
  const std::uint64_t most_raw_bytes =
      std::max(kAmpleRawBytes, std::min(kMostRawBytes, kUsualRawRatio * std::min(kMostRawBytes, std::max(source.size(), target.size()))));
  limits.most_raw_bytes = std::min(most_raw_bytes, most_bytes);
  set_limits(limits, 0, limit);
  limits.most_apply_bytes = kMostViewApplyBytes;
  if (Watch* const watch = pool.watch()) watch->begin_part(kUnpackShare);
  BDELTA_ASSIGN(views->target_input_, InputBytes::load(target, pool));
  ViewPair pair;
  pair.target = views->target_input_.bytes();
  pair.target_parts = trees ? parts_of(trees->target_parts()) : ViewParts{whole_part(target.size())};
  PartSearch search{false, scans, most_raw_bytes, limits.most_raw_bytes};
  const ViewParts parts_of_source = trees ? parts_of(trees->source_parts()) : ViewParts{whole_part(source.size())};
  // The end of a gzip stream is found by inflating it. Of any other file NEW alone tells whether OLD is looked into.
  const bool finds_both = view::gzip_head_bytes(pair.target, 0) != 0 && !source.view().empty();
  FoundParts found, found_in_source;
  pool.for_each(finds_both ? 2 : 1, [&](std::size_t i) {
    if (i == 0) found = find_parts(pair.target, pair.target_parts, search);
    else found_in_source = find_parts(source.view(), parts_of_source, search);
  });
  count_left(found, report);
  const bool has_pngs = scans || view::is_png(pair.target);
  const bool knows_pngs = found.streams.empty() && has_pngs;
  FoundParts pngs;
  if (knows_pngs) pngs = find_png_runs(pair.target, found.parts);
  if (found.streams.empty() && pngs.streams.empty()) {
    count_left(pngs, report);
    return std::unique_ptr<FileViews>();
  }
  BDELTA_ASSIGN(views->source_input_, InputBytes::load(source, pool));
  pair.source = views->source_input_.bytes();
  pair.source_parts = parts_of_source;
  views->changed_bytes_ = target.size();
  std::vector<ViewLayer> layers;
  ViewLayer last;  // in which nothing of NEW is unpacked
  for (;;) {
    const bool knows_source = layers.empty() && finds_both;
    ViewedFile old_file{pair.source, knows_source ? std::move(found_in_source) : find_parts(pair.source, pair.source_parts, search)};
    ViewedFile new_file{pair.target, std::move(found)};
    pair.source_parts = old_file.found.parts;
    pair.target_parts = new_file.found.parts;
    last.left_raw_bytes = raw_bytes_of(old_file.found.streams);
    if (new_file.found.streams.empty() || layers.size() == view::kMostViews) break;
    const double until_share = 1 - 1.0 / static_cast<double>(2u << layers.size());
    last.alike = leave_out_alike(old_file, new_file, limits, report);
    if (layers.empty()) views->changed_bytes_ -= report.same.bytes;
    if (layers.empty() && limit != 0) needed_bytes = limit_for_views(old_file, new_file, limit);
    auto layer = ViewLayer::make(old_file, std::move(new_file), last.alike, limits, until_share, pool, report);
    if (!layer) break;
    last.alike = {};
    if (layers.empty()) views->proven_ = std::move(layer->proven);
    pair = views->take(*layer);
    layers.push_back(std::move(*layer));
    limits = further_limits(limits);
    set_limits(limits, views->held_bytes(), limit);
    search.is_of_view = true;
    found = find_parts(pair.target, pair.target_parts, search);
    count_left(found, report);
  }
  if ((has_pngs || !layers.empty()) && layers.size() + 2 <= view::kMostViews) {
    if (!knows_pngs) pngs = find_png_runs(pair.target, pair.target_parts);
    for (ViewLayer& layer : png_layers(pair, std::move(pngs), limits, views->held_bytes(), limit, pool, report)) {
      pair = views->take(layer);
      layers.push_back(std::move(layer));
    }
  }
  if (layers.empty()) return std::unique_ptr<FileViews>();
  views->target_members_ = members_of(pair.target_parts);
  search.is_of_view = false;
  search.most_raw_bytes = search.most_scanned_bytes;  // texts are held from here on
  const LevelSettings settings = level_settings(options.level);
  views->settle({views->source_bytes(), parts_of_source, search, layers, std::move(last), settings.make_byte_ns, settings.coding.apply_byte_ns},
                std::move(pair.source_parts), pool);
  views->source_reader_.emplace(views->source_view_);
  views->target_reader_.emplace(views->target_view_);
  return views;
}

void FileViews::settle(AlikeSearch search, ViewParts source_parts, WorkerPool& pool) {
  search.source_view = source_view_;
  search.target_view = target_view_;
  source_members_ = members_of(source_parts);
  search.view_parts = std::move(source_parts);
  const std::vector<AlignedRange> aligned = view::align_members(source_members_, target_members_);
  search.diagonals = whole_diagonals(source_view_, target_view_);
  search.diagonals.parts = aligned;
  target_replaced_ = search.layers.front().target_replaced;
  rebuilding_ns_ = search.layers.front().rebuilding_ns;
  for (ViewLayer& layer : search.layers) {
    layer.limits.most_view_bytes -= std::min(layer.limits.most_view_bytes, held_bytes());
  }
  if (auto views = unpack_alike(search, pool)) {
    plans_ = std::move(views->plans);
    apply_ns_ = views->apply_ns;
    source_replaced_ = std::move(views->file_replaced);
    source_view_ = std::move(views->view);
    source_members_ = members_of(views->parts);
    return;
  }
  for (ViewLayer& layer : search.layers) {
    apply_ns_ += layer.apply_ns();
    plans_.push_back(std::move(layer.plan));
  }
  source_replaced_ = std::move(search.layers.front().source_replaced);
}

void FileViews::keep_target(std::uint64_t pos, std::size_t count) {
  const ByteSpan bytes = ByteSpan(target_view_).subspan(static_cast<std::size_t>(pos), count);
  kept_.emplace_back(pos, Bytes(bytes.begin(), bytes.end()));
}

void FileViews::restore_target() noexcept {
  for (const auto& [pos, bytes] : kept_) std::copy(bytes.begin(), bytes.end(), target_view_.begin() + static_cast<std::ptrdiff_t>(pos));
  kept_.clear();
}

void FileViews::drop_target_view() noexcept {
  Bytes().swap(target_view_);
  target_reader_.emplace(ByteSpan());
}

ViewPair FileViews::take(ViewLayer& layer) {
  if (target_view_.empty()) {
    source_archive_pos_ = layer.source_replaced.streams.empty() ? 0 : layer.source_replaced.streams.front().file_pos;
    target_archive_pos_ = layer.target_replaced.streams.empty() ? 0 : layer.target_replaced.streams.front().file_pos;
  }
  source_view_ = std::move(layer.source_view);
  target_view_ = std::move(layer.target_view);
  return {source_view_, target_view_, std::move(layer.source_parts), std::move(layer.target_parts)};
}

}  // namespace bdelta
