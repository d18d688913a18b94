// Three steps, each only if the one before gives reason to. A fast search tells how much of NEW is missing in OLD's view. That
// is looked for in the texts of all alike streams, and of what is packed in those. OLD's views are made with the texts that are
// worth it.
#include "create/unpack_alike.hpp"

#include <algorithm>
#include <utility>

#include "base/deciding/archives.hpp"
#include "base/deciding/prices.hpp"
#include "bdelta/create.hpp"
#include "create/find_pngs.hpp"
#include "create/level.hpp"
#include "create/text_probe.hpp"
#include "match/matcher.hpp"
#include "view/deflate/recipe_writer.hpp"
#include "view/view_positions.hpp"

namespace bdelta {
namespace {

// What an alike stream holds, in a view.
struct AlikeText {
  std::uint64_t begin = 0, end = 0;
  Digest128 digest;  // of the packed stream
};

class SourcePass {
 public:
  SourcePass(const AlikeSearch& search, const WantedTexts& wanted, WorkerPool& pool)
      : search_(search), wanted_(wanted), pool_(pool), file_(search.source), parts_search_(search.parts_search) {
    views_.parts = search.parts;
  }

  // False if there is no room.
  bool run() {
    for (const ViewLayer& layer : search_.layers) {
      if (!add(layer, find(layer.plan.kind))) return false;
    }
    ViewLayer behind = search_.last;
    while (views_.plans.size() < view::kMostViews) {
      FoundParts found = find(view::StreamKind::kDeflate);
      views_.parts = found.parts;
      if (!may_unpack(found.streams)) break;
      behind.alike.leave_all_packed();
      behind.limits = further_limits(search_.layers.back().limits);
      behind.plan.target_view_bytes = views_.plans.back().target_view_bytes;
      behind.plan.recipe = deflate::RecipeWriter().finish();
      if (!add(std::exchange(behind, {}), std::move(found))) return false;
    }
    return true;
  }

  // The views as they are, but for the last, which is at hand: shows what is packed in each file and in the last view.
  bool show(TextProbe& probe) {
    for (const ViewLayer& layer : search_.layers) {
      FoundParts found = find(layer.plan.kind);
      show(probe, layer.alike, found.streams);
      if (&layer != &search_.layers.back() && !add(layer, std::move(found))) return false;
    }
    file_ = search_.source_view;
    parts_search_.is_of_view = true;
    AlikeStreams behind;
    behind.leave_all_packed();
    show(probe, behind, find_parts(file_, search_.view_parts, parts_search_).streams);
    return true;
  }

  [[nodiscard]] SourceViews take() { return std::move(views_); }

 private:
  // Of the streams those that stay packed.
  void show(TextProbe& probe, const AlikeStreams& alike, const FoundStreams& streams) {
    FoundStreams packed = streams;
    const FoundStreams unpacked = alike.choose(file_, streams, {}).unpacked;
    auto next = unpacked.begin();
    std::erase_if(packed, [&](const view::FoundStream& stream) {
      const bool is_unpacked = next != unpacked.end() && next->file_pos == stream.file_pos;
      if (is_unpacked) ++next;
      return is_unpacked;
    });
    probe.look(file_, packed);
  }

  FoundParts find(view::StreamKind kind) {
    const bool holds_runs = !views_.plans.empty() && views_.plans.back().kind == view::StreamKind::kPngChunks;
    if (holds_runs && views_.plans.size() < search_.layers.size()) {
      return {views_.parts, find_png_streams(file_, streams_, parts_search_.most_raw_bytes), {}, {}, {}};
    }
    FoundParts found = find_parts(file_, views_.parts, parts_search_);
    return kind == view::StreamKind::kPngChunks ? find_png_runs(file_, std::move(found.parts)) : found;
  }

  [[nodiscard]] bool is_in_text(std::uint64_t pos) const {
    const auto next = std::upper_bound(texts_.begin(), texts_.end(), pos,
                                       [](std::uint64_t at, const AlikeText& text) { return at < text.begin; });
    return next != texts_.begin() && pos < std::prev(next)->end;
  }

  [[nodiscard]] bool may_unpack(const FoundStreams& streams) const {
    return std::any_of(streams.begin(), streams.end(), [&](const view::FoundStream& stream) {
      return wanted_.have(packed_digest(file_, stream.file_pos, stream.packed_bytes)) || is_in_text(stream.file_pos);
    });
  }

  bool add(ViewLayer layer, FoundParts found) {
    const auto is_forced = [this](std::uint64_t pos) { return is_in_text(pos); };
    ChosenStreams chosen = layer.alike.choose(file_, found.streams, wanted_, is_forced);
    if (!layer.unpack_source({file_, std::move(found)}, std::move(chosen), pool_)) return false;
    const view::PackedStreams parts = layer.source_replaced.all();
    view::ViewPositions positions(parts);
    std::vector<AlikeText> texts;
    for (const view::PackedStream& stream : layer.source_replaced.streams) {
      const Digest128 digest = packed_digest(file_, stream.file_pos, stream.packed_bytes);
      if (!layer.alike.may_stay_packed(digest) || !wanted_.have(digest) || is_in_text(stream.file_pos)) continue;
      const std::uint64_t begin = positions.at(stream.file_pos);
      texts.push_back({begin, begin + stream.raw_bytes, digest});
    }
    move_texts(parts);
    texts_.insert(texts_.end(), texts.begin(), texts.end());
    std::sort(texts_.begin(), texts_.end(), [](const AlikeText& a, const AlikeText& b) { return a.begin < b.begin; });
    views_.apply_ns += layer.apply_ns();
    if (views_.plans.empty()) views_.file_replaced = layer.source_replaced;
    views_.plans.push_back(std::move(layer.plan));
    views_.view = std::move(layer.source_view);
    views_.parts = std::move(layer.source_parts);
    streams_ = std::move(layer.source_replaced.streams);
    file_ = views_.view;
    parts_search_.is_of_view = true;
    return true;
  }

  // To where they are in the next view.
  void move_texts(const view::PackedStreams& streams) {
    std::vector<std::uint64_t*> all;
    for (AlikeText& text : texts_) all.insert(all.end(), {&text.begin, &text.end});
    std::sort(all.begin(), all.end(), [](const std::uint64_t* a, const std::uint64_t* b) { return *a < *b; });
    view::ViewPositions positions(streams);
    for (std::uint64_t* const pos : all) *pos = positions.at(*pos);
  }

  const AlikeSearch& search_;
  const WantedTexts& wanted_;
  WorkerPool& pool_;
  ByteSpan file_;
  PartSearch parts_search_;
  view::PackedStreams streams_;  // of the view before
  std::vector<AlikeText> texts_;  // ascending, none in another
  SourceViews views_;
};

// Of OLD's streams that stay packed.
std::uint64_t left_raw_bytes(const AlikeSearch& search) {
  std::uint64_t bytes = search.last.left_raw_bytes;
  for (const ViewLayer& layer : search.layers) bytes += layer.left_raw_bytes;
  return bytes;
}

MissingText missing_text(const AlikeSearch& search, WorkerPool& pool) {
  const Watch::Part part(pool.watch(), 1);
  const MatchParams params = level_settings(kMinLevel).match;
  Matcher matcher(search.source_view, params, {}, pool);
  Covers seeds = matcher.find_seeds(search.target_view, search.diagonals);
  return {search.source_view, search.target_view, matcher.settled(search.target_view, std::move(seeds))};
}

// For the time that it takes to make the patch.
bool is_worth(std::uint64_t saved_bytes, std::uint64_t read_bytes, const AlikeSearch& search) {
  return saved_bytes * search.make_byte_ns >= kLookNs * read_bytes;
}

}  // namespace

std::optional<SourceViews> unpack_alike(const AlikeSearch& search, WorkerPool& pool) {
  const std::uint64_t left_bytes = left_raw_bytes(search);
  if (left_bytes == 0) return std::nullopt;
  MissingText missing = missing_text(search, pool);
  if (!is_worth(missing.bits() / 8 / kFoundShare, left_bytes, search)) return std::nullopt;
  missing.take(search.source_view);
  TextProbe probe(missing, search.parts_search, search.apply_byte_ns, pool);
  const WantedTexts none;
  if (!SourcePass(search, none, pool).show(probe)) return std::nullopt;
  if (probe.wanted().of.empty() || !is_worth(probe.saved_bytes(), search.source_view.size(), search)) return std::nullopt;
  SourcePass pass(search, probe.wanted(), pool);
  if (!pass.run()) return std::nullopt;
  return pass.take();
}

}  // namespace bdelta
