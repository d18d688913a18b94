// The trace of the programs: bounded memory, parents first, valid JSON.
#include "cli/trace.hpp"

#include <nlohmann/json.hpp>

#include "support/expect.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::cli::trace_log_test {
namespace {

TraceSpan span_at(std::uint64_t begin_ns, std::uint64_t end_ns, const char* name = "scan", unsigned thread = 0) {
  return {name, name, thread, begin_ns, end_ns, end_ns - begin_ns, TraceSpan::kNone, 0};
}

TEST(TraceLog, CountsWhatItDoesNotKeep) {
  TraceLog log(2);
  for (std::uint64_t i = 0; i < 5; ++i) log.span(span_at(i, i + 1));
  EXPECT_EQ(2u, log.spans().size());
  EXPECT_EQ(3u, log.dropped_count());
}

TEST(TraceLog, SortsParentsBeforeChildren) {
  TraceLog log;
  log.span(span_at(5, 5, "inner"));
  log.span(span_at(5, 9, "middle"));
  log.span(span_at(5, 9, "outer"));
  log.span(span_at(1, 4, "first"));
  log.sort();
  std::vector<std::string> names;
  for (const TraceSpan& span : log.spans()) names.push_back(span.name);
  EXPECT_EQ((std::vector<std::string>{"first", "outer", "middle", "inner"}), names);
}

nlohmann::json written(const TraceLog& log) {
  Bytes bytes;
  test::MemoryWriter out(bytes);
  EXPECT_OK(write_trace(out, "bdelta", log, R"({"threads":2})"));
  return nlohmann::json::parse(bytes.begin(), bytes.end());
}

TEST(WriteTrace, WithoutSpansIsValid) {
  const nlohmann::json trace = written(TraceLog());
  EXPECT_EQ(1u, trace["traceEvents"].size());
  EXPECT_EQ(2, trace["otherData"]["threads"]);
}

TEST(WriteTrace, SaysAllOfASpan) {
  TraceLog log;
  log.span({"decode", "verify", 3, 1'234'567, 2'234'568, 1'000'000, 17, 4096});
  log.span(span_at(0, 1));
  log.sort();
  const nlohmann::json trace = written(log);
  const nlohmann::json expected = {
      {"ph", "X"},  {"name", "decode"}, {"cat", "verify"}, {"pid", 1},
      {"tid", 3},   {"ts", 1234.567},   {"dur", 1000.001},
      {"args", {{"self_us", 1000.0}, {"index", 17}, {"bytes", 4096}}}};
  EXPECT_EQ(expected, trace["traceEvents"].back());
  std::map<int, std::string> names;
  for (const auto& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name") names[event["tid"]] = event["args"]["name"];
  }
  EXPECT_EQ((std::map<int, std::string>{{0, "caller"}, {3, "worker 3"}}), names);
}

}  // namespace
}  // namespace bdelta::cli::trace_log_test
