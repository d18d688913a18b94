#include "apply/applied_views.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "view/deflate/recipe_reader.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta {
namespace {

Result<std::vector<deflate::StreamRecipe>> read_recipes(ByteSpan bytes, const view::PackedStreams& streams) {
  BDELTA_ASSIGN(deflate::RecipeReader reader, deflate::RecipeReader::open(bytes));
  std::vector<deflate::StreamRecipe> recipes;
  recipes.reserve(streams.size());
  std::uint64_t left_bytes = view::most_held_bytes(bytes.size());
  for (const view::PackedStream& stream : streams) {
    BDELTA_ASSIGN(deflate::StreamRecipe recipe, reader.next({stream.raw_bytes, stream.packed_bytes}));
    if (view::held_bytes(recipe) > left_bytes) {
      return Error{ErrorCode::kPatchCorrupt, "its recipe of deflate streams takes more memory than it may; fetch the patch again"};
    }
    left_bytes -= view::held_bytes(recipe);
    recipes.push_back(std::move(recipe));
  }
  BDELTA_TRY(reader.finish());
  return recipes;
}

Result<std::vector<view::ChunkSizes>> read_chunks(ByteSpan bytes, const view::PackedStreams& runs) {
  ByteCursor cursor(bytes);
  std::vector<view::ChunkSizes> chunks;
  for (const view::PackedStream& run : runs) {
    auto sizes = view::ChunkSizes::decode(cursor, run);
    if (!sizes) return Error{ErrorCode::kPatchCorrupt, "what it says of PNG chunks can't be; fetch the patch again"};
    chunks.push_back(std::move(*sizes));
  }
  if (cursor.available() == 0) return chunks;
  return Error{ErrorCode::kPatchCorrupt, "what it says of PNG chunks goes on behind the last; fetch the patch again"};
}

// What is replaced of OLD says what is of NEW.
Result<view::TargetShape> target_shape(const view::ViewPlan& plan, const view::Replacements& source, std::uint64_t target_bytes,
                                       ByteCursor& geometry) {
  view::TargetShape target;
  target.kind = plan.kind;
  target.bytes = target_bytes;
  BDELTA_ASSIGN(target.replaced, view::decode_target(geometry, source, plan, target_bytes));
  if (view::view_bytes_of(target_bytes, target.replaced.all()) != plan.target_view_bytes) {
    return Error{ErrorCode::kPatchCorrupt, "NEW unpacked has another size than it says; fetch the patch again"};
  }
  if (plan.kind == view::StreamKind::kPngChunks) {
    BDELTA_ASSIGN(target.chunks, read_chunks(plan.recipe, target.streams()));
  } else {
    BDELTA_ASSIGN(target.recipes, read_recipes(plan.recipe, target.streams()));
  }
  return target;
}

// Where the patch has the recipe that they were proven with.
void take_proven(const KnownViews& known, const view::ViewPlan& plan, view::TargetShape& target) {
  if (!std::equal(plan.recipe.begin(), plan.recipe.end(), known.recipe.begin(), known.recipe.end())) return;
  const auto is_of = [](const view::ProvenStream& proven, const view::PackedStream& stream) {
    return proven.packed.size() == stream.packed_bytes;
  };
  const view::PackedStreams& streams = target.streams();
  if (std::equal(known.proven->begin(), known.proven->end(), streams.begin(), streams.end(), is_of)) target.proven = *known.proven;
}

}  // namespace

Result<AppliedViews> AppliedViews::make(RandomReader& source, const view::ViewPlans& plans, std::uint64_t target_bytes,
                                        WorkerPool* pool, const ViewRoom& room, bool keeps_parts, const KnownViews* known) {
  AppliedViews views;
  RandomReader* file = &source;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const view::ViewPlan& plan = plans[i];
    ByteCursor geometry(plan.geometry);
    auto store = known && i + 1 == plans.size() ? std::make_unique<ViewStore>(known->source_view) : std::make_unique<ViewStore>(plans, i, room);
    const auto add = [&](ByteSpan bytes) { return store->add(bytes); };
    view::FileWindow window(*file);
    BDELTA_ASSIGN(const view::Replacements replaced, view::unpack_source(window, plan, geometry, pool, add));
    BDELTA_ASSIGN(view::TargetShape target, target_shape(plan, replaced, target_bytes, geometry));
    if (known && i == 0) take_proven(*known, plan, target);
    if (keeps_parts) {
      views.source_parts_.push_back(replaced.all());
      views.target_parts_.push_back(target.replaced.all());
    }
    const bool lends = std::any_of(target.recipes.begin(), target.recipes.end(), [](const auto& recipe) { return recipe.lends; });
    if (lends && plans.size() == 1 && target.proven.empty()) views.copied_ = std::make_unique<view::CopiedText>(source, *store, replaced.all());
    views.targets_.push_back(std::move(target));
    views.source_ = std::move(store);
    file = views.source_.get();
    target_bytes = plan.target_view_bytes;
  }
  views.target_view_bytes_ = target_bytes;
  return views;
}

// The one with the most to pack in streams that are not large, which the queue shares out; large ones are by themselves.
std::size_t AppliedViews::queued_target() const noexcept {
  std::size_t queued = 0, most_streams = 0;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i].kind != view::StreamKind::kDeflate || targets_[i].streams().size() <= most_streams) continue;
    most_streams = targets_[i].streams().size();
    queued = i;
  }
  return queued;
}

TargetSink AppliedViews::rebuild_into(const TargetSink& sink, const WorkerPool& of_windows, unsigned thread_count) {
  queued_ = queued_target();
  if (thread_count > 1 && !targets_[queued_].recipes.empty() && targets_[queued_].proven.empty()) {
    pool_ = std::make_unique<WorkerPool>(thread_count, of_windows.timeline(), of_windows.watch(), of_windows.thread_count());
  }
  sink_digest_ = sink.digest;
  PositionedWriter* positioned = sink.positioned;
  SequentialWriter* first = sink.sequential;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    writers_.push_back(std::make_unique<view::RebuildingWriter>(std::move(targets_[i]), std::exchange(positioned, nullptr), first,
                                                                pool_.get(), of_windows.watch()));
    first = writers_.back().get();
    if (copied_) writers_.back()->take_tokens(*copied_);
    if (!pool_ || i != queued_) continue;
    queue_ = std::make_unique<view::RebuildingQueue>(*writers_.back(), *pool_);
    first = queue_.get();
  }
  TargetSink into{nullptr, first, [this] { return finish(); }};
  if (copied_) {
    into.copies = [copied = copied_.get()](std::uint64_t pos, std::uint64_t from, std::uint64_t bytes) { copied->tell(pos, from, bytes); };
  }
  return into;
}

Result<Digest128> AppliedViews::finish() {
  for (std::size_t i = writers_.size(); i-- > 0;) BDELTA_TRY(queue_ && i == queued_ ? queue_->finish() : writers_[i]->finish());
  return sink_digest_ ? sink_digest_() : writers_[0]->digest();
}

}  // namespace bdelta
