// One application of a patch that comes in pieces.
//
// The framer of the format tells when a part is whole; then the reader that else pulls from a file reads exactly that part,
// and its windows are executed. Bytes are copied only where a part is spread over pieces.
#pragma once

#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

#include "apply/apply_run.hpp"
#include "apply/part_prover.hpp"
#include "bdelta/push.hpp"
#include "io/memory_io.hpp"

namespace bdelta {

// What a push is about: a file or a directory. One thread at a time; the calls come in this order.
class PushSubject {
 public:
  virtual ~PushSubject() = default;

  [[nodiscard]] virtual ApplyRun& run() noexcept = 0;

  // The header was read.
  virtual Status take_header() = 0;

  // The part at hand is taken, if it stands in front of the plan. False: it is none of these.
  virtual Result<bool> take_front() = 0;

  // NEW is there already, so nothing else is looked at and `finish` says that.
  [[nodiscard]] virtual bool is_up_to_date() const noexcept = 0;

  // The plan is whole: windows may come.
  virtual Status begin() = 0;

  // NEW was proven, and comes into being.
  virtual Result<Report> finish() = 0;
};

// One thread at a time. After an error, and after a finish that succeeded, every call fails.
class PushRun {
 public:
  PushRun(RandomReader& source, TargetSink sink, const PushOptions& options, Formats formats = known_formats());

  // With files of its own.
  PushRun(std::unique_ptr<RandomReader> source, std::unique_ptr<OutputFile> output, const PushOptions& options);

  // `make` gives the subject, which reads the patch from `part`; that and the options outlive it.
  using MakeSubject = std::function<std::unique_ptr<PushSubject>(SequentialReader& part, const ApplyOptions& options)>;
  PushRun(const MakeSubject& make, const PushOptions& options, Formats formats = known_formats());

  Status feed(ByteSpan bytes);
  Result<Report> finish();

 private:
  enum class Kind : std::uint8_t {
    kUnknown,  // too few bytes to tell
    kParts,    // executed part by part
    kWhole,    // of a format without parts: collected, executed by finish
  };

  void remember(const Error& error) noexcept;
  Status take(ByteSpan& bytes);
  Status recognise(ByteSpan& bytes);
  Status collect(ByteSpan& bytes, std::uint64_t most_bytes);
  void want(const Measure& measure);
  Status execute_pending();
  Status execute(ByteSpan part, const Measure& measure);
  Status execute_head(ByteSpan head);
  Status execute_body(std::uint64_t target_bytes);
  Status execute_whole();
  void read_from(ByteSpan part);
  Status begin();
  Status end_parts();
  Result<Report> end();

  const PushOptions options_;
  PartProver prover_;
  std::pmr::vector<std::uint8_t> pending_;  // what is there of the part at hand
  std::uint64_t wanted_bytes_ = 0;          // size of pending_ at which to measure again
  Kind kind_ = Kind::kUnknown;
  bool has_head_ = false;
  bool began_ = false;            // windows may come
  bool ended_ = false;            // behind the last window
  std::uint64_t target_pos_ = 0;  // where the windows of the last part ended
  std::optional<Error> failed_;
  io::MemorySequentialReader part_{ByteSpan()};  // the one at hand
  std::unique_ptr<PushSubject> subject_;
  ApplyRun& run_;  // of it
};

}  // namespace bdelta
