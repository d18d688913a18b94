#include "create/create_run.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
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

// Bytes of the largest patch that is of use.
std::uint64_t patch_limit(const CreateOptions& options, std::uint64_t target_size) {
  constexpr double kBeyondAll = 1e18;
  const double limit = options.max_patch_ratio * static_cast<double>(target_size);
  return options.max_patch_ratio > 0 && limit < kBeyondAll ? static_cast<std::uint64_t>(limit) : ~std::uint64_t{0};
}

// Shares of the whole work after which a step ends, as it is for a usual pair at a middle level.
constexpr double kLoaded = 0.02;
constexpr double kDigested = 0.04;
constexpr double kMatched = 0.5;
constexpr double kEncoded = 0.9;

std::uint64_t stream_bytes(const std::vector<GroupDraft>& drafts) {
  std::uint64_t bytes = 0;
  for (const GroupDraft& draft : drafts) {
    for (const Bytes& stream : draft.streams) bytes += stream.size();
  }
  return bytes;
}

std::uint64_t target_bytes(const GroupPlan& plan) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : plan) bytes += segment.target_length;
  return bytes;
}

// The digest of bytes that may have to come from a disk while it is taken.
Digest128 digest_of(ByteSpan bytes, Watch& watch) {
  constexpr std::size_t kPieceBytes = 256 * 1024;
  Xxh3Hasher hasher;
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(std::min(kPieceBytes, bytes.size()));
    hasher.update(piece);
    watch.advance(piece.size());
    bytes = bytes.subspan(piece.size());
  }
  return hasher.digest();
}

// Appends to the spool through the writer interface.
class SpoolWriter final : public SequentialWriter {
 public:
  SpoolWriter(io::Spool& spool, std::uint64_t limit_bytes, Watch& watch)
      : spool_(spool), limit_bytes_(limit_bytes), watch_(watch) {}

  Status write(ByteSpan bytes) override {
    if (!range_fits(spool_.size(), bytes.size(), limit_bytes_)) return native::too_large(limit_bytes_);
    constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
    while (!bytes.empty()) {
      const ByteSpan piece = bytes.first(std::min(kPieceBytes, bytes.size()));
      BDELTA_TRY(spool_.append(piece));
      watch_.advance(piece.size());
      bytes = bytes.subspan(piece.size());
    }
    return {};
  }
  Status finish() override { return {}; }

 private:
  io::Spool& spool_;
  const std::uint64_t limit_bytes_;
  Watch& watch_;
};

}  // namespace

CreateRun::CreateRun(RandomReader& source, RandomReader& target, const CreateOptions& options)
    : source_reader_(source), target_reader_(target), options_(options), settings_(level_settings(options.level)),
      patch_limit_bytes_(patch_limit(options, target.size())), timeline_(options.trace),
      watch_(options.progress, target.size(), options.time_limit_seconds),
      pool_(thread_count_for(options.threads), &timeline_, &watch_), body_(spool_options(options)) {}

Status CreateRun::check_limits() {
  if (options_.level < kMinLevel || options_.level > kMaxLevel) {
    return Error{ErrorCode::kUsage, "expected a level from 1 to 9, found " + std::to_string(options_.level)};
  }
  if (!(options_.max_patch_ratio >= 0) || !(options_.time_limit_seconds >= 0)) {
    return Error{ErrorCode::kUsage, "expected limits of ratio and time that are not negative"};
  }
  watch_.begin_stage(0, 0);
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

Status CreateRun::load_inputs() {
  const Span span(&timeline_, PhaseId::kRead);
  watch_.begin_stage(kLoaded, source_reader_.size() + target_reader_.size());
  BDELTA_ASSIGN(source_, InputBytes::load(source_reader_, pool_));
  BDELTA_ASSIGN(target_, InputBytes::load(target_reader_, pool_));
  return {};
}

Status CreateRun::digest_inputs() {
  watch_.begin_stage(kDigested, source_.bytes().size() + target_.bytes().size());
  pool_.for_each(2, [this](std::size_t i) {
    const ByteSpan bytes = (i == 0 ? source_ : target_).bytes();
    const Span span(&timeline_, PhaseId::kHash, i, bytes.size());
    (i == 0 ? source_digest_ : target_digest_) = digest_of(bytes, watch_);
  });
  return {};
}

Status CreateRun::find_covers() {
  watch_.set_range(kDigested, kMatched);
  covers_ = bdelta::find_covers(source_.bytes(), target_.bytes(), settings_.match, pool_);
  return {};
}

Status CreateRun::encode() {
  count_covers();
  watch_.set_range(kMatched, kEncoded);
  BDELTA_TRY(options_.format == PatchFormat::kBdt1 ? encode_bdt1() : encode_native());
  return check_patch_size();
}

Status CreateRun::check_patch_size() const {
  return head_.size() + body_.size() <= patch_limit_bytes_ ? Status() : Status(native::too_large(patch_limit_bytes_));
}

// The groups [begin, end) of the plan.
std::vector<GroupDraft> CreateRun::encode_groups(const std::vector<GroupPlan>& plans, std::size_t begin,
                                                 std::size_t end) {
  const Span step(&timeline_, PhaseId::kEncode);
  std::vector<GroupDraft> drafts(end - begin);
  pool_.for_each(drafts.size(), [&](std::size_t i) {
    const GroupPlan& plan = plans[begin + i];
    const Span span(&timeline_, PhaseId::kEncode, begin + i, target_bytes(plan));
    drafts[i] = encode_group(source_.bytes(), target_.bytes(), covers_, plan, settings_.window_bytes, &watch_);
  });
  return drafts;
}

Status CreateRun::encode_native() {
  native::Writer writer({settings_.numbers, settings_.values, settings_.literals, settings_.model, settings_.model_values,
                         settings_.window_bytes, patch_limit_bytes_}, body_, pool_);
  const std::vector<GroupPlan> plans =
      plan_groups(source_.bytes(), target_.bytes(), covers_, settings_.group_bytes, pool_);
  const auto batch_groups = std::max<std::size_t>(1, static_cast<std::size_t>(kBatchBytes / settings_.group_bytes));
  for (std::size_t begin = 0; begin < plans.size(); begin += batch_groups) {
    const std::size_t end = std::min(begin + batch_groups, plans.size());
    const double before = static_cast<double>(begin) / static_cast<double>(plans.size());
    const double after = static_cast<double>(end) / static_cast<double>(plans.size());
    std::uint64_t batch_bytes = 0;
    for (std::size_t i = begin; i < end; ++i) batch_bytes += target_bytes(plans[i]);
    watch_.begin_stage(before + 0.2 * (after - before), batch_bytes);
    std::vector<GroupDraft> drafts = encode_groups(plans, begin, end);
    watch_.begin_stage(after, stream_bytes(drafts));
    {
      const Span step(&timeline_, PhaseId::kCompress);
      BDELTA_TRY(writer.add_groups(drafts));
    }
    for (const GroupDraft& draft : drafts) count_group(draft);
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
  watch_.begin_stage(0.5, target_.bytes().size());
  covers_ = bdt1::lower_covers(source_.bytes(), target_.bytes(), covers_, &watch_);
  count_covers();
  watch_.begin_stage(1, target_.bytes().size());
  SpoolWriter spool(body_, patch_limit_bytes_, watch_);
  io::RecordWriter out(spool);
  return bdt1::write_patch(source_.bytes().size(), target_.bytes(), covers_, out);
}

// What a group adds to the report. Of one that became literals, copies are none after all.
void CreateRun::count_group(const GroupDraft& draft) {
  report_.window_count += draft.windows.size();
  report_.residual_bytes += draft.streams[kResidualValues].size();
  if (draft.target.empty() || draft.streams[kLiterals].size() < draft.target.size()) return;
  const auto begin = static_cast<std::uint64_t>(draft.target.data() - target_.bytes().data());
  const std::uint64_t end = begin + draft.target.size();
  auto cover = std::lower_bound(covers_.begin(), covers_.end(), begin,
                                [](const Cover& c, std::uint64_t pos) { return c.target_end() <= pos; });
  for (; cover != covers_.end() && cover->target_pos < end; ++cover) {
    const std::uint64_t copied = std::min(end, cover->target_end()) - std::max(begin, cover->target_pos);
    report_.covered_bytes -= copied;
    report_.literal_bytes += copied;
    report_.cover_count -= cover->target_pos >= begin;
  }
}

void CreateRun::count_covers() {
  report_.cover_count = covers_.size();
  report_.covered_bytes = 0;
  for (const Cover& cover : covers_) report_.covered_bytes += cover.length;
  report_.literal_bytes = target_.bytes().size() - report_.covered_bytes;
}

Status CreateRun::self_check() {
  watch_.set_range(kEncoded, 1);
  if (!options_.verify) return {};
  watch_.begin_stage(0.7, target_.bytes().size());
  const Span step(&timeline_, PhaseId::kVerify, TraceSpan::kNone, target_.bytes().size());
  timeline_.count_all_as(PhaseId::kVerify);
  Status checked = check_patch(source_.bytes(), target_.bytes(), head_, body_, pool_);
  timeline_.count_all_as({});
  BDELTA_TRY(std::move(checked));
  report_.verified = true;
  return {};
}

Status CreateRun::write(SequentialWriter& patch) {
  report_.patch_bytes = head_.size() + body_.size();
  const Span step(&timeline_, PhaseId::kWrite, TraceSpan::kNone, report_.patch_bytes);
  watch_.begin_stage(1, report_.patch_bytes);
  BDELTA_TRY(patch.write(head_));
  BDELTA_ASSIGN(const auto body, body_.open_reader());
  Bytes buffer(static_cast<std::size_t>(std::min<std::uint64_t>(body_.size() + 1, std::uint64_t{1} << 20)));
  for (;;) {
    BDELTA_ASSIGN(const std::size_t count, body->read(buffer));
    if (count == 0) break;
    BDELTA_TRY(patch.write(ByteSpan(buffer).first(count)));
    watch_.advance(count);
  }
  watch_.begin_stage(1, 0);
  return {};
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
