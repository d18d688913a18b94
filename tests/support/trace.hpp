// Spans as a call gave them, and what must hold for any of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "bdelta/report.hpp"
#include "bdelta/trace.hpp"

namespace bdelta::test {

struct RecordingSink final : TraceSink {
  std::vector<TraceSpan> spans;
  void span(const TraceSpan& span) noexcept override { spans.push_back(span); }
};

// The spans of one thread nest or are apart, and their self_ns are what nesting makes of their times. A span comes when
// it ends: those that began within it and belong to nobody yet are the ones directly inside.
inline void expect_nested(const std::vector<TraceSpan>& spans) {
  std::map<unsigned, std::vector<TraceSpan>> orphans_of;
  for (const TraceSpan& span : spans) {
    ASSERT_LE(span.begin_ns, span.end_ns);
    std::vector<TraceSpan>& orphans = orphans_of[span.thread];
    std::uint64_t nested_ns = 0;
    while (!orphans.empty() && orphans.back().begin_ns >= span.begin_ns) {
      ASSERT_LE(orphans.back().end_ns, span.end_ns);
      nested_ns += orphans.back().end_ns - orphans.back().begin_ns;
      orphans.pop_back();
    }
    if (!orphans.empty()) {
      ASSERT_LE(orphans.back().end_ns, span.begin_ns) << span.name << " overlaps " << orphans.back().name;
    }
    EXPECT_EQ(span.end_ns - span.begin_ns - nested_ns, span.self_ns) << span.name;
    orphans.push_back(span);
  }
}

// Nanoseconds in which at least one of the spans was open.
inline std::uint64_t united_ns(std::vector<TraceSpan> spans) {
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.begin_ns < b.begin_ns; });
  std::uint64_t sum = 0;
  std::uint64_t done = 0;
  for (const TraceSpan& span : spans) {
    const std::uint64_t from = std::max(done, span.begin_ns);
    if (span.end_ns > from) sum += span.end_ns - from;
    done = std::max(done, span.end_ns);
  }
  return sum;
}

// Report and trace tell the same, to the rounding of a double.
inline void expect_agreement(const Report& report, const std::vector<TraceSpan>& spans) {
  expect_nested(spans);
  std::map<std::string, std::vector<TraceSpan>> by_phase;
  for (const TraceSpan& span : spans) {
    by_phase[span.phase].push_back(span);
    EXPECT_LT(span.thread, report.threads);
    EXPECT_LE(static_cast<double>(span.end_ns) / 1e9, report.wall_seconds);
  }
  for (const Phase& phase : report.phases) {
    std::uint64_t self_ns = 0;
    for (const TraceSpan& span : by_phase[phase.name]) self_ns += span.self_ns;
    EXPECT_NEAR(static_cast<double>(self_ns) / 1e9, phase.seconds, 1e-9) << phase.name;
    EXPECT_NEAR(static_cast<double>(united_ns(by_phase[phase.name])) / 1e9, phase.wall_seconds, 1e-9) << phase.name;
    by_phase.erase(phase.name);
  }
  for (const auto& [name, unlisted] : by_phase) ADD_FAILURE() << name << " is in no phase of the report";
}

}  // namespace bdelta::test
