// One application of a patch, step by step; shared by the public calls and by the self-check of create.
#pragma once

#include "apply/applied_views.hpp"
#include "apply/moved_source.hpp"
#include "apply/padded_source.hpp"
#include "apply/progress_shares.hpp"
#include "apply/window_pipeline.hpp"
#include "apply/timed_reader.hpp"
#include "bdelta/apply.hpp"
#include "format/format.hpp"

namespace bdelta {

class ApplyRun {
 public:
  // Everything must outlive the run. The patch is of one of the formats.
  ApplyRun(RandomReader& source, SequentialReader& patch, const ApplyOptions& options, Formats formats = known_formats());

  // Works with the threads of `pool`, on its timeline and under its watch, whose range it goes through; options.threads,
  // trace and progress are not looked at.
  ApplyRun(RandomReader& source, SequentialReader& patch, const ApplyOptions& options, WorkerPool& pool);

  // Reads the header and holds it against the caller's limits.
  Status read_header();

  // For a caller that has trees: `digest` gives that of OLD's. Without it a patch of trees is refused, with it one of files.
  void take_trees(std::function<Result<Digest128>(WorkerPool&)> digest) { digest_source_tree_ = std::move(digest); }

  // Then, behind the header: what the patch says of them. Null if it is not of trees.
  Result<const view::TreePlan*> read_tree() { return reader_->read_tree(); }

  // Whether the limit of memory has room for a part of the patch, too. For a patch whose parts are held before they are
  // decoded, because the rest of them has to come or digests of them are expected; read_header asks for the latter.
  [[nodiscard]] Status check_held_parts() const;

  // In front of read_header, for who looks into the patch. `tap` outlives the run.
  void take_tap(ApplyTap* tap) noexcept { tap_ = tap; }

  // Then, in front of the windows: OLD as a tree, whose stream the source is.
  void take_manifest(const view::Manifest& source) noexcept { source_manifest_ = &source; }

  // OLD is what the patch was made from: size first, then digest. From then on the reader may have it.
  Status verify_source();

  // Makes what the patch's plan asks for before its windows:
  // - OLD's view, which takes OLD's place from then on;
  // - OLD with other numbers in place of some of it, which copies are made of;
  // - the fields of its programs, if it predicts any.
  Status prepare();

  // All windows into the sink; the whole is proven against the header's digest.
  Status write_target(const TargetSink& sink);

  // The same in steps, for a patch whose parts come one by one. After resume_patch a step may read on behind what was
  // the end of the patch so far. read_plan reads what one part brings of the plan; true once the plan is whole.
  void resume_patch() noexcept { patch_.resume(); }
  Result<bool> read_plan();
  void begin_target(const TargetSink& sink);
  Result<bool> execute_windows(std::uint64_t until_target_pos);  // at least one; false once the patch has ended
  Status finish_target();

  [[nodiscard]] const PatchInfo& info() const noexcept { return reader_->info(); }

  // Of NEW, once it is made, whether or not the patch has one.
  [[nodiscard]] const Digest128& target_digest() const noexcept { return target_digest_; }

  // Tells progress that there is no more to do, where not all steps are gone through.
  void skip_rest();

  // The report, once. Counts of system calls are the caller's to add.
  [[nodiscard]] Report take_report();

  // Likewise, of a call that found NEW there.
  [[nodiscard]] Report up_to_date_report();

  // Adds to it the time since.
  void update_times(Report& report) const noexcept;

  // For steps of the caller's that belong to the application.
  [[nodiscard]] Timeline* timeline() const noexcept { return pool_.timeline(); }
  [[nodiscard]] Watch* watch() const noexcept { return pool_.watch(); }
  [[nodiscard]] WorkerPool& pool() const noexcept { return pool_; }

  // For a caller that has taken the source's digest from the same bytes already: the size alone is compared.
  void assume_source_verified() noexcept { source_verified_ = true; }

  // For a caller that knows the views already; null where there are none.
  void take_known_views(const KnownViews* known) noexcept { known_views_ = known; }

  // For a caller short of memory: one thread makes NEW's streams.
  void rebuild_alone() noexcept { rebuilds_alone_ = true; }

 private:
  [[nodiscard]] ApplyShares shares() const noexcept;
  [[nodiscard]] Status check_kind() const;
  [[nodiscard]] Result<Digest128> digest_source();
  [[nodiscard]] std::uint64_t made_bytes() const noexcept { return plan_->tree ? plan_->tree->made_bytes : *info().target_size; }
  [[nodiscard]] Status check_target_size(std::uint64_t bytes) const;
  [[nodiscard]] Status check_window_bytes(std::uint64_t bytes) const;
  Status check_source();
  Status open_views();
  [[nodiscard]] ViewRoom view_room() const;
  Status prepare_source();
  [[nodiscard]] RandomReader& copied_source() noexcept { return moved_source_ ? *moved_source_ : viewed_source(); }
  [[nodiscard]] RandomReader& viewed_source() noexcept;
  [[nodiscard]] PatchInfo info_of_views() const;
  Status begin_tap();
  Result<bool> next_window(WindowDelta& window);
  Status place(const WindowDelta& window);
  void count(const WindowDelta& window);

  RandomReader& source_;
  const ApplyOptions& options_;
  Watch own_watch_;                     // idle where the caller has given a pool
  Timeline own_timeline_;               // likewise
  std::optional<WorkerPool> own_pool_;  // absent there
  WorkerPool& pool_;
  TimedReader timed_patch_;
  io::TypedReader patch_;
  const Formats formats_ = known_formats();
  const Format* format_ = nullptr;              // of the patch, once its header is read
  std::unique_ptr<PatchReader> reader_;
  const ApplyPlan* plan_ = nullptr;             // once it is whole
  std::optional<AppliedViews> views_;           // absent where files are taken as they are
  std::unique_ptr<PredictedCopies> predicted_;  // null without prediction
  std::unique_ptr<MovedSource> moved_source_;   // null where no numbers are moved
  std::optional<PaddedSource> padded_source_;   // absent where copies stay inside OLD
  std::optional<Filler> filler_;                // absent where nothing is filled in
  std::function<Result<Digest128>(WorkerPool&)> digest_source_tree_;  // of a caller that has trees
  std::function<Result<Digest128>()> digest_target_;                   // where it is not that of the windows
  ApplyTap* tap_ = nullptr;
  const view::Manifest* source_manifest_ = nullptr;
  const KnownViews* known_views_ = nullptr;
  bool source_verified_ = false;
  std::optional<std::uint64_t> target_bytes_;  // that windows make, if that is known; once the plan is whole
  bool rebuilds_alone_ = false;
  Digest128 target_digest_{};
  std::uint64_t decoded_pos_ = 0;  // of the target, where the windows decoded so far end
  Report report_;
  std::optional<WindowPipeline> pipeline_;
};

}  // namespace bdelta
