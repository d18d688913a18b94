// Writing a version 2 patch.
#pragma once

#include <optional>
#include <vector>

#include "delta/fills.hpp"
#include "delta/moved_numbers.hpp"
#include "format/native/envelope.hpp"
#include "format/native/group_choice.hpp"
#include "format/native/layout.hpp"
#include "format/native/substitution_record.hpp"
#include "format/prediction_plan.hpp"
#include "hash/sha256.hpp"
#include "view/geometry.hpp"
#include "view/tree/plan.hpp"
#include "io/spool.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta::native {

struct StreamTotals {
  StreamSizes raw{};
  StreamSizes coded{};
  std::uint64_t apply_ns = 0;  // nominal, to undo the coding
};

// Groups that are coded and not yet part of a patch.
struct CodedGroups {
  std::vector<GroupDraft> drafts;  // what is left of them: their streams are empty
  std::vector<GroupChoices> choices;

  [[nodiscard]] std::uint64_t bytes() const noexcept;
};

// Collects groups in a spool and knows in the end what the header has to declare. One thread at a time; compression
// uses the pool.
class Writer {
 public:
  Writer(const WriterSettings& settings, io::Spool& body, WorkerPool& pool)
      : settings_(settings), body_(body), pool_(pool), budget_(settings.limit_bytes) {}

  // From now on takes the digest of each record. To be called before the first.
  void list_digests() { hasher_.emplace(); }

  // The list, with its tag, once the end record is written.
  [[nodiscard]] Bytes encode_digests() const;

  // What models need to code bytes; without, none do. To be called before groups are added.
  void set_inputs(const ModelledInputs& inputs) noexcept { inputs_ = inputs; }

  // In this order, at any time: trees, views of the files. They stand in front of the body, …
  Status add_tree(const view::TreePlan& plan);
  Status add_views(const view::ViewPlans& plans);
  [[nodiscard]] ByteSpan front() const noexcept { return front_; }

  // … which has, before all groups: bytes of the target that groups have others in place of, numbers of the source that they copy as others, …
  Status add_fills(const Fills& fills);
  Status add_moved_numbers(const MovedNumbers& numbers);

  // … and what copies have others in place of.
  Status add_substitutions(const CodedSubstitutions& substitutions);

  // Compresses and appends groups, in order. A draft whose copies cost more than they save is made one of literals
  // alone, also for the caller to see.
  Status add_groups(std::vector<GroupDraft>& drafts);

  // The global record of a patch with prediction, in front of covers_of all groups that are going to be added, which come
  // before these. apply_bytes: what an applier takes for prediction.
  Status add_plan(const PredictionPlan& plan, std::uint64_t apply_bytes);

  // What groups would be; nothing is appended. The drafts may be changed as by add_groups. Without inputs no contents are
  // coded.
  Result<CodedGroups> code_groups(std::vector<GroupDraft> drafts, const ModelledInputs& inputs);

  // add_groups of what code_groups gave with the inputs of this patch.
  Status add_coded(const CodedGroups& groups) { return append_groups(groups.drafts, groups.choices); }

  // The end record.
  Status finish();

  // Fills window_bytes, group_bytes, decoder_memory_bytes and history_bytes.
  void declare(Header& header) const;

  [[nodiscard]] const WriterSettings& settings() const noexcept { return settings_; }
  [[nodiscard]] const StreamTotals& totals() const noexcept { return totals_; }

 private:
  Status append_groups(const std::vector<GroupDraft>& drafts, const std::vector<GroupChoices>& choices);
  Status append_group(const GroupDraft& draft, const GroupChoices& made);
  Status append_body(ByteSpan bytes);
  Status append_record(RecordTag tag, ByteSpan body);
  Status append_sealed(ByteSpan record);  // or the end of one
  void append_front(ByteSpan record);

  const WriterSettings settings_;
  ModelledInputs inputs_;
  io::Spool& body_;
  WorkerPool& pool_;
  FrameBudget budget_;
  LiteralCache literals_;
  Header limits_;
  StreamTotals totals_;
  PieceNumbers numbers_;
  std::optional<Sha256Hasher> hasher_;  // of the record being written; absent without a list
  std::vector<Sha256Digest> digests_;
  std::vector<Sha256Digest> front_digests_;
  Bytes front_;
  // Of an applier's memory:
  std::uint64_t plan_memory_bytes_ = 0;
  std::uint64_t tree_bytes_ = 0;
  std::uint64_t view_bytes_ = 0;
  std::uint64_t fill_bytes_ = 0;
  std::uint64_t moved_number_bytes_ = 0;
  std::uint64_t substitution_bytes_ = 0;
};

}  // namespace bdelta::native
