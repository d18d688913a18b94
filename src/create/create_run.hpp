// One making of a patch, step by step; create.cpp says in which order.
#pragma once

#include <optional>

#include "bdelta/create.hpp"
#include "base/timeline.hpp"
#include "create/budget.hpp"
#include "create/gathered_source.hpp"
#include "create/group_joiner.hpp"
#include "create/input.hpp"
#include "create/plan.hpp"
#include "create/program_pass.hpp"
#include "format/bdt1/writer.hpp"
#include "format/native/writer.hpp"
#include "hash/xxh3.hpp"
#include "io/memory_io.hpp"
#include "io/spool.hpp"
#include "match/matcher.hpp"
#include "match/target_copies.hpp"

namespace bdelta {

class CreateRun {
 public:
  // Everything must outlive the run.
  CreateRun(RandomReader& source, RandomReader& target, const CreateOptions& options);

  // Refuses what the format, the limits or the machine can't hold, and divides the memory.
  Status check_limits();
  Status load_inputs();    // those that are held as a whole
  Status digest_inputs();  // of the target only if it is held as a whole
  void settle_budget();    // where files that hardly differ need less memory than others of their size
  void begin_patch();

  void align_members();  // of archives; while their headers are whole

  Status leave_out_file_digests();
  Status leave_out_header_sums();  // of archives
  Status find_programs();  // where their fields can be predicted, and lists of digests be left out
  Status move_numbers();   // of lists in OLD that NEW has numbered anew

  // The target in parts, in order; each goes through the steps below.
  [[nodiscard]] std::vector<TargetRange> segments() const;
  Status load_segment(const TargetRange& segment);
  Status find_covers();
  Status choose_covers();  // of several sets the one that codes smallest
  Status find_words();     // that copies have others in place of
  Status find_target_copies();  // in place of covers that cost more
  Status compare_prediction();  // with what would have been made without it, where that takes no time
  Status encode();       // into the spool

  Status finish_body();  // and make the head
  Status self_check();   // applies head and spool in memory
  [[nodiscard]] std::uint64_t patch_bytes() const noexcept { return head_.size() + body_->size(); }  // then known
  Status write(SequentialWriter& patch);
  Status finish(SequentialWriter& patch);  // for create_file, whose writer is its own

  [[nodiscard]] Report take_report();
  void update_times(Report& report) const noexcept;  // adds the time since

 private:
  Status leave_out(PageHashLists lists);
  Status load_target(const TargetRange& segment);
  Status encode_native();
  Status encode_predicted();
  template <class Encode>
  std::vector<GroupDraft> with_fitting_windows(std::span<const GroupPlan> plans, const Encode& encode);
  std::vector<GroupDraft> encode_groups(const Covers& covers, std::span<const GroupPlan> plans);
  Status encode_bdt1();
  Status write_groups(std::vector<GroupDraft> groups);
  Status write_coded();
  Status finish_native();
  Status finish_bdt1();

  // What of a group may be coded by models of contents: nothing, the literals by the light one, all that shall be.
  enum class Measure { kWithoutContents, kLight, kAll };
  struct BodyDraft {
    std::vector<GroupDraft> groups;
    bool predicted = false;
    const WordMap* words = nullptr;  // that its copies have others in place of

    [[nodiscard]] std::uint64_t stream_bytes() const noexcept;
    [[nodiscard]] bool copies_target() const noexcept;
    [[nodiscard]] bool is_long() const noexcept;  // takes half a second to code
  };
  struct CodedBody {
    native::CodedGroups covers;  // of prediction
    native::CodedGroups groups;
    std::uint64_t bytes = 0;
    bool is_long = false;  // as its draft
  };
  struct Way {
    std::size_t index = 0;
    std::uint64_t estimated_bytes = 0;
    bool is_quick = false;  // to code: kept as a draft, not estimated
    bool is_long = false;   // likewise the contrary
    BodyDraft draft;
  };
  // All that was chosen and found for the segment.
  struct Made {
    std::unique_ptr<ProgramPass> programs;
    std::optional<native::CodedWords> words;
    Covers covers;
    std::optional<CodedBody> coded;
    FilePieces source_pieces;
  };
  static constexpr std::uint64_t kQuickBytes = 128 * 1024;  // of streams that are coded rather than estimated: that takes no time
  BodyDraft draft_body(const Covers& covers);
  BodyDraft draft_predicted_body();
  BodyDraft draft_way(std::size_t way);
  BodyDraft draft_chosen();
  [[nodiscard]] const WordMap* words() const noexcept { return words_ ? &words_->map : nullptr; }
  bool has_short_streams();
  bool contents_learn_words();
  Result<bool> light_misses_learn_words(const BodyDraft& draft);
  Status code_chosen();
  Result<std::uint64_t> made_bytes();
  Made take_made();
  void restore_made(Made made);
  [[nodiscard]] Measure full_measure() const noexcept;
  Result<std::uint64_t> plan_bytes();
  Result<CodedBody> code_body(BodyDraft draft, Measure measure);
  Result<std::vector<CodedBody>> code_bodies(std::vector<BodyDraft> drafts, Measure measure);
  static CodedBody part_of(CodedBody& all, std::size_t begin, std::size_t count);
  // Programs that may be better taken as plain data, in this segment.
  [[nodiscard]] bool doubts_prediction() const noexcept {
    return programs_ && programs_->in_doubt() && !compares_prediction_;
  }
  struct Part {
    std::uint64_t bytes = 0;
    std::uint64_t all_bytes = 0;  // that those are a part of
  };
  [[nodiscard]] Part sampled_part() const;
  Result<bool> is_prediction_clear(std::size_t plain);
  void add_sets_with_target_copies(const Covers& seeds, const ByteRanges& sample);
  Result<std::size_t> best_set(std::size_t count);
  Result<Way> next_set(std::size_t best, std::size_t first, std::size_t count);
  // Of parts of the target; they become found_.
  struct SampledSets {
    std::vector<Covers> sets;
    const ByteRanges& ranges;
    const Covers& seeds;  // of all of the target
    bool last_is_cheap = false;
  };
  Result<std::vector<std::size_t>> best_sets(const SampledSets& sampled);
  Result<std::vector<std::size_t>> best_sets_for_contents(const SampledSets& sampled);
  Result<std::vector<std::size_t>> best_of_sample(SampledSets sampled);
  // Too large to be parsed with all costs there are.
  [[nodiscard]] bool is_large_segment() const noexcept {
    return budget_.settings.choice_bytes > 0 && segment_.end - segment_.begin > budget_.settings.choice_bytes;
  }
  Result<std::uint64_t> estimate_body(const BodyDraft& draft, native::Estimate estimate = native::Estimate::kLikely);
  Result<std::vector<Way>> likely_ways(const std::vector<std::size_t>& indexes);
  Result<std::size_t> smallest_of(const std::vector<std::size_t>& indexes, Measure measure, double begin, double end);
  Result<std::size_t> smallest_with_contents(const std::vector<std::size_t>& ways);
  struct KnownPlan {
    Covers covers;
    std::uint64_t segment_begin = 0;
    std::vector<GroupPlan> groups;
  };
  [[nodiscard]] std::vector<GroupPlan> plan_of(const Covers& covers);
  Result<bool> is_smaller(BodyDraft after, std::uint64_t extra_bytes, BodyDraft before, Measure measure);
  Status take_words_if_smaller(native::CodedWords words, BodyDraft before);
  [[nodiscard]] bool has_coded_misses() const noexcept;
  Result<bool> is_larger_for_sure(const BodyDraft& draft, std::uint64_t extra_bytes);
  TargetCopies target_copies_for(const Covers& covers, const WordMap* words);
  FilePieces append_target();
  void take_target_copies();
  Result<std::optional<native::CodedWords>> search_words(const Covers& covers);
  Status try_target_copies(const Covers& covers, std::optional<native::CodedWords> other);
  Status take_target_copies_if_smaller(const Covers& covers, std::optional<native::CodedWords> other);
  std::vector<GroupDraft> predicted_groups();
  [[nodiscard]] ContentsInputs contents_inputs(bool predicted, const WordMap* words);
  void set_segment_range(double begin, double end);
  Status find_in_source(ByteSpan target, const Diagonals& diagonals);
  void move_to_segment(Covers& covers) const noexcept;
  void count_covers();
  void count_group(const GroupDraft& group, std::uint64_t literal_bytes, std::uint64_t residual_bytes);

  // The likeliest ones of the segment in the source.
  [[nodiscard]] Diagonals diagonals() const noexcept;

  RandomReader& source_reader_;
  RandomReader& target_reader_;
  const CreateOptions& options_;
  const std::uint64_t patch_limit_bytes_;
  Timeline timeline_;
  Watch watch_;
  BudgetRequest budget_request_;
  Budget budget_;
  std::optional<WorkerPool> pool_;
  InputBytes source_;                      // empty where it is gathered
  InputBytes target_;                      // empty where it is read by segments
  std::vector<AlignedRange> member_ranges_;  // of archives
  FileDigests file_digests_;               // target_ has others in their place
  HeaderSumSpans header_sums_;             // target_ has others in their place
  PageHashLists page_hashes_;              // target_ has zeros in their place
  bool may_have_objects_ = false;          // source_, that were not linked
  MovedNumbers moved_numbers_;             // source_ has others in their place
  Digest128 source_digest_{};
  Digest128 target_digest_{};
  Xxh3Hasher target_hasher_;               // of the segments

  std::unique_ptr<ProgramPass> programs_;  // null where nothing is predicted
  std::optional<std::uint64_t> plan_bytes_;  // that the record of programs_ takes in the patch
  bool compares_prediction_ = false;       // in the end, with what would have been made without it
  std::optional<Matcher> matcher_;         // over source_
  std::optional<GatheredSource> gathered_;
  TargetRange segment_{0, 0};
  double segment_share_ = 0;               // of its work that progress has come to
  Bytes segment_bytes_;                    // empty where target_ holds them
  FilePieces source_pieces_{ByteSpan()};   // at hand for the segment
  FilePieces target_pieces_{ByteSpan()};
  std::optional<native::CodedWords> words_;  // absent where none pay
  std::optional<native::CodedWords> other_words_;  // that did not pay for the covers alone
  std::vector<Covers> found_;              // sets of covers of the segment to choose from
  std::optional<GroupPlan> sample_;        // of the segment, while they are no more than that
  Covers covers_;                          // the one chosen
  std::vector<Covers> not_chosen_;         // the others beside slow contents, until copies of NEW were looked for
  std::optional<KnownPlan> known_plan_;    // the last one, where there are few covers
  std::optional<CodedBody> coded_;         // covers_ with words_ as the patch has them, if that is known already

  Bytes head_;                             // of the patch; the body is in the spool
  std::optional<io::Spool> body_;
  std::optional<io::Spool> literals_;      // bdt1 only
  std::optional<io::MemoryReader> source_memory_;  // over source_ and target_, where these are whole
  std::optional<io::MemoryReader> target_memory_;
  std::optional<native::Writer> writer_;
  std::optional<GroupJoiner> joiner_;
  std::optional<bdt1::Writer> bdt1_writer_;
  Report report_;
};

}  // namespace bdelta
