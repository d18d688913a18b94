// From covers to the body of the patch: groups of streams, coded and appended.
#include "create/patch_body.hpp"

#include <algorithm>
#include <utility>

#include "base/deciding/archives.hpp"
#include "base/deciding/prices.hpp"
#include "base/try.hpp"
#include "create/lend_tokens.hpp"
#include "format/patch_limit.hpp"

namespace bdelta {
namespace {

constexpr double kEncodedShare = 0.1;  // of a step, that making streams takes

std::uint64_t patch_limit(const CreateTask& task) {
  constexpr double kBeyondAll = 1e18;
  const double ratio = task.options.max_patch_ratio;
  const double limit = ratio * static_cast<double>(task.whole_target_bytes());
  return ratio > 0 && limit < kBeyondAll ? static_cast<std::uint64_t>(limit) : ~std::uint64_t{0};
}

native::WriterSettings writer_settings(const Budget& budget, std::uint64_t limit_bytes) {
  native::WriterSettings coding = budget.settings.coding;
  coding.limit_bytes = limit_bytes;
  coding.codec_bytes = budget.codec_bytes;
  coding.doubt_bytes = budget.draft_bytes;
  return coding;
}

}  // namespace

PatchBody::PatchBody(const CreateTask& task, const CreateInputs& inputs, CreateWork& work)
    : task_(task), inputs_(inputs), work_(work), limit_bytes_(patch_limit(task)) {
  const Budget& budget = work.budget();
  const io::SpoolOptions spool{budget.spool_bytes, task.options.temp_dir};
  patch_.body = std::make_unique<io::Spool>(spool);
  if (!task.is_native()) {
    literals_.emplace(spool);
    bdt1_writer_.emplace(*patch_.body, *literals_, limit_bytes_, task.watch);
    return;
  }
  writer_.emplace(writer_settings(budget, limit_bytes_), *patch_.body, work.pool());
  coder_.emplace(budget, inputs, *writer_, work.pool());
  coder_->on_coding([&work](const CodingBytes& streams, std::uint64_t units) {
    work.estimate().set_streams(streams);
    work.begin_step(WorkStep::kCode);
    work.watch().begin_stage(1, units);
  });
  if (task.options.group_digests) writer_->list_digests();
  joiner_.emplace(GroupLimits{budget.settings.group_bytes, budget.draft_bytes});
}

// Trees and views that it is made of.
Status PatchBody::add_containers() {
  if (task_.trees) BDELTA_TRY(writer_->add_tree(task_.trees->plan()));
  if (!task_.views) return {};
  view::ViewPlans plans = task_.views->plans();
  task_.views->restore_target();
  patch_.lent_ns = lend_tokens(*task_.views, copies_, plans);
  patch_.recipe = plans.front().recipe;
  return writer_->add_views(plans);
}

// Of NEW's texts, which may have tokens of OLD's streams.
void PatchBody::note_copies() {
  if (!task_.views) return;
  for (const Cover& cover : chosen_.covers) {
    const bool goes_on = !copies_.empty() && copies_.back().target_end() == cover.target_pos && copies_.back().source_end() == cover.source_pos;
    if (!goes_on && !copies_.empty() && copies_.back().length < kLeastLentBytes) copies_.pop_back();
    add_joined(copies_, cover);
  }
}

Status PatchBody::add_fills(const Fills& fills) {
  if (fills.empty()) return {};
  patch_.report.nominal_apply_ns += hashed_bytes(fills) / 1024 * kHashedKiBNs;
  return writer_->add_fills(fills);
}

Status PatchBody::add_moved_numbers(const MovedNumbers& numbers) {
  return numbers.lists.empty() ? Status() : writer_->add_moved_numbers(numbers);
}

Status PatchBody::add(Chosen chosen) {
  chosen_ = std::move(chosen);
  if (chosen_.coded) work_.estimate().set_streams({});
  work_.begin_step(WorkStep::kCode);
  if (!writer_) return add_bdt1();
  if (chosen_.programs) {
    patch_.is_predicted = true;
    patch_.report.nominal_apply_ns += total_bytes(chosen_.programs->predicted_ranges()) * kPredictedNs;
  }
  writer_->set_inputs(coder_->modelled_inputs(chosen_.programs.get(), chosen_.substitution_table()));
  count_covers();
  note_copies();
  if (chosen_.substitutions) BDELTA_TRY(writer_->add_substitutions(*chosen_.substitutions));
  BDELTA_TRY(chosen_.coded ? add_coded() : chosen_.programs ? add_predicted() : add_native());
  if (!work_.budget().target_whole) joiner_->forget_target();
  Covers().swap(chosen_.covers);
  return {};
}

Status PatchBody::add_groups(std::vector<GroupDraft> groups) {
  {
    const Step step(work_.pool(), PhaseId::kCompress);
    BDELTA_TRY(writer_->add_groups(groups));
  }
  for (const GroupDraft& group : groups) {
    count_group(group, group.streams[kLiterals].size(), group.streams[kResidualValues].size());
  }
  return {};
}

// What was coded for comparing it.
Status PatchBody::add_coded() {
  const CodedBody body = *std::exchange(chosen_.coded, {});
  if (const ProgramPass* const programs = chosen_.programs.get()) {
    BDELTA_TRY(writer_->add_plan(programs->plan(), programs->apply_bytes()));
    BDELTA_TRY(writer_->add_coded(body.covers));
  }
  BDELTA_TRY(writer_->add_coded(body.groups));
  for (std::size_t g = 0; g < body.groups.drafts.size(); ++g) {
    const StreamSizes& raw_bytes = body.groups.choices[g].raw_bytes;
    count_group(body.groups.drafts[g], raw_bytes[kLiterals], raw_bytes[kResidualValues]);
  }
  return {};
}

Status PatchBody::add_native() {
  const Budget& budget = work_.budget();
  const std::vector<GroupOutline> outlines = coder_->outlines_of(chosen_.covers, nullptr);
  CodingBytes encoded, coded;  // some wait for more in the joiner
  const auto batch_groups = std::max<std::size_t>(1, static_cast<std::size_t>(budget.batch_bytes / budget.outline_bytes));
  for (std::size_t begin = 0; begin < outlines.size(); begin += batch_groups) {
    const auto batch = std::span(outlines).subspan(begin, std::min(batch_groups, outlines.size() - begin));
    const double before = static_cast<double>(begin) / static_cast<double>(outlines.size());
    const double after = static_cast<double>(begin + batch.size()) / static_cast<double>(outlines.size());
    std::uint64_t batch_bytes = 0;
    for (const GroupOutline& outline : batch) batch_bytes += target_bytes(outline);
    task_.watch.begin_stage(before + kEncodedShare * (after - before), batch_bytes);
    std::vector<GroupDraft> groups = coder_->encode(chosen_.covers, batch, chosen_.substitution_table(), nullptr);
    encoded += streams_of(groups);
    groups = joiner_->add(std::move(groups));
    coded += streams_of(groups);
    const double coded_share = static_cast<double>(coded.all()) / static_cast<double>(encoded.all() + 1);
    task_.watch.begin_stage(after * coded_share, coding_units(groups, budget.settings.coding.model));
    BDELTA_TRY(add_groups(std::move(groups)));
  }
  work_.estimate().set_streams({encoded.literals - coded.literals, encoded.numbers - coded.numbers});
  return {};
}

Status PatchBody::add_predicted() {
  task_.watch.begin_stage(kEncodedShare, inputs_.target_size());
  const ProgramPass* const programs = chosen_.programs.get();
  const std::vector<GroupOutline> outlines = coder_->outlines_of(chosen_.covers, programs);
  std::vector<GroupDraft> drafts = coder_->encode(chosen_.covers, outlines, chosen_.substitution_table(), programs);
  std::vector<GroupDraft> covers = covers_of(drafts);
  task_.watch.begin_stage(1, coding_units(drafts, work_.settings().coding.model));
  {
    const Step step(work_.pool(), PhaseId::kCompress);
    BDELTA_TRY(writer_->add_plan(programs->plan(), programs->apply_bytes()));
    BDELTA_TRY(writer_->add_groups(covers));
  }
  return add_groups(std::move(drafts));
}

Status PatchBody::add_bdt1() {
  const std::uint64_t length = inputs_.segment_size();
  const Step step(work_.pool(), PhaseId::kEncode, length);
  task_.watch.begin_stage(0.5, length);
  chosen_.covers = bdt1::lower_covers(inputs_.source_pieces, inputs_.target_pieces, chosen_.covers, &task_.watch);
  count_covers();
  task_.watch.begin_stage(1, length);
  return bdt1_writer_->add(inputs_.target_pieces, inputs_.segment.end, chosen_.covers);
}

Result<Patch> PatchBody::finish(const InputDigests& digests) {
  work_.begin_step(WorkStep::kCode);
  Report& report = patch_.report;
  report.source_digests = digests.source;
  report.target_digests = digests.target;
  report.source_bytes = task_.source_file().size();
  report.target_bytes = task_.whole_target_bytes();
  report.format = task_.is_native() ? "bdt2" : "bdt1";
  report.level = task_.options.level;
  report.threads = work_.pool().thread_count();
  BDELTA_TRY(writer_ ? finish_native(digests) : finish_bdt1());
  if (patch_.size() > limit_bytes_) return patch_too_large(limit_bytes_);
  return std::move(patch_);
}

Status PatchBody::finish_bdt1() {
  task_.watch.begin_stage(1, literals_->size());
  BDELTA_ASSIGN(patch_.head, bdt1_writer_->finish(inputs_.source_size()));
  return {};
}

Status PatchBody::finish_native(const InputDigests& digests) {
  Report& report = patch_.report;
  std::vector<GroupDraft> last = joiner_->finish();
  task_.watch.begin_stage(1, coding_units(last, work_.settings().coding.model));
  BDELTA_TRY(add_groups(std::move(last)));
  BDELTA_TRY(writer_->finish());
  BDELTA_TRY(add_containers());
  native::Header header;
  header.source_size = report.source_bytes;
  header.target_size = report.target_bytes;
  header.source_digest = *digests.source.xxh3_128;
  header.target_digest = *digests.target.xxh3_128;
  writer_->declare(header);
  report.decoder_memory_bytes = header.decoder_memory_bytes;
  patch_.head = native::encode_header(header);
  if (task_.options.group_digests) {
    append(patch_.head, writer_->encode_digests());
    report.head_sha256 = sha256(patch_.head);
  }
  append(patch_.head, writer_->front());
  const native::StreamTotals& totals = writer_->totals();
  report.nominal_apply_ns += totals.apply_ns;
  for (std::size_t i = 0; i < kModelledCode; ++i) {
    report.streams.push_back({stream_name(i), totals.raw[i], totals.coded[i]});
  }
  return {};
}

void PatchBody::count_covers() {
  const std::uint64_t covered = covered_bytes(chosen_.covers);
  patch_.report.cover_count += chosen_.covers.size();
  patch_.report.covered_bytes += covered;
  patch_.report.literal_bytes += inputs_.segment_size() - covered;
}

// What a group adds to the report. Of one that became literals, copies are none after all.
void PatchBody::count_group(const GroupDraft& group, std::uint64_t literal_bytes, std::uint64_t residual_bytes) {
  Report& report = patch_.report;
  report.window_count += group.windows.size();
  report.residual_bytes += residual_bytes;
  if (group.target.empty() || literal_bytes < group.target.size()) return;
  report.cover_count -= group.cover_count;
  report.covered_bytes -= group.covered_bytes;
  report.literal_bytes += group.covered_bytes;
}

}  // namespace bdelta
