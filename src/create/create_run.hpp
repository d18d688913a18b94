// One making of a patch, step by step; create.cpp says in which order.
#pragma once

#include <optional>

#include "bdelta/create.hpp"
#include "base/timeline.hpp"
#include "create/body_coder.hpp"
#include "create/file_views.hpp"
#include "create/gathered_source.hpp"
#include "create/group_joiner.hpp"
#include "create/survey.hpp"
#include "create/work_estimate.hpp"
#include "format/bdt1/writer.hpp"
#include "hash/file_hasher.hpp"
#include "io/spool.hpp"
#include "match/matcher.hpp"
#include "view/members.hpp"

namespace bdelta {

class CreateRun {
 public:
  struct Members {
    view::Members source, target;
  };
  struct Images {
    std::vector<exe::Image> source, target;
    bool may_have_objects = false;  // in the source, that were not linked

    [[nodiscard]] bool may_be_predicted() const noexcept { return !source.empty() && !target.empty(); }
  };

  // Everything must outlive the run. The watch counts bytes of the target from now on. With views the patch is made of
  // these, which `source` and `target` are then; it is a patch for the files.
  // With trees, it is a patch for these, and the files are their streams.
  CreateRun(RandomReader& source, RandomReader& target, const CreateOptions& options, Timeline& timeline, Watch& watch,
            const FileViews* views = nullptr, const TreePair* trees = nullptr);

  // Refuses what the format, the limits or the machine can't hold, and divides the memory.
  Status check_limits();
  Status load_inputs();    // those that are held as a whole
  Status digest_inputs();  // of the target only if it is held as a whole, and not where its digests are known
  void settle_budget();    // where files that hardly differ need less memory than others of their size
  void begin_patch();

  Status add_trees();  // where the patch is made of them, …
  Status add_views();  // … likewise

  // Of archives, and which are the same in both; while their headers are whole.
  [[nodiscard]] Members find_members();
  [[nodiscard]] Images find_images() const;  // of programs
  Status find_fills(Members members, const Images& images);  // what an applier computes by itself

  // One search, where both files are at hand as a whole; nothing elsewhere. Good until one of them is edited.
  [[nodiscard]] Survey survey();
  // Whether NEW, where it is not in OLD, has streams that could be unpacked.
  [[nodiscard]] bool hides_streams(const Survey& survey) const;
  // Null where fields can't be predicted, or that doesn't pay. plain_covers: of the survey.
  [[nodiscard]] std::unique_ptr<ProgramPass> find_programs(Images& images, const Covers& plain_covers);
  Result<bool> move_numbers();  // of lists in OLD that NEW has numbered anew; whether OLD was edited for that

  // The target in parts, in order; each goes through the steps below.
  [[nodiscard]] std::vector<TargetRange> segments() const;
  Status load_segment(const TargetRange& segment);
  // What codes smallest. The survey may be none; programs: see find_programs.
  Result<Chosen> choose(Survey survey, std::unique_ptr<ProgramPass> programs);
  Status encode(Chosen chosen);  // into the spool

  Status finish_body();  // and make the head
  Status self_check();   // applies head and spool in memory
  [[nodiscard]] std::uint64_t patch_bytes() const noexcept { return head_.size() + body_->size(); }  // then known
  [[nodiscard]] std::uint64_t decoder_memory_bytes() const noexcept { return report_.decoder_memory_bytes; }  // likewise
  Status write(SequentialWriter& patch);
  Status finish(SequentialWriter& patch);  // for create_file, whose writer is its own

  void report_streams(const UnpackReport& unpack) noexcept;
  [[nodiscard]] Report take_report();
  void update_times(Report& report) const noexcept;  // adds the time since

 private:
  [[nodiscard]] bool may_predict() const;
  Likeness look_for_likeness();     // of both files, that are whole
  void take_budget(Budget budget);  // in place of a scarce one
  void list_left_out(std::uint64_t needed_bytes);
  Status load_target(const TargetRange& segment);
  // Sets of covers of the segment without prediction.
  Result<std::vector<Covers>> find_sets(Survey survey, const ProgramPass* doubted);
  // Of what is not predicted, which is a file of its own in this.
  Result<Covers> find_outside_covers(const TargetRanges& predicted);
  // Of those sets, and of `doubted`, which may be null.
  Result<Chosen> choose_plain(Survey survey, std::unique_ptr<ProgramPass> doubted);
  Status refine(Chosen& chosen);  // substitutions, and copies of NEW
  Status encode_native();
  Status encode_predicted();
  Status encode_bdt1();
  Status write_groups(std::vector<GroupDraft> groups);
  Status write_coded();
  Status finish_native();
  Status finish_bdt1();
  void count_covers();
  void count_group(const GroupDraft& group, std::uint64_t literal_bytes, std::uint64_t residual_bytes);
  // Stages from now on are those of this step, or of these. Progress keeps what steps before it have come to.
  void begin_step(WorkStep first, WorkStep last) { watch_.begin_part(work_->share(first, last)); }
  void begin_step(WorkStep step) { begin_step(step, step); }

  // Whether both files are at hand as a whole, in one segment, for a patch that may say more of them than copies.
  [[nodiscard]] bool sees_whole_files() const noexcept { return budget_.ample && writer_; }
  Result<std::uint64_t> bytes_of(Chosen& chosen);
  // The likeliest ones of the segment in the source.
  [[nodiscard]] Diagonals diagonals() const noexcept;
  [[nodiscard]] std::uint64_t source_size() const noexcept { return inputs_.source_reader.size(); }
  [[nodiscard]] std::uint64_t target_size() const noexcept { return inputs_.target_reader.size(); }

  [[nodiscard]] RandomReader& source_file() const noexcept { return views_ ? views_->source_file() : inputs_.source_reader; }
  [[nodiscard]] RandomReader& target_file() const noexcept { return views_ ? views_->target_file() : inputs_.target_reader; }
  // What people have: of a tree all of it.
  [[nodiscard]] std::uint64_t whole_target_bytes() const noexcept { return trees_ ? trees_->target_bytes() : target_file().size(); }

  // Where a tar archive begins, if there is one; a tree as a whole is none.
  [[nodiscard]] std::uint64_t source_archive_pos() const noexcept {
    return trees_ ? source_size() : views_ ? views_->source_archive_pos() : 0;
  }
  [[nodiscard]] std::uint64_t target_archive_pos() const noexcept {
    return trees_ ? target_size() : views_ ? views_->target_archive_pos() : 0;
  }

  const CreateOptions& options_;
  const FileViews* const views_;  // null where files are taken as they are
  const TreePair* const trees_;   // null where the patch is for files
  const std::uint64_t patch_limit_bytes_;
  Timeline& timeline_;
  Watch& watch_;
  BudgetRequest budget_request_;
  Budget budget_;
  std::optional<WorkerPool> pool_;
  std::optional<WorkEstimate> work_;

  CreateInputs inputs_;
  std::optional<FileHasher> target_hasher_;  // absent where the caller knows the digests
  std::optional<Matcher> matcher_;         // over a source that is whole, where the target is cut into segments
  std::optional<GatheredSource> gathered_;  // where it is not whole
  std::vector<AlignedRange> member_ranges_;

  // What the inputs have others in place of:
  Fills fills_;                            // in the target
  MovedNumbers moved_numbers_;             // in the source

  // Of the segment:
  Bytes segment_bytes_;                    // empty where inputs_.target holds them
  Chosen chosen_;                          // that is encoded: the writer looks at it until the body is finished

  Bytes head_;                             // of the patch; the body is in the spool
  std::optional<io::Spool> body_;
  std::optional<io::Spool> literals_;      // bdt1 only
  std::optional<native::Writer> writer_;   // these three: not for bdt1
  std::optional<BodyCoder> coder_;
  std::optional<GroupJoiner> joiner_;
  std::optional<bdt1::Writer> bdt1_writer_;
  Report report_;
};

}  // namespace bdelta
