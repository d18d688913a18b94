// The timeline: sums and spans agree, nesting counts nothing twice, threads keep their numbers.
#include "base/timeline.hpp"

#include <atomic>
#include <thread>

#include "parallel/worker_pool.hpp"
#include "support/trace.hpp"

namespace bdelta::test::timeline_test {
namespace {

constexpr PhaseId kAll[] = {PhaseId::kRead,     PhaseId::kHash, PhaseId::kUnpack,     PhaseId::kCompare,  PhaseId::kIndex,
                            PhaseId::kScan,     PhaseId::kSelect,   PhaseId::kParse,    PhaseId::kPlan,
                            PhaseId::kPredict,  PhaseId::kEncode,   PhaseId::kCompress, PhaseId::kDecode,
                            PhaseId::kExecute,  PhaseId::kVerify,   PhaseId::kWrite,    PhaseId::kFinish,
                            PhaseId::kWait};

void pass_some_time() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

Report report_of(const Timeline& timeline, unsigned threads) {
  Report report;
  report.threads = threads;
  report.phases = timeline.phases(kAll);
  report.wall_seconds = timeline.elapsed_seconds();
  return report;
}

Phase phase_of(const Timeline& timeline, PhaseId id) {
  const PhaseId ids[] = {id};
  return timeline.phases(ids).front();
}

TEST(Phases, NamesAreAllThereAndDiffer) {
  std::map<std::string, int> names;
  for (const PhaseId id : kAll) ++names[phase_name(id)];
  EXPECT_EQ(kPhaseCount, std::size(kAll));
  EXPECT_EQ(kPhaseCount, names.size());
}

TEST(Timeline, BeginsWithZeros) {
  const Timeline timeline;
  for (const Phase& phase : timeline.phases(kAll)) {
    EXPECT_EQ(0, phase.seconds);
    EXPECT_EQ(0, phase.wall_seconds);
    EXPECT_EQ(0u, phase.bytes);
  }
}

TEST(Timeline, WithoutASinkTheSumsAreKept) {
  Timeline timeline;
  {
    const Span span(&timeline, PhaseId::kScan, 0, 5), again(&timeline, PhaseId::kScan, 1, 6);
    pass_some_time();
  }
  EXPECT_EQ(11u, phase_of(timeline, PhaseId::kScan).bytes);
  EXPECT_GT(phase_of(timeline, PhaseId::kScan).seconds, 0);
}

TEST(Timeline, NestedSpansCountOnce) {
  RecordingSink sink;
  Timeline timeline(&sink);
  {
    const Span scan(&timeline, PhaseId::kScan);
    pass_some_time();
    {
      Span read(&timeline, PhaseId::kRead, 7);
      pass_some_time();
      { const Span hash(&timeline, PhaseId::kHash); }
      read.set_bytes(11);
    }
    { const Span chunk(&timeline, PhaseId::kScan, 8, 12); }
  }
  ASSERT_EQ(4u, sink.spans.size());
  EXPECT_STREQ("hash", sink.spans[0].name);
  EXPECT_STREQ("read", sink.spans[1].name);
  EXPECT_EQ(7u, sink.spans[1].index);
  EXPECT_EQ(11u, sink.spans[1].bytes);
  EXPECT_EQ(TraceSpan::kNone, sink.spans[3].index);
  const TraceSpan& scan = sink.spans[3];
  std::uint64_t self_ns = 0;
  for (const TraceSpan& span : sink.spans) self_ns += span.self_ns;
  EXPECT_EQ(scan.end_ns - scan.begin_ns, self_ns) << "all there is, and nothing twice";
  EXPECT_LT(scan.self_ns, scan.end_ns - scan.begin_ns);
  expect_agreement(report_of(timeline, 1), sink.spans);
}

TEST(Timeline, ANestedSpanOfAnotherTimelineIsNoneOfOurs) {
  RecordingSink sink;
  RecordingSink other_sink;
  Timeline timeline(&sink);
  Timeline other(&other_sink);
  {
    const Span ours(&timeline, PhaseId::kScan);
    const Span theirs(&other, PhaseId::kHash);
    const Span inside(&other, PhaseId::kRead);
    pass_some_time();
  }
  ASSERT_EQ(1u, sink.spans.size());
  EXPECT_EQ(sink.spans[0].end_ns - sink.spans[0].begin_ns, sink.spans[0].self_ns);
  expect_agreement(report_of(other, 1), other_sink.spans);
}

TEST(Timeline, CountAllAsKeepsNamesAndWaiting) {
  RecordingSink sink;
  Timeline timeline(&sink);
  {
    const Span step(&timeline, PhaseId::kVerify, TraceSpan::kNone, 100);
    timeline.count_all_as(PhaseId::kVerify);
    { const Span decode(&timeline, PhaseId::kDecode, 0, 40); }
    { const Span wait(&timeline, PhaseId::kWait); }
    timeline.count_all_as({});
  }
  { const Span decode(&timeline, PhaseId::kDecode, 0, 3); }
  ASSERT_EQ(4u, sink.spans.size());
  EXPECT_STREQ("decode", sink.spans[0].name);
  EXPECT_STREQ("verify", sink.spans[0].phase);
  EXPECT_STREQ("wait", sink.spans[1].phase);
  EXPECT_STREQ("decode", sink.spans[3].phase);
  EXPECT_EQ(100u, phase_of(timeline, PhaseId::kVerify).bytes);
  EXPECT_EQ(3u, phase_of(timeline, PhaseId::kDecode).bytes);
  expect_agreement(report_of(timeline, 1), sink.spans);
}

TEST(Timeline, ThreadsOfAPoolAreNumbered) {
  RecordingSink sink;
  Timeline timeline(&sink);
  {
    WorkerPool pool(3, &timeline);
    const Span step(&timeline, PhaseId::kEncode);
    std::atomic<int> arrived{0};
    pool.for_each(200, [&](std::size_t i) {
      const Span span(pool.timeline(), PhaseId::kScan, i, i);
      const Span inner(pool.timeline(), PhaseId::kHash, i);
      if (i >= 3) return;
      ++arrived;  // the first three hold a thread each until all threads have one
      while (arrived < 3) std::this_thread::yield();
    });
  }
  std::vector<int> scanned(200);
  std::map<unsigned, int> threads;
  for (const TraceSpan& span : sink.spans) {
    ++threads[span.thread];
    if (span.name == std::string("scan")) ++scanned[static_cast<std::size_t>(span.index)];
  }
  EXPECT_EQ(200, std::count(scanned.begin(), scanned.end(), 1));
  EXPECT_EQ(3u, threads.size());
  EXPECT_EQ(200u * 199 / 2, phase_of(timeline, PhaseId::kScan).bytes);
  expect_agreement(report_of(timeline, 3), sink.spans);
}

TEST(Timeline, WaitingForAWorkerIsWaiting) {
  RecordingSink sink;
  Timeline timeline(&sink);
  WorkerPool pool(2, &timeline);
  std::atomic<bool> begun{false};
  pool.submit([&] {
    begun = true;
    for (int i = 0; i < 50; ++i) pass_some_time();
  });
  while (!begun) std::this_thread::yield();  // or the caller would do it
  pool.wait();
  if (!sink.spans.empty()) {  // else the worker was through before
    EXPECT_STREQ("wait", sink.spans[0].name);
    EXPECT_EQ(0u, sink.spans[0].thread);
  }
  sink.spans.clear();
  pool.wait();
  EXPECT_TRUE(sink.spans.empty()) << "nothing to wait for";
}

// Threads that open and close the same phase all the time: the wall clock of a phase is exact nevertheless.
TEST(Timeline, WallClockIsTheUnion) {
  RecordingSink sink;
  Timeline timeline(&sink);
  WorkerPool pool(4, &timeline);
  pool.for_each(4, [&](std::size_t) {
    for (std::uint64_t i = 0; i < 3000; ++i) const Span span(pool.timeline(), PhaseId::kParse, i, 1);
  });
  EXPECT_EQ(12000u, phase_of(timeline, PhaseId::kParse).bytes);
  expect_agreement(report_of(timeline, 4), sink.spans);
}

}  // namespace
}  // namespace bdelta::test::timeline_test
