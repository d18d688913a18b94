// The watch: when it stops work, and what it tells of progress.
#include "parallel/watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "parallel/worker_pool.hpp"
#include "support/expect.hpp"

namespace bdelta::test::watch_test {
namespace {

const Watch::Callback kNone;

TEST(Watch, WithoutWishesNeverStops) {
  Watch watch(kNone, 100);
  watch.begin_stage(1, 10);
  for (int i = 0; i < 1000; ++i) EXPECT_OK(watch.check(1));
}

TEST(Watch, ARefusingCallbackCancelsForGood) {
  int calls = 0;
  const Watch::Callback refuse = [&](std::uint64_t, std::uint64_t) { return ++calls > 1; };
  Watch watch(refuse, 100);
  EXPECT_THROW(watch.begin_stage(1, 10), Interrupted);
  EXPECT_FAILS(ErrorCode::kCancelled, watch.check());  // whatever the callback would say now
}

TEST(Watch, AnEndedTimeLimitStops) {
  Watch watch(kNone, 100, 1e-9);
  EXPECT_FAILS(ErrorCode::kTimeLimit, watch.check());
  EXPECT_THROW(watch.advance(), Interrupted);
  EXPECT_FAILS(ErrorCode::kTimeLimit, guarded([&]() -> Status { return watch.advance(), Status(); }));
}

TEST(Watch, ALimitBeyondAllClocksIsNone) {
  Watch watch(kNone, 100, 1e300);
  EXPECT_OK(watch.check());
}

TEST(Watch, TellsSharesOfTheTotalAndNeverGoesBack) {
  std::vector<std::uint64_t> told;
  const Watch::Callback note = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(1000u, total);
    told.push_back(done);
    return true;
  };
  Watch watch(note, 1000);
  watch.begin_part(0.6);
  watch.begin_stage(0.5, 10);
  watch.advance(10);
  watch.begin_stage(0.4, 10);  // less than was told
  watch.begin_stage(1, 10);
  watch.advance(100);  // more than was said
  watch.begin_part(0.5);  // of what is left
  watch.begin_stage(1, 0);
  watch.begin_part(1);
  watch.begin_stage(1, 0);
  watch.begin_stage(1, 0);
  EXPECT_EQ((std::vector<std::uint64_t>{0, 300, 300, 600, 800, 1000}), told);
}

TEST(Watch, APartHasStagesOfItsOwnAndLeadsToItsGoal) {
  std::vector<std::uint64_t> told;
  const Watch::Callback note = [&](std::uint64_t done, std::uint64_t) { return told.push_back(done), true; };
  Watch watch(note, 1000);
  watch.begin_stage(0.2, 0);
  {
    const Watch::Part part(&watch, 0.6);
    watch.begin_stage(0.5, 0);   // from 200, which the stage before led to
    {
      const Watch::Part inner(&watch, 0.75);  // 400 to 500
      watch.begin_part(0.5);
      watch.begin_stage(1, 0);
      watch.begin_stage(1, 0);   // 450
    }
    watch.begin_stage(0.75, 0);  // 500, though nothing led there
  }
  watch.begin_stage(0.8, 0);     // 600
  watch.begin_stage(1, 0);       // 800
  EXPECT_EQ((std::vector<std::uint64_t>{0, 200, 400, 450, 500, 600, 800}), told);
  const Watch::Part none(nullptr, 1);
}

TEST(Watch, TellsThePhase) {
  std::vector<std::string> phases;
  const Watch::Callback note = [&](const Progress& now) {
    phases.push_back(now.phase);
    return true;
  };
  Timeline timeline;
  Watch watch(note, 100);
  const WorkerPool pool(1, &timeline, &watch);
  pool.begin_stage(0, 0);
  {
    const Step step(pool, PhaseId::kParse);
    pool.begin_stage(0.5, 0);
    { const Step inside(pool, PhaseId::kCompress, 7); }
    pool.begin_stage(0.6, 0);
  }
  watch.set_phase(PhaseId::kWrite);
  pool.begin_stage(1, 0);
  EXPECT_EQ((std::vector<std::string>{"read", "parse", "compress", "write"}), phases);
  const PhaseId ids[] = {PhaseId::kCompress};
  EXPECT_EQ(7u, timeline.phases(ids).front().bytes);
  const Step nothing(WorkerPool(1), PhaseId::kHash);
}

TEST(ProgressCallback, IsMadeOfAllThatCanBeCalled) {
  EXPECT_FALSE(ProgressCallback());
  EXPECT_FALSE(ProgressCallback(nullptr));
  EXPECT_FALSE(ProgressCallback(std::function<bool(const Progress&)>()));
  EXPECT_FALSE(ProgressCallback(std::function<bool(std::uint64_t, std::uint64_t)>()));
  const ProgressCallback with_bytes = [](std::uint64_t done, std::uint64_t total) { return done < total; };
  const ProgressCallback with_all = [](const Progress& now) { return std::string_view(now.phase) == "hash"; };
  EXPECT_TRUE(with_bytes({1, 2, ""}));
  EXPECT_FALSE(with_bytes({2, 2, ""}));
  EXPECT_TRUE(with_all({0, 0, "hash"}));
  const ProgressCallback copy = with_all;
  EXPECT_TRUE(copy && !copy({0, 0, "read"}));
}

TEST(Watch, StopsAPoolBetweenItsBodies) {
  for (const unsigned threads : {1u, 3u}) {
    bool go_on = true;
    const Watch::Callback ask = [&](std::uint64_t, std::uint64_t) { return go_on; };
    Watch watch(ask, 100);
    WorkerPool pool(threads, nullptr, &watch);
    std::atomic<int> calls{0};
    pool.for_each(50, [&](std::size_t) { ++calls; });
    EXPECT_EQ(50, calls);
    go_on = false;
    EXPECT_FAILS(ErrorCode::kCancelled, guarded([&]() -> Status { return watch.begin_stage(1, 0), Status(); }));
    EXPECT_THROW(pool.for_each(50, [&](std::size_t) { ++calls; }), Interrupted);
    EXPECT_EQ(50, calls);
  }
}

TEST(Watch, PaceLooksOnceInAPeriod) {
  Watch watch(kNone, 100, 1e-9);
  Pace pace(&watch, 10);
  for (int i = 0; i < 9; ++i) EXPECT_NO_THROW(pace.step());
  EXPECT_THROW(pace.step(), Interrupted);
  Pace none(nullptr, 1);
  EXPECT_NO_THROW(none.step());
}

TEST(Watch, WatchedTablesAreZero) {
  Watch watch(kNone, 100);
  std::vector<std::uint32_t> table(7, 5);
  resize_watched(table, 3'000'000, &watch);
  EXPECT_EQ(3'000'000u, table.size());
  EXPECT_EQ(0u, *std::max_element(table.begin(), table.end()));
}

TEST(Watch, UnitPaceLooksAfterSoMuchWork) {
  Watch watch(kNone, 100, 1e-9);
  UnitPace pace(&watch, 10, true);
  EXPECT_NO_THROW(pace.step(1000, 9));
  EXPECT_THROW(pace.step(0, 1), Interrupted);
  UnitPace none(nullptr, 1, true);
  EXPECT_NO_THROW(none.step(5, 5));
}

TEST(Watch, UnitPaceHandsUnitsOnIfItCounts) {
  for (const bool counts : {true, false}) {
    std::uint64_t told = 0;
    const Watch::Callback note = [&](std::uint64_t done, std::uint64_t) { return told = done, true; };
    Watch watch(note, 100);
    watch.begin_stage(1, 100);
    UnitPace pace(&watch, 10, counts);
    pace.step(9, 1);
    pace.step(31, 20);
    pace.step(5, 1);
    std::this_thread::sleep_for(std::chrono::duration<double>(2 * Watch::kCallbackSeconds));  // until it is asked again
    pace.look();
    EXPECT_EQ(counts ? 45u : 0u, told);
  }
}

}  // namespace
}  // namespace bdelta::test::watch_test
