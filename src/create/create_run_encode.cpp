// From covers to the body of the patch: groups of streams, coded and appended.
#include "create/create_run.hpp"

#include <algorithm>
#include <utility>

#include "base/deciding/prices.hpp"
#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr double kEncodedShare = 0.1;  // of a step, that making streams takes

}  // namespace

Status CreateRun::encode(Chosen chosen) {
  chosen_ = std::move(chosen);
  if (chosen_.coded) work_->set_streams({});
  begin_step(WorkStep::kCode);
  if (chosen_.programs) report_.nominal_apply_ns += target_size() * kPredictedNs;
  if (writer_) writer_->set_inputs(coder_->modelled_inputs(chosen_.programs.get(), chosen_.substitution_table()));
  if (options_.format == PatchFormat::kBdt1) {
    BDELTA_TRY(encode_bdt1());
  } else {
    count_covers();
    if (chosen_.substitutions) BDELTA_TRY(writer_->add_substitutions(*chosen_.substitutions));
    BDELTA_TRY(chosen_.coded ? write_coded() : chosen_.programs ? encode_predicted() : encode_native());
  }
  Covers().swap(chosen_.covers);
  return {};
}

Status CreateRun::write_groups(std::vector<GroupDraft> groups) {
  {
    const Step step(*pool_, PhaseId::kCompress);
    BDELTA_TRY(writer_->add_groups(groups));
  }
  for (const GroupDraft& group : groups) {
    count_group(group, group.streams[kLiterals].size(), group.streams[kResidualValues].size());
  }
  return {};
}

// What was coded for comparing it.
Status CreateRun::write_coded() {
  const CodedBody body = *std::exchange(chosen_.coded, {});
  if (chosen_.programs) BDELTA_TRY(writer_->add_coded_plan(chosen_.programs->plan(), body.covers, chosen_.programs->apply_bytes()));
  BDELTA_TRY(writer_->add_coded(body.groups));
  for (std::size_t g = 0; g < body.groups.drafts.size(); ++g) {
    const StreamSizes& raw_bytes = body.groups.choices[g].raw_bytes;
    count_group(body.groups.drafts[g], raw_bytes[kLiterals], raw_bytes[kResidualValues]);
  }
  return {};
}

// What a group adds to the report. Of one that became literals, copies are none after all.
void CreateRun::count_group(const GroupDraft& group, std::uint64_t literal_bytes, std::uint64_t residual_bytes) {
  report_.window_count += group.windows.size();
  report_.residual_bytes += residual_bytes;
  if (group.target.empty() || literal_bytes < group.target.size()) return;
  report_.cover_count -= group.cover_count;
  report_.covered_bytes -= group.covered_bytes;
  report_.literal_bytes += group.covered_bytes;
}

Status CreateRun::encode_native() {
  const std::vector<GroupOutline> outlines = coder_->outlines_of(chosen_.covers, nullptr);
  CodingBytes encoded, coded;  // some wait for more in the joiner
  const auto batch_groups = std::max<std::size_t>(1, static_cast<std::size_t>(budget_.batch_bytes / budget_.outline_bytes));
  for (std::size_t begin = 0; begin < outlines.size(); begin += batch_groups) {
    const std::size_t end = std::min(begin + batch_groups, outlines.size());
    const double before = static_cast<double>(begin) / static_cast<double>(outlines.size());
    const double after = static_cast<double>(end) / static_cast<double>(outlines.size());
    std::uint64_t batch_bytes = 0;
    for (std::size_t i = begin; i < end; ++i) batch_bytes += target_bytes(outlines[i]);
    watch_.begin_stage(before + kEncodedShare * (after - before), batch_bytes);
    std::vector<GroupDraft> groups =
        coder_->encode(chosen_.covers, std::span(outlines).subspan(begin, end - begin),
                       chosen_.substitution_table(), nullptr);
    encoded += streams_of(groups);
    groups = joiner_->add(std::move(groups));
    coded += streams_of(groups);
    const double coded_share = static_cast<double>(coded.all()) / static_cast<double>(encoded.all() + 1);
    watch_.begin_stage(after * coded_share, coding_units(groups, budget_.settings.model));
    BDELTA_TRY(write_groups(std::move(groups)));
  }
  work_->set_streams({encoded.literals - coded.literals, encoded.numbers - coded.numbers});
  return {};
}

Status CreateRun::encode_predicted() {
  watch_.begin_stage(kEncodedShare, target_size());
  const ProgramPass* const programs = chosen_.programs.get();
  const std::vector<GroupOutline> outlines = coder_->outlines_of(chosen_.covers, programs);
  std::vector<GroupDraft> drafts = coder_->encode(chosen_.covers, outlines, chosen_.substitution_table(), programs);
  std::vector<GroupDraft> covers = covers_of(drafts);
  watch_.begin_stage(1, coding_units(drafts, budget_.settings.model));
  {
    const Step step(*pool_, PhaseId::kCompress);
    BDELTA_TRY(writer_->add_plan(programs->plan(), covers, programs->apply_bytes()));
  }
  return write_groups(std::move(drafts));
}

Status CreateRun::encode_bdt1() {
  const Step step(*pool_, PhaseId::kEncode, inputs_.segment.end - inputs_.segment.begin);
  watch_.begin_stage(0.5, inputs_.segment.end - inputs_.segment.begin);
  chosen_.covers = bdt1::lower_covers(inputs_.source_pieces, inputs_.target_pieces, chosen_.covers, &watch_);
  count_covers();
  watch_.begin_stage(1, inputs_.segment.end - inputs_.segment.begin);
  return bdt1_writer_->add(inputs_.target_pieces, inputs_.segment.end, chosen_.covers);
}

Status CreateRun::finish_native() {
  std::vector<GroupDraft> last = joiner_->finish();
  watch_.begin_stage(1, coding_units(last, budget_.settings.model));
  BDELTA_TRY(write_groups(std::move(last)));
  BDELTA_TRY(writer_->finish());
  native::Header header;
  header.source_size = source_file().size();
  header.target_size = whole_target_bytes();
  header.source_digest = *report_.source_digests.xxh3_128;
  header.target_digest = *report_.target_digests.xxh3_128;
  writer_->declare(header);
  report_.decoder_memory_bytes = header.decoder_memory_bytes;
  head_ = native::encode_header(header);
  if (options_.group_digests) {
    append(head_, writer_->encode_digests());
    report_.head_sha256 = sha256(head_);
  }
  report_.nominal_apply_ns += writer_->totals().apply_ns;
  for (std::size_t i = 0; i < kModelledCode; ++i) {
    report_.streams.push_back({stream_name(i), writer_->totals().raw[i], writer_->totals().coded[i]});
  }
  return {};
}

// With them goes what views take when applying, and all bytes of NEW.
void CreateRun::report_streams(const UnpackReport& unpack) noexcept {
  report_.unpack = unpack;
  const std::uint64_t packed_bytes = std::min(unpack.unpacked.bytes, target_file().size());
  const std::uint64_t raw_bytes = views_ ? target_size() - std::min(target_size(), target_file().size() - packed_bytes) : 0;
  report_.nominal_apply_ns += target_size() / 1024 * kTargetKiBNs;
  if (views_) report_.nominal_apply_ns += source_size() * kUnpackNs + raw_bytes * kRebuiltNs;
}

void CreateRun::count_covers() {
  report_.cover_count += chosen_.covers.size();
  const std::uint64_t covered = covered_bytes(chosen_.covers);
  report_.covered_bytes += covered;
  report_.literal_bytes += inputs_.segment.end - inputs_.segment.begin - covered;
}

}  // namespace bdelta
