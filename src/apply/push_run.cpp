#include "apply/push_run.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/guard.hpp"
#include "base/memory_limit.hpp"
#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20;  // of memory for parts that wait, between two of them

TargetSink sink_of(OutputFile& output) {
  PositionedWriter* const positioned = output.positioned();
  return positioned ? TargetSink{positioned, nullptr} : TargetSink{nullptr, &output};
}

// A file, or whatever else the reader and the writer stand for.
class FileSubject final : public PushSubject {
 public:
  FileSubject(RandomReader& source, TargetSink sink, SequentialReader& part, const ApplyOptions& options, Formats formats)
      : source_(source), sink_(std::move(sink)), run_(source, part, options, formats) {}

  // With files of its own.
  FileSubject(std::unique_ptr<RandomReader> source, std::unique_ptr<OutputFile> output, SequentialReader& part,
              const ApplyOptions& options)
      : own_source_(std::move(source)), own_output_(std::move(output)), source_(*own_source_), sink_(sink_of(*own_output_)),
        run_(source_, part, options) {}

  [[nodiscard]] ApplyRun& run() noexcept override { return run_; }
  Status take_header() override { return run_.verify_source(); }
  Result<bool> take_front() override { return false; }
  [[nodiscard]] bool is_up_to_date() const noexcept override { return false; }

  Status begin() override {
    BDELTA_TRY(run_.prepare());
    if (own_output_) BDELTA_TRY(own_output_->reserve(run_.info().target_size.value_or(0)));
    run_.begin_target(sink_);
    return {};
  }

  Result<Report> finish() override {
    BDELTA_TRY(source_.check_unchanged());
    if (own_output_) BDELTA_TRY(sink_.positioned ? sink_.positioned->finish() : own_output_->finish());
    return run_.take_report();
  }

 private:
  std::unique_ptr<RandomReader> own_source_;  // these two outlive the run
  std::unique_ptr<OutputFile> own_output_;
  RandomReader& source_;
  const TargetSink sink_;
  ApplyRun run_;
};

}  // namespace

PushRun::PushRun(const MakeSubject& make, const PushOptions& options, Formats formats)
    : options_(options),
      prover_(options.apply.expected_head_sha256, reachable_limit(options.apply.memory_limit_bytes), formats),
      pending_(options.memory ? options.memory : std::pmr::new_delete_resource()),
      subject_(make(part_, options_.apply)), run_(subject_->run()) {}

PushRun::PushRun(RandomReader& source, TargetSink sink, const PushOptions& options, Formats formats)
    : PushRun([&](SequentialReader& part, const ApplyOptions& apply) {
        return std::make_unique<FileSubject>(source, sink, part, apply, formats);
      }, options, formats) {}

PushRun::PushRun(std::unique_ptr<RandomReader> source, std::unique_ptr<OutputFile> output, const PushOptions& options)
    : PushRun([&](SequentialReader& part, const ApplyOptions& apply) {
        return std::make_unique<FileSubject>(std::move(source), std::move(output), part, apply);
      }, options) {}

Status PushRun::feed(ByteSpan bytes) {
  if (failed_) return *failed_;
  Status fed = guarded([&]() -> Status {
    while (!bytes.empty() && !subject_->is_up_to_date()) BDELTA_TRY(take(bytes));
    return {};
  });
  if (!fed) remember(fed.error());
  return fed;
}

Result<Report> PushRun::finish() {
  if (failed_) return *failed_;
  Result<Report> report = guarded([&] { return end(); });
  if (report) {
    failed_ = Error{ErrorCode::kUsage, {}};  // of every later call
  } else {
    remember(report.error());
  }
  return report;
}

void PushRun::remember(const Error& error) noexcept {
  failed_ = Error{error.code, {}, error.offset};  // even if there is no memory for the words
  (void)guarded([&]() -> Status {
    *failed_ = error;
    return {};
  });
}

// Takes some of the bytes from their front.
Status PushRun::take(ByteSpan& bytes) {
  if (ended_) {
    return Error{ErrorCode::kPatchTrailingBytes, "it may have been joined with another", prover_.position()};
  }
  if (kind_ == Kind::kUnknown) return recognise(bytes);
  if (kind_ == Kind::kWhole) return collect(bytes, options_.apply.memory_limit_bytes);
  if (pending_.empty()) {
    BDELTA_ASSIGN(const Measure measure, prover_.measure(bytes));
    if (measure.whole && measure.bytes <= bytes.size()) {
      const ByteSpan part = bytes.first(static_cast<std::size_t>(measure.bytes));
      bytes = bytes.subspan(part.size());
      return execute(part, measure);
    }
    want(measure);
  }
  BDELTA_TRY(collect(bytes, wanted_bytes_));
  if (pending_.size() < wanted_bytes_) return {};
  return execute_pending();
}

// The parts that wait and are whole: where one ends may be known only with a byte of the next one.
Status PushRun::execute_pending() {
  while (!pending_.empty()) {
    BDELTA_ASSIGN(const Measure measure, prover_.measure(pending_));
    if (!measure.whole || measure.bytes > pending_.size()) {
      want(measure);
      return {};
    }
    BDELTA_TRY(execute(ByteSpan(pending_).first(static_cast<std::size_t>(measure.bytes)), measure));
    pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(measure.bytes));
    if (pending_.capacity() > kMostKeptBytes) pending_.shrink_to_fit();  // what comes next may be small
  }
  return {};
}

// Waits for as many bytes as it takes to tell formats from one another.
Status PushRun::recognise(ByteSpan& bytes) {
  std::array<std::uint8_t, kDetectBytes> first{};
  const std::size_t more = std::min(bytes.size(), first.size() - pending_.size());
  if (pending_.size() + more < first.size()) return collect(bytes, first.size());
  std::copy(pending_.begin(), pending_.end(), first.begin());
  std::copy_n(bytes.begin(), more, first.begin() + static_cast<std::ptrdiff_t>(pending_.size()));
  BDELTA_ASSIGN(const bool has_parts, prover_.recognise(first));
  kind_ = has_parts ? Kind::kParts : Kind::kWhole;
  wanted_bytes_ = first.size();
  return {};
}

// Moves bytes to those that wait until these are `most_bytes`.
Status PushRun::collect(ByteSpan& bytes, std::uint64_t most_bytes) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), most_bytes - pending_.size()));
  if (count == 0) {
    return Error{.code = ErrorCode::kMemoryLimit,
                 .detail = "a patch of this format has to be held as a whole, and it has more than " +
                           std::to_string(most_bytes) + " bytes",
                 .remedy = "raise memory_limit_bytes, or apply it from a file"};
  }
  pending_.insert(pending_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  bytes = bytes.subspan(count);
  return {};
}

// The framer has held the size against the limit, so it may be claimed at once.
void PushRun::want(const Measure& measure) {
  wanted_bytes_ = measure.bytes;
  if (measure.whole) pending_.reserve(static_cast<std::size_t>(measure.bytes));
}

// A whole part: what it says is done when this returns.
Status PushRun::execute(ByteSpan part, const Measure& measure) {
  BDELTA_TRY(prover_.prove(part));
  if (!measure.passed_over && !subject_->is_up_to_date()) {
    read_from(part);
    if (!has_head_) return execute_head(part);
    BDELTA_TRY(execute_body(measure.target_bytes));
  }
  return prover_.pass(part);
}

// Of what stands before the first window there is mostly one step in a part, and in the part of that window the last one.
Status PushRun::execute_body(std::uint64_t target_bytes) {
  if (!began_) {
    BDELTA_ASSIGN(const bool is_front, subject_->take_front());
    if (is_front) return {};
    BDELTA_ASSIGN(const bool plan_is_whole, run_.read_plan());
    if (!plan_is_whole) return {};
    BDELTA_TRY(begin());
  }
  target_pos_ += target_bytes;
  BDELTA_ASSIGN(const bool more, run_.execute_windows(target_pos_));
  ended_ = !more;
  return {};
}

Status PushRun::execute_head(ByteSpan head) {
  BDELTA_TRY(run_.read_header());
  BDELTA_TRY(prover_.pass(head));
  BDELTA_TRY(run_.check_held_parts());
  has_head_ = true;
  return subject_->take_header();
}

void PushRun::read_from(ByteSpan part) {
  part_ = io::MemorySequentialReader(part);
  run_.resume_patch();
}

Status PushRun::begin() {
  BDELTA_TRY(subject_->begin());
  began_ = true;
  return {};
}

// All parts have come, and as many as have digests. A patch without a mark at its end has ended if its reader says so.
Status PushRun::end_parts() {
  if (!has_head_ || !pending_.empty()) {
    return Error{ErrorCode::kPatchTruncated, "inside a part", prover_.position() + pending_.size()};
  }
  if (!ended_) {
    read_from({});
    BDELTA_TRY(execute_body(0));
  }
  return prover_.check_end();
}

Result<Report> PushRun::end() {
  if (subject_->is_up_to_date()) return subject_->finish();
  if (kind_ == Kind::kUnknown) {
    BDELTA_ASSIGN(const bool has_parts, prover_.recognise(pending_));
    kind_ = has_parts ? Kind::kParts : Kind::kWhole;
  }
  BDELTA_TRY(kind_ == Kind::kWhole ? execute_whole() : end_parts());
  BDELTA_TRY(run_.finish_target());
  return subject_->finish();
}

Status PushRun::execute_whole() {
  read_from(pending_);
  BDELTA_TRY(run_.read_header());
  BDELTA_TRY(subject_->take_header());
  BDELTA_TRY(begin());
  BDELTA_ASSIGN(const bool more, run_.execute_windows(~std::uint64_t{0}));
  return more ? Status(Error{ErrorCode::kInternal, "the windows did not end"}) : Status();
}

}  // namespace bdelta
