#include "create/create_run.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "base/try.hpp"
#include "create/budget.hpp"
#include "create/self_check.hpp"
#include "format/bdt1/writer.hpp"
#include "format/native/writer.hpp"
#include "match/source_index.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kBatchBytes = std::uint64_t{256} << 20;  // target bytes of groups compressed together

io::SpoolOptions spool_options(const CreateOptions& options) {
  io::SpoolOptions spool;
  spool.directory = options.temp_dir;
  return spool;
}

std::uint64_t target_bytes(const GroupPlan& plan) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : plan) bytes += segment.target_length;
  return bytes;
}

// Appends to the spool through the writer interface.
class SpoolWriter final : public SequentialWriter {
 public:
  explicit SpoolWriter(io::Spool& spool) : spool_(spool) {}
  Status write(ByteSpan bytes) override { return spool_.append(bytes); }
  Status finish() override { return {}; }

 private:
  io::Spool& spool_;
};

}  // namespace

CreateRun::CreateRun(RandomReader& source, RandomReader& target, const CreateOptions& options)
    : source_reader_(source), target_reader_(target), options_(options), settings_(level_settings(options.level)),
      timeline_(options.trace), pool_(thread_count_for(options.threads), &timeline_), body_(spool_options(options)) {}

Status CreateRun::check_limits() {
  if (options_.level < kMinLevel || options_.level > kMaxLevel) {
    return Error{ErrorCode::kUsage, "expected a level from 1 to 9, found " + std::to_string(options_.level)};
  }
  const std::uint64_t larger = std::max(source_reader_.size(), target_reader_.size());
  if (larger >= kMaxFileBytes) {
    return Error{ErrorCode::kFileTooLarge, "files below 1 TiB are handled, found " + std::to_string(larger) + " bytes"};
  }
  if (options_.format == PatchFormat::kBdt1) {
    BDELTA_TRY(bdt1::check_sizes(source_reader_.size(), target_reader_.size()));
  }
  std::uint64_t heap_bytes = 0;
  for (const RandomReader* reader : {&source_reader_, &target_reader_}) {
    if (reader->view().empty()) heap_bytes += reader->size();
  }
  return fit_memory(options_, source_reader_.size(), heap_bytes, settings_);
}

Status CreateRun::report_progress(double share) {
  const std::uint64_t total = target_reader_.size();
  const auto done = static_cast<std::uint64_t>(share * static_cast<double>(total));
  if (options_.progress && !options_.progress(std::min(done, total), total)) return Error{ErrorCode::kCancelled, ""};
  return {};
}

Status CreateRun::load_inputs() {
  const Span span(&timeline_, PhaseId::kRead);
  BDELTA_ASSIGN(source_, InputBytes::load(source_reader_, pool_));
  BDELTA_ASSIGN(target_, InputBytes::load(target_reader_, pool_));
  return report_progress(0.05);
}

Status CreateRun::digest_inputs() {
  pool_.for_each(2, [this](std::size_t i) {
    const ByteSpan bytes = (i == 0 ? source_ : target_).bytes();
    const Span span(&timeline_, PhaseId::kHash, i, bytes.size());
    (i == 0 ? source_digest_ : target_digest_) = xxh3_128(bytes);
  });
  return report_progress(0.1);
}

Status CreateRun::find_covers() {
  const auto tick = [this](double share) { return static_cast<bool>(report_progress(0.1 + 0.5 * share)); };
  covers_ = bdelta::find_covers(source_.bytes(), target_.bytes(), settings_.match, pool_, tick);
  return report_progress(0.6);
}

Status CreateRun::encode() {
  count_covers();
  return options_.format == PatchFormat::kBdt1 ? encode_bdt1() : encode_native();
}

// The groups [begin, end) of the plan, and what they add to the report.
std::vector<GroupDraft> CreateRun::encode_groups(const std::vector<GroupPlan>& plans, std::size_t begin,
                                                 std::size_t end) {
  const Span step(&timeline_, PhaseId::kEncode);
  std::vector<GroupDraft> drafts(end - begin);
  pool_.for_each(drafts.size(), [&](std::size_t i) {
    const GroupPlan& plan = plans[begin + i];
    const Span span(&timeline_, PhaseId::kEncode, begin + i, target_bytes(plan));
    drafts[i] = encode_group(source_.bytes(), target_.bytes(), covers_, plan, settings_.window_bytes);
  });
  for (const GroupDraft& draft : drafts) {
    report_.window_count += draft.windows.size();
    report_.residual_bytes += draft.streams[kResidualValues].size();
  }
  return drafts;
}

Status CreateRun::encode_native() {
  native::Writer writer({settings_.numbers, settings_.values, settings_.literals, settings_.model, settings_.model_values},
                        body_, pool_);
  const std::vector<GroupPlan> plans =
      plan_groups(source_.bytes(), target_.bytes(), covers_, settings_.group_bytes, pool_);
  const auto batch_groups = std::max<std::size_t>(1, static_cast<std::size_t>(kBatchBytes / settings_.group_bytes));
  for (std::size_t begin = 0; begin < plans.size(); begin += batch_groups) {
    const std::size_t end = std::min(begin + batch_groups, plans.size());
    std::vector<GroupDraft> drafts = encode_groups(plans, begin, end);
    {
      const Span step(&timeline_, PhaseId::kCompress);
      BDELTA_TRY(writer.add_groups(drafts));
    }
    BDELTA_TRY(report_progress(0.6 + 0.3 * static_cast<double>(end) / static_cast<double>(plans.size())));
  }
  BDELTA_TRY(writer.finish());

  native::Header header;
  header.source_size = source_.bytes().size();
  header.target_size = target_.bytes().size();
  header.source_digest = source_digest_;
  header.target_digest = target_digest_;
  writer.declare(header);
  head_ = native::encode_header(header);
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    report_.streams.push_back({stream_name(i), writer.totals().raw[i], writer.totals().coded[i]});
  }
  return {};
}

Status CreateRun::encode_bdt1() {
  const Span step(&timeline_, PhaseId::kEncode, TraceSpan::kNone, target_.bytes().size());
  const Covers exact = bdt1::lower_covers(source_.bytes(), target_.bytes(), covers_);
  covers_ = exact;
  count_covers();
  SpoolWriter spool(body_);
  io::RecordWriter out(spool);
  return bdt1::write_patch(source_.bytes().size(), target_.bytes(), exact, out);
}

void CreateRun::count_covers() {
  report_.cover_count = covers_.size();
  report_.covered_bytes = 0;
  for (const Cover& cover : covers_) report_.covered_bytes += cover.length;
  report_.literal_bytes = target_.bytes().size() - report_.covered_bytes;
}

Status CreateRun::self_check() {
  if (!options_.verify) return {};
  const Span step(&timeline_, PhaseId::kVerify, TraceSpan::kNone, target_.bytes().size());
  timeline_.count_all_as(PhaseId::kVerify);
  Status checked = check_patch(source_.bytes(), target_.bytes(), head_, body_, pool_);
  timeline_.count_all_as({});
  BDELTA_TRY(std::move(checked));
  report_.verified = true;
  return report_progress(0.95);
}

Status CreateRun::write(SequentialWriter& patch) {
  report_.patch_bytes = head_.size() + body_.size();
  const Span step(&timeline_, PhaseId::kWrite, TraceSpan::kNone, report_.patch_bytes);
  BDELTA_TRY(patch.write(head_));
  BDELTA_ASSIGN(const auto body, body_.open_reader());
  Bytes buffer(static_cast<std::size_t>(std::min<std::uint64_t>(body_.size() + 1, std::uint64_t{1} << 20)));
  for (;;) {
    BDELTA_ASSIGN(const std::size_t count, body->read(buffer));
    if (count == 0) break;
    BDELTA_TRY(patch.write(ByteSpan(buffer).first(count)));
  }
  return report_progress(1.0);
}

Status CreateRun::finish(SequentialWriter& patch) {
  const Span step(&timeline_, PhaseId::kFinish);
  return patch.finish();
}

Report CreateRun::take_report() {
  report_.source_bytes = source_reader_.size();
  report_.target_bytes = target_reader_.size();
  report_.format = options_.format == PatchFormat::kBdt1 ? "bdt1" : "bdt2";
  report_.level = options_.level;
  report_.threads = pool_.thread_count();
  report_.phases = timeline_.phases(kCreatePhases);
  report_.wall_seconds = timeline_.elapsed_seconds();
  return std::move(report_);
}

}  // namespace bdelta
