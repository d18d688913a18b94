// The views of a patch that is applied: OLD's, which windows copy from, and where NEW's goes.
#pragma once

#include <optional>

#include "apply/window_pipeline.hpp"
#include "io/memory_io.hpp"
#include "view/rebuilding_queue.hpp"
#include "view/unpack.hpp"

namespace bdelta {

class AppliedViews {
 public:
  // Unpacks OLD, which must have been proven. `plan` must outlive the object. target_bytes: of NEW. The watch may be null.
  // Errors: kPatchCorrupt, those of reading OLD and of the watch.
  static Result<AppliedViews> make(RandomReader& source, const view::ViewPlan& plan, std::uint64_t target_bytes, Watch* watch);

  [[nodiscard]] RandomReader& source() noexcept { return *source_reader_; }
  [[nodiscard]] std::uint64_t source_bytes() const noexcept { return source_->bytes.size(); }
  [[nodiscard]] std::uint64_t target_view_bytes() const noexcept { return target_view_bytes_; }

  // What takes NEW's view and writes NEW to `sink`, which it does not finish; its digest is that of NEW or kPatchCorrupt.
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

  std::unique_ptr<view::UnpackedFile> source_;
  std::unique_ptr<io::MemoryReader> source_reader_;
  view::TargetShape target_;
  std::uint64_t target_view_bytes_ = 0;
  std::unique_ptr<view::RebuildingWriter> writer_;
  std::unique_ptr<WorkerPool> pool_;               // null with one thread, …
  std::function<Result<Digest128>()> sink_digest_;  // none where it is that of NEW's bytes
  std::unique_ptr<view::RebuildingQueue> queue_;  // … likewise
};

}  // namespace bdelta
