// The views of a patch that is applied: OLD's, which windows copy from, and where NEW's goes. Where views are made of views,
// those are the last ones.
#pragma once

#include <optional>
#include <vector>

#include "apply/window_pipeline.hpp"
#include "apply/view_store.hpp"
#include "view/rebuilding_queue.hpp"
#include "view/unpack.hpp"

namespace bdelta {

// What the one who made a patch knows of its views, so that less is to be done to prove it. All of it outlives the views.
struct KnownViews {
  ByteSpan source_view;  // OLD's last view
  ByteSpan recipe;       // of NEW's streams, in the file, from which these were made:
  const std::vector<view::ProvenStream>* proven = nullptr;
};

class AppliedViews {
 public:
  // Unpacks OLD, which must have been proven. There is at least one plan. target_bytes: of NEW. The pool has nothing else to do;
  // may be null. keeps_parts: for who asks for them. known: null but where a patch is proven. Errors: kPatchCorrupt, those of
  // reading OLD, of storing its view and of the watch.
  static Result<AppliedViews> make(RandomReader& source, const view::ViewPlans& plans, std::uint64_t target_bytes, WorkerPool* pool,
                                   const ViewRoom& room = {}, bool keeps_parts = false, const KnownViews* known = nullptr);

  [[nodiscard]] RandomReader& source() noexcept { return *source_; }
  [[nodiscard]] std::uint64_t source_bytes() const noexcept { return source_->size(); }

  // What is replaced of the file, then of its view, and so on; none where they were not kept.
  [[nodiscard]] const std::vector<view::PackedStreams>& source_parts() const noexcept { return source_parts_; }
  [[nodiscard]] const std::vector<view::PackedStreams>& target_parts() const noexcept { return target_parts_; }
  [[nodiscard]] std::uint64_t target_view_bytes() const noexcept { return target_view_bytes_; }

  // What takes NEW's last view and writes NEW to `sink`, which it does not finish; its digest is that of NEW or kPatchCorrupt.
  // Once; lives as long as this object. With several threads it has a pool of its own for making streams, on the timeline
  // and under the watch of `of_windows`. What it is given comes from tasks of that one, which wait for each other. So for
  // moments twice as many threads less one are at work.
  [[nodiscard]] TargetSink rebuild_into(const TargetSink& sink, const WorkerPool& of_windows, unsigned thread_count);

  // Writes what is whole of NEW's streams; no thread is at work afterwards. is_end: no more of the view comes. Gives the first
  // error up to where the view has come, if there is one.
  Status settle(bool is_end) { return queue_ ? queue_->settle(is_end) : Status(); }

  // NEW is whole: what the sink's digest is, or kPatchCorrupt.
  Result<Digest128> finish();

 private:
  AppliedViews() = default;

  [[nodiscard]] std::size_t queued_target() const noexcept;

  std::unique_ptr<ViewStore> source_;  // OLD's last view
  std::unique_ptr<view::CopiedText> copied_;  // null where views are of views
  std::vector<view::TargetShape> targets_;  // of NEW and of each of its views but the last
  std::vector<view::PackedStreams> source_parts_;  // these two only if they are kept
  std::vector<view::PackedStreams> target_parts_;
  std::uint64_t target_view_bytes_ = 0;
  std::unique_ptr<WorkerPool> pool_;               // null with one thread, …
  std::function<Result<Digest128>()> sink_digest_;  // none where it is that of NEW's bytes
  std::vector<std::unique_ptr<view::RebuildingWriter>> writers_;  // the first writes NEW, each other one to the one before
  std::size_t queued_ = 0;                        // the writer that has the queue in front of it
  std::unique_ptr<view::RebuildingQueue> queue_;  // … likewise
};

}  // namespace bdelta
