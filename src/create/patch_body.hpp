// The body of a patch in the making, in either format: what was chosen goes in, segment by segment.
#pragma once

#include <memory>
#include <optional>

#include "create/body_coder.hpp"
#include "create/create_work.hpp"
#include "create/group_joiner.hpp"
#include "create/patch.hpp"
#include "format/bdt1/writer.hpp"

namespace bdelta {

// One thread at a time; the work uses the pool.
class PatchBody {
 public:
  // All must outlive the body.
  PatchBody(const CreateTask& task, const CreateInputs& inputs, CreateWork& work);

  // What the patch says before all segments, in this order. Native patches alone have any.
  Status add_fills(const Fills& fills);
  Status add_moved_numbers(const MovedNumbers& numbers);

  // What was chosen for the segment at hand.
  Status add(Chosen chosen);

  // The whole patch, once no segment is left; then the body is empty. Its report has what is known of the body.
  Result<Patch> finish(const InputDigests& digests);

  // What tells of alternatives how much they take; null where the format has no other form than covers.
  [[nodiscard]] BodyCoder* coder() noexcept { return coder_ ? &*coder_ : nullptr; }
  [[nodiscard]] native::Writer& native_writer() noexcept { return *writer_; }

 private:
  Status add_groups(std::vector<GroupDraft> groups);
  Status add_coded();
  Status add_predicted();
  Status add_native();
  Status add_bdt1();
  Status finish_bdt1();
  Status finish_native(const InputDigests& digests);
  Status add_containers();
  void note_copies();
  void count_covers();
  void count_group(const GroupDraft& group, std::uint64_t literal_bytes, std::uint64_t residual_bytes);

  const CreateTask& task_;
  const CreateInputs& inputs_;
  CreateWork& work_;
  const std::uint64_t limit_bytes_;  // of a patch that is of use
  Patch patch_;
  Chosen chosen_;  // that is added: groups that are open look at it
  Covers copies_;  // of all segments, if there are views

  std::optional<native::Writer> writer_;  // these three are native, …
  std::optional<BodyCoder> coder_;
  std::optional<GroupJoiner> joiner_;
  std::optional<io::Spool> literals_;     // … these two are not
  std::optional<bdt1::Writer> bdt1_writer_;
};

}  // namespace bdelta
