// Covers and predictions for files that hold programs (exe/). The fields of both are found and made comparable, and
// covers are chosen on what that gives. Copies are predicted by the very function that applies them.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "apply/predicted_copies.hpp"
#include "base/raw_buffer.hpp"
#include "create/changed_images.hpp"
#include "create/level.hpp"
#include "create/group_outline.hpp"
#include "create/table_pass.hpp"
#include "exe/choose_kinds.hpp"
#include "format/prediction_plan.hpp"
#include "match/matcher.hpp"

namespace bdelta {

// For one pair of files as a whole. Takes the memory of both again, and of their fields.
class ProgramPass {
 public:
  // Null if one of the files holds no program, if they hardly differ, if fields don't behave like addresses of this pair,
  // or if bpatch would need too much memory. Both must outlive the object, and so must the settings. The images are those
  // of the files, the covers those of a fast search.
  static std::unique_ptr<ProgramPass> begin(ByteSpan source, std::vector<exe::Image> source_images, ByteSpan target,
                                            std::vector<exe::Image> target_images, const Covers& plain_covers,
                                            const LevelSettings& settings, WorkerPool& pool);

  // Finds covers of the target where fields that lead to the same place are equal, and settles what the patch says of
  // its predictions and what copies give by them. outside_covers: of what predicted_ranges leave, which stay as they are.
  void find_covers(const Diagonals& diagonals, const Covers& outside_covers);

  // Of the target, by a fast search without prediction.
  [[nodiscard]] std::uint64_t plain_changed_bytes() const noexcept { return plain_changed_bytes_; }

  // After find_covers: the files may be better taken as plain data.
  [[nodiscard]] bool in_doubt() const noexcept { return in_doubt_; }

  // After find_covers: so little changes that substitutions and copies of NEW may do as much as prediction did.
  [[nodiscard]] bool is_close_call() const noexcept { return is_close_call_; }

  [[nodiscard]] const PredictionPlan& plan() const noexcept { return plan_; }

  // Of the target, whose covers are those of the plan.
  [[nodiscard]] const ByteRanges& predicted_ranges() const noexcept { return predicted_ranges_; }

  // Of the whole target.
  [[nodiscard]] const Covers& covers() const noexcept { return covers_; }

  // What copies by these give, at the positions of the target; what no cover copies is 0.
  [[nodiscard]] ByteSpan copied() const noexcept { return copied_.span(); }

  // Memory that an applier takes for the predictions.
  [[nodiscard]] std::uint64_t apply_bytes() const noexcept { return apply_bytes_; }

 private:
  ProgramPass(ByteSpan source, ByteSpan target, const LevelSettings& settings, WorkerPool& pool)
      : source_(source), target_(target), settings_(settings), pool_(pool) {}

  [[nodiscard]] bool may_pay(std::vector<exe::Image> images, const exe::OwnerMap& map, const exe::Images& target_images);
  [[nodiscard]] exe::KindCounts count_kinds(const exe::OwnerMap& map, const exe::Images& target_images,
                                            std::size_t most_share) const;
  void find_source_code();
  void find_target_program(std::vector<exe::Image> images);
  [[nodiscard]] Covers masked_covers(const Diagonals& diagonals);
  [[nodiscard]] Covers labelled_covers(const Covers& first, const ParseParams& level_params);
  // False: prediction saves less than it takes.
  [[nodiscard]] bool keep_fitting_kinds(const exe::OwnerMap& map, const exe::Images& target_images);
  [[nodiscard]] bool is_distant() const noexcept;
  void predict(const Covers& covers, const Covers& outside_covers);
  [[nodiscard]] bool is_doubtful(const exe::KindCounts& counts, std::uint64_t left_bytes) const;
  void make_copies(const exe::OwnerMap& map, const Covers& outside_covers, std::span<const exe::Label> labels);

  const ByteSpan source_;
  const ByteSpan target_;
  const LevelSettings& settings_;
  WorkerPool& pool_;
  std::uint64_t plain_changed_bytes_ = 0;  // of the target, by a fast search without prediction
  std::optional<exe::Program> old_;
  std::optional<exe::Program> new_;
  std::optional<TablePass> tables_;
  exe::KindSet fitting_kinds_ = exe::kAllKinds;  // that are looked at when covers are chosen
  ByteBuffer old_image_;  // the files with their fields made comparable
  ByteBuffer new_image_;
  std::uint64_t field_bytes_ = 0;  // of OLD in bpatch
  std::uint64_t apply_bytes_ = 0;
  bool in_doubt_ = false;
  bool is_close_call_ = false;
  ByteRanges predicted_ranges_;
  Covers covers_;
  PredictionPlan plan_;
  ByteBuffer copied_;
};

}  // namespace bdelta
