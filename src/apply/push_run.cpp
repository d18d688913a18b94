#include "apply/push_run.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "base/guard.hpp"
#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "format/native/reader.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kMostKeptBytes = std::size_t{1} << 20;  // of memory for parts that wait, between two of them

TargetSink sink_of(OutputFile& output) {
  PositionedWriter* const positioned = output.positioned();
  return positioned ? TargetSink{positioned, nullptr} : TargetSink{nullptr, &output};
}

Error wrong_digest(const char* what, const Sha256Digest& expected, const Sha256Digest& found, std::uint64_t offset) {
  return {ErrorCode::kPatchDigest,
          std::string(what) + ": expected SHA-256 " + to_hex(expected) + ", found " + to_hex(found) +
              "; it was not decoded, fetch the patch again from a source you trust",
          offset};
}

}  // namespace

Result<std::size_t> RecordReader::read(MutableByteSpan out) {
  const std::size_t count = std::min(out.size(), rest_.size());
  if (count != 0) std::memcpy(out.data(), rest_.data(), count);
  rest_ = rest_.subspan(count);
  return count;
}

PushRun::PushRun(RandomReader& source, TargetSink sink, const PushOptions& options)
    : source_(source), sink_(sink), options_(options), framer_(reachable_limit(options.apply.memory_limit_bytes)),
      pending_(options.memory ? options.memory : std::pmr::new_delete_resource()),
      run_(source, record_, options_.apply) {}

PushRun::PushRun(std::unique_ptr<RandomReader> source, std::unique_ptr<OutputFile> output, const PushOptions& options)
    : PushRun(*source, sink_of(*output), options) {
  own_source_ = std::move(source);
  own_output_ = std::move(output);
}

Status PushRun::feed(ByteSpan bytes) {
  if (failed_) return *failed_;
  Status fed = guarded([&]() -> Status {
    while (!bytes.empty()) BDELTA_TRY(take(bytes));
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
    failed_->detail = error.detail;
    return {};
  });
}

// Takes some of the bytes from their front.
Status PushRun::take(ByteSpan& bytes) {
  if (ended_) {
    return Error{ErrorCode::kPatchTrailingBytes, "expected the end of the patch; it may have been joined with another",
                 record_pos_};
  }
  if (kind_ == Kind::kUnknown) return recognise(bytes);
  if (kind_ == Kind::kWhole) return collect(bytes, options_.apply.memory_limit_bytes);
  if (pending_.empty()) {
    BDELTA_ASSIGN(const native::Measure measure, framer_.measure(bytes));
    if (measure.whole && measure.bytes <= bytes.size()) {
      const ByteSpan record = bytes.first(static_cast<std::size_t>(measure.bytes));
      bytes = bytes.subspan(record.size());
      return execute(record, measure.target_bytes);
    }
    want(measure);
  }
  BDELTA_TRY(collect(bytes, wanted_bytes_));
  if (pending_.size() < wanted_bytes_) return {};
  BDELTA_ASSIGN(const native::Measure measure, framer_.measure(pending_));
  if (!measure.whole || measure.bytes > pending_.size()) {
    want(measure);
    return {};
  }
  BDELTA_TRY(execute(ByteSpan(pending_).first(static_cast<std::size_t>(measure.bytes)), measure.target_bytes));
  pending_.clear();
  if (pending_.capacity() > kMostKeptBytes) pending_.shrink_to_fit();  // what comes next may be small
  return {};
}

// Waits for as many bytes as it takes to tell formats from one another.
Status PushRun::recognise(ByteSpan& bytes) {
  std::array<std::uint8_t, kDetectBytes> first{};
  const std::size_t more = std::min(bytes.size(), first.size() - pending_.size());
  if (pending_.size() + more < first.size()) return collect(bytes, first.size());
  std::copy(pending_.begin(), pending_.end(), first.begin());
  std::copy_n(bytes.begin(), more, first.begin() + static_cast<std::ptrdiff_t>(pending_.size()));
  BDELTA_TRY(recognise_patch(first));
  kind_ = native::detect(first) ? Kind::kRecords : Kind::kWhole;
  if (kind_ == Kind::kWhole && options_.expected_head_sha256) {
    return Error{ErrorCode::kPatchDigest,
                 "a patch of this format has no list of digests; take it whole and expect the SHA-256 of all of it"};
  }
  wanted_bytes_ = first.size();
  return {};
}

// Moves bytes to those that wait until these are `most_bytes`.
Status PushRun::collect(ByteSpan& bytes, std::uint64_t most_bytes) {
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), most_bytes - pending_.size()));
  if (count == 0) {
    return Error{ErrorCode::kMemoryLimit,
                 "a patch of this format has to be held as a whole, and it has more than " + std::to_string(most_bytes) +
                     " bytes; raise the limit or apply it from a file"};
  }
  pending_.insert(pending_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
  bytes = bytes.subspan(count);
  return {};
}

// The framer has held the size against the limit, so it may be claimed at once.
void PushRun::want(const native::Measure& measure) {
  wanted_bytes_ = measure.bytes;
  if (measure.whole) pending_.reserve(static_cast<std::size_t>(measure.bytes));
}

// A whole record: what it says is done when this returns.
Status PushRun::execute(ByteSpan record, std::uint64_t target_bytes) {
  if (!has_head_) return execute_head(record);
  BDELTA_TRY(check_digest(record));
  read_from(record);
  if (!began_) {
    BDELTA_TRY(run_.read_plan_record());
    if (run_.plan_is_whole()) BDELTA_TRY(begin());
  } else {
    target_pos_ += target_bytes;
    BDELTA_ASSIGN(const bool more, run_.execute_windows(target_pos_));
    ended_ = !more;
  }
  framer_.advance(record);
  return {};
}

Status PushRun::execute_head(ByteSpan head) {
  if (const auto& expected = options_.expected_head_sha256) {
    const Sha256Digest found = sha256(head);
    if (found != *expected) return wrong_digest("the head", *expected, found, 0);
  }
  read_from(head);
  BDELTA_TRY(run_.read_header());
  framer_.advance(head);
  if (options_.expected_head_sha256 && framer_.digests().empty()) {
    return Error{ErrorCode::kPatchDigest, "the patch has no list of digests; make it with one (bdelta --digests)"};
  }
  BDELTA_TRY(check_memory());
  has_head_ = true;
  BDELTA_TRY(run_.verify_source());
  return run_.plan_is_whole() ? begin() : Status();
}

Status PushRun::check_memory() const {
  const PatchInfo& info = run_.info();
  const std::uint64_t limit = options_.apply.memory_limit_bytes;  // not less than what the decoder takes
  if (info.group_bytes <= limit - info.decoder_memory_bytes) return {};
  return Error{ErrorCode::kMemoryLimit, "the patch has parts of " + std::to_string(info.group_bytes) +
                                            " bytes and takes " + std::to_string(info.decoder_memory_bytes) +
                                            " to decode them, the limit is " + std::to_string(limit)};
}

// Before anything of the record is looked at by a decoder.
Status PushRun::check_digest(ByteSpan record) {
  const std::vector<Sha256Digest>& digests = framer_.digests();
  if (digests.empty()) return {};
  if (digest_index_ == digests.size()) {
    return Error{ErrorCode::kPatchDigest, "the patch has more parts than digests", record_pos_};
  }
  const Sha256Digest& expected = digests[digest_index_++];
  const Sha256Digest found = sha256(record);
  return found == expected ? Status() : Status(wrong_digest("a part", expected, found, record_pos_));
}

void PushRun::read_from(ByteSpan record) {
  record_pos_ += record.size();
  record_.set(record);
  run_.resume_patch();
}

Status PushRun::begin() {
  BDELTA_TRY(run_.prepare_prediction());
  BDELTA_TRY(run_.move_numbers());
  if (own_output_) BDELTA_TRY(own_output_->reserve(run_.info().target_size));
  run_.begin_target(sink_);
  began_ = true;
  return {};
}

// All records have come, and as many as have digests.
Status PushRun::check_end() const {
  if (!ended_) {
    return Error{ErrorCode::kPatchTruncated, "the patch ends inside a part or before its end record",
                 record_pos_ + pending_.size()};
  }
  if (digest_index_ == framer_.digests().size()) return {};
  return Error{ErrorCode::kPatchDigest, "the patch has fewer parts than digests", record_pos_};
}

Result<Report> PushRun::end() {
  if (kind_ == Kind::kUnknown) BDELTA_TRY(recognise_patch(pending_));
  BDELTA_TRY(kind_ == Kind::kWhole ? execute_whole() : check_end());
  BDELTA_TRY(run_.finish_target());
  BDELTA_TRY(source_.check_unchanged());
  if (own_output_) BDELTA_TRY(sink_.positioned ? sink_.positioned->finish() : own_output_->finish());
  return run_.take_report();
}

Status PushRun::execute_whole() {
  read_from(pending_);
  BDELTA_TRY(run_.read_header());
  BDELTA_TRY(run_.verify_source());
  BDELTA_TRY(begin());
  BDELTA_ASSIGN(const bool more, run_.execute_windows(~std::uint64_t{0}));
  return more ? Status(Error{ErrorCode::kInternal, "the windows did not end"}) : Status();
}

}  // namespace bdelta
