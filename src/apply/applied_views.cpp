#include "apply/applied_views.hpp"

#include "base/try.hpp"
#include "view/deflate/recipe_reader.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta {
namespace {

// The file as memory: its own, or `held`.
Result<ByteSpan> bytes_of(RandomReader& file, Bytes& held) {
  if (!file.view().empty() || file.size() == 0) return file.view();
  held.resize(static_cast<std::size_t>(file.size()));
  BDELTA_TRY(file.read_at(0, held));
  return ByteSpan(held);
}

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

}  // namespace

Result<AppliedViews> AppliedViews::make(RandomReader& source, const view::ViewPlan& plan, std::uint64_t target_bytes,
                                        Watch* watch) {
  AppliedViews views;
  view::TargetShape& target = views.target_;
  target.bytes = target_bytes;
  target.directory = plan.target_directory;
  views.target_view_bytes_ = plan.target_view_bytes;
  Bytes held;
  BDELTA_ASSIGN(const ByteSpan file, bytes_of(source, held));
  ByteCursor geometry(plan.geometry);
  BDELTA_ASSIGN(view::UnpackedFile unpacked, view::unpack_source(file, plan, geometry, watch));
  views.source_ = std::make_unique<view::UnpackedFile>(std::move(unpacked));
  views.source_reader_ = std::make_unique<io::MemoryReader>(views.source_->bytes);
  BDELTA_ASSIGN(target.streams, view::decode_target_streams(geometry, views.source_->streams, plan.target_count, target_bytes));
  const std::uint64_t streams_end = target.streams.empty() ? 0 : target.streams.back().file_end();
  if (target.directory.pos_in(target_bytes) < streams_end) {
    return Error{ErrorCode::kPatchCorrupt, "NEW has a directory of an archive in front of what it lists; fetch the patch again"};
  }
  const std::uint64_t rest_bytes = view::view_bytes_of(target_bytes, target.streams) - target.directory.bytes;
  target.told_bytes = plan.target_view_bytes - rest_bytes;
  if (plan.target_view_bytes < rest_bytes || target.told_bytes > view::most_told_bytes(target.directory)) {
    return Error{ErrorCode::kPatchCorrupt, "NEW unpacked has another size than it says; fetch the patch again"};
  }
  BDELTA_ASSIGN(target.recipes, read_recipes(plan.recipe, target.streams));
  return views;
}

TargetSink AppliedViews::rebuild_into(const TargetSink& sink, const WorkerPool& of_windows, unsigned thread_count) {
  if (thread_count > 1 && !target_.streams.empty()) {
    pool_ = std::make_unique<WorkerPool>(thread_count, of_windows.timeline(), of_windows.watch(), of_windows.thread_count());
  }
  writer_ = std::make_unique<view::RebuildingWriter>(std::move(target_), sink.positioned, sink.sequential, pool_.get(),
                                                     of_windows.watch());
  sink_digest_ = sink.digest;
  if (pool_) queue_ = std::make_unique<view::RebuildingQueue>(*writer_, *pool_);
  SequentialWriter* const first = queue_ ? static_cast<SequentialWriter*>(queue_.get()) : writer_.get();
  return {nullptr, first, [this] { return finish(); }};
}

Result<Digest128> AppliedViews::finish() {
  BDELTA_TRY(queue_ ? queue_->finish() : writer_->finish());
  return sink_digest_ ? sink_digest_() : writer_->digest();
}

}  // namespace bdelta
