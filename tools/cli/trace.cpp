#include "cli/trace.hpp"

#include <algorithm>
#include <exception>
#include <set>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "cli/json.hpp"

namespace bdelta::cli {
namespace {

constexpr int kProcess = 1;  // a trace holds one process; its number means nothing

double microseconds(std::uint64_t ns) { return static_cast<double>(ns) / 1000; }

Json metadata(const char* what, unsigned thread, Json args) {
  return {{"ph", "M"}, {"name", what}, {"pid", kProcess}, {"tid", thread}, {"args", std::move(args)}};
}

Json event(const TraceSpan& span) {
  Json args{{"self_us", microseconds(span.self_ns)}};
  if (span.index != TraceSpan::kNone) args["index"] = span.index;
  if (span.bytes != 0) args["bytes"] = span.bytes;
  return {{"ph", "X"},           {"name", span.name},
          {"cat", span.phase},   {"pid", kProcess},
          {"tid", span.thread},  {"ts", microseconds(span.begin_ns)},
          {"dur", microseconds(span.end_ns - span.begin_ns)}, {"args", std::move(args)}};
}

Status put(SequentialWriter& out, const std::string& text) {
  return out.write({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

}  // namespace

void TraceLog::span(const TraceSpan& span) noexcept {
  if (spans_.size() < max_spans_) {
    try {
      spans_.push_back(span);
      return;
    } catch (const std::exception&) {
      // No memory: counted as dropped.
    }
  }
  ++dropped_count_;
}

void TraceLog::sort() {
  // A span comes in when it ends, so of two with the same times the later one is around the earlier.
  std::reverse(spans_.begin(), spans_.end());
  std::stable_sort(spans_.begin(), spans_.end(), [](const TraceSpan& a, const TraceSpan& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
}

Status write_trace(SequentialWriter& out, const char* program, const TraceLog& log, const std::string& other) {
  std::set<unsigned> threads;
  for (const TraceSpan& span : log.spans()) threads.insert(span.thread);
  BDELTA_TRY(put(out, "{\"traceEvents\":[\n" + metadata("process_name", 0, {{"name", program}}).dump()));
  for (const unsigned thread : threads) {
    const std::string name = thread == 0 ? "caller" : "worker " + std::to_string(thread);
    BDELTA_TRY(put(out, ",\n" + metadata("thread_name", thread, {{"name", name}}).dump()));
    BDELTA_TRY(put(out, ",\n" + metadata("thread_sort_index", thread, {{"sort_index", thread}}).dump()));
  }
  for (const TraceSpan& span : log.spans()) BDELTA_TRY(put(out, ",\n" + event(span).dump()));
  return put(out, "\n],\n\"displayTimeUnit\":\"ms\",\n\"otherData\":" + other + "}\n");
}

}  // namespace bdelta::cli
