// --trace: what each thread did when, in the Chrome trace event format, for Perfetto or chrome://tracing.
#pragma once

#include <string>
#include <vector>

#include "bdelta/io.hpp"
#include "bdelta/trace.hpp"

namespace bdelta::cli {

// Keeps the spans of one call.
class TraceLog final : public TraceSink {
 public:
  static constexpr std::size_t kMaxSpans = 1'000'000;  // some 70 MB

  explicit TraceLog(std::size_t max_spans = kMaxSpans) noexcept : max_spans_(max_spans) {}

  // Beyond max_spans, or for want of memory, a span is only counted.
  void span(const TraceSpan& span) noexcept override;

  [[nodiscard]] const std::vector<TraceSpan>& spans() const noexcept { return spans_; }
  [[nodiscard]] std::uint64_t dropped_count() const noexcept { return dropped_count_; }

  // Parents before what is nested in them, as viewers like it. After the call.
  void sort();

 private:
  const std::size_t max_spans_;
  std::vector<TraceSpan> spans_;
  std::uint64_t dropped_count_ = 0;
};

// Writes the spans as "traceEvents"; `other` is a JSON object in text, which becomes "otherData". Leaves `out`
// unfinished. Holds one event in memory at a time.
Status write_trace(SequentialWriter& out, const char* program, const TraceLog& log, const std::string& other);

}  // namespace bdelta::cli
