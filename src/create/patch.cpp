#include "create/patch.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "base/deciding/prices.hpp"
#include "base/try.hpp"
#include "create/create_work.hpp"
#include "create/self_check.hpp"
#include "hash/file_hasher.hpp"

namespace bdelta {

Status self_check(const CreateTask& task, const CreateInputs& inputs, CreateWork& work, Patch& patch) {
  if (!task.options.verify) return {};
  work.begin_step(WorkStep::kVerify);
  const Step step(work.pool(), PhaseId::kVerify, inputs.target_size());
  if (task.views) task.views->drop_target_view();
  task.timeline.count_all_as(PhaseId::kVerify);
  io::MemoryReader source(inputs.source.bytes()), target(inputs.target.bytes());
  const bool has_source = work.budget().source_whole && !inputs.source.is_edited();
  const bool has_target = work.budget().target_whole && !inputs.target.is_edited();
  RandomReader& checked_source = task.views ? task.source_file() : has_source ? source : inputs.source_reader;
  RandomReader& checked_target = task.views ? task.target_file() : has_target ? target : inputs.target_reader;
  std::function<Result<Digest128>(const view::TreePlan&)> tree_digest;
  if (task.trees) tree_digest = [&task](const view::TreePlan& plan) { return task.trees->digest_as_applied(plan); };
  std::optional<KnownViews> known;
  if (task.views) known = task.views->known(patch.recipe);
  Status checked = check_patch(checked_source, checked_target, patch.head, *patch.body, work.pool(),
                               task.options.memory_limit_bytes != 0, known ? &*known : nullptr, tree_digest);
  task.timeline.count_all_as({});
  BDELTA_TRY(std::move(checked));
  patch.report.verified = true;
  return {};
}

Status write_patch(const CreateTask& task, Patch& patch, SequentialWriter& out) {
  Report& report = patch.report;
  report.patch_bytes = patch.size();
  const Span span(&task.timeline, PhaseId::kWrite, TraceSpan::kNone, report.patch_bytes);
  task.watch.set_phase(PhaseId::kWrite);
  task.watch.begin_part(1);
  task.watch.begin_stage(1, report.patch_bytes);
  std::optional<FileHasher> hasher;
  if (task.options.digest_patch) hasher.emplace(true);
  const auto put = [&](ByteSpan bytes) {
    if (hasher) {
      const Span hashing(&task.timeline, PhaseId::kHash, TraceSpan::kNone, bytes.size());
      hasher->update(bytes);
    }
    return out.write(bytes);
  };
  BDELTA_TRY(put(patch.head));
  BDELTA_ASSIGN(const auto body, patch.body->open_reader());
  Bytes buffer(static_cast<std::size_t>(std::min<std::uint64_t>(patch.body->size() + 1, std::uint64_t{1} << 20)));
  for (;;) {
    BDELTA_ASSIGN(const std::size_t count, body->read(buffer));
    if (count == 0) break;
    BDELTA_TRY(put(ByteSpan(buffer).first(count)));
    task.watch.advance(count);
  }
  if (hasher) report.patch_digests = hasher->finish();
  task.watch.begin_stage(1, 0);
  return {};
}

// With them goes what views take when applying, and all bytes of NEW. Tokens that OLD's streams have are unpacked, not searched for.
void report_streams(const CreateTask& task, const UnpackReport& unpack, Patch& patch) noexcept {
  Report& report = patch.report;
  report.unpack = unpack;
  const std::uint64_t target_size = task.views ? task.views->target_view_bytes() : task.target.size();
  report.nominal_apply_ns += kPatchNs + target_size / 1024 * kTargetKiBNs;
  if (task.views) report.nominal_apply_ns += task.views->apply_ns() - patch.lent_ns;
}

Report take_report(const CreateTask& task, Patch& patch) {
  patch.report.phases = task.timeline.phases(kCreatePhases);
  patch.report.wall_seconds = task.timeline.elapsed_seconds();
  return std::move(patch.report);
}

}  // namespace bdelta
