// The views of a patch that is applied: OLD's, which windows copy from, and where NEW's goes.
#pragma once

#include <optional>

#include "apply/window_pipeline.hpp"
#include "io/memory_io.hpp"
#include "view/rebuilding_writer.hpp"
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

  // What takes NEW's view and writes NEW to `sink`. Once; lives as long as this object.
  [[nodiscard]] TargetSink rebuild_into(const TargetSink& sink);

  // NEW is whole: its digest, or kPatchCorrupt. Does not finish the sink.
  Result<Digest128> finish();

 private:
  AppliedViews() = default;

  std::unique_ptr<view::UnpackedFile> source_;
  std::unique_ptr<io::MemoryReader> source_reader_;
  view::TargetShape target_;
  std::uint64_t target_view_bytes_ = 0;
  std::unique_ptr<view::RebuildingWriter> writer_;
};

}  // namespace bdelta
