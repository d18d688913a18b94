// Whether the work of one call shall go on, and how far it is: cancelling, a time limit and progress in one place.
//
//   watch.begin_part(0.4);                      // what comes now is four tenths of what is left …
//   watch.begin_stage(0.25, source.size());     // … and this its first quarter, counted in bytes of the source
//   for (…) { work(piece); watch.advance(piece.size()); }
//
// Idea: whoever works for long calls `advance` between pieces of a few milliseconds, whatever thread it is on. A call
// reads the clock, some 30 ns; the caller's callback is asked every kCallbackSeconds at most and once for each
// stage. When the work shall end, `advance` throws Interrupted. That unwinds like want of memory does and becomes an
// Error at the border of the library (guard.hpp), so nobody in between can take half-done work for a result.
// Time decides here whether a patch comes about, never what is in it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/guard.hpp"
#include "base/phases.hpp"
#include "bdelta/progress.hpp"

namespace bdelta {

class Watch {
 public:
  using Callback = ProgressCallback;

  static constexpr double kCallbackSeconds = 0.005;  // between two calls inside a stage; more = fewer calls

  // `callback` may be empty and must outlive the watch; it is told shares of total_bytes, ascending.
  // time_limit_seconds counts from here on; 0 = none.
  explicit Watch(const Callback& callback, std::uint64_t total_bytes = 0, double time_limit_seconds = 0);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  // For a total that is known only after a while. What comes up to Part: one thread, while no other advances.
  void set_total(std::uint64_t total_bytes) noexcept { total_bytes_ = total_bytes; }

  // Goals of stages are shares of the next part from now on, which is this share of what is left, behind the stage before.
  // What was done is never taken back, so steps that are gone through again, and estimates that were wrong, do no harm.
  void begin_part(double share_of_rest) noexcept;

  // The next unit_count units lead to `goal`, from where the stage before was to end. Asks the callback.
  void begin_stage(double goal, std::uint64_t unit_count);

  // What happens while it lives leads to `goal` as a stage would, and has parts and stages of its own.
  // The watch may be null.
  class Part;

  // What the callback is told of the work from now on. From any thread.
  void set_phase(PhaseId phase) noexcept { phase_.store(phase, std::memory_order_relaxed); }

  // `units` more are done. Throws Interrupted once the work shall end. From any thread.
  void advance(std::uint64_t units = 0);

  // The same for those who have an Error to return.
  [[nodiscard]] Status check(std::uint64_t units = 0) noexcept;

 private:
  enum class Stop : std::uint8_t { kNone, kCancelled, kTimeLimit };
  using Clock = std::chrono::steady_clock;

  void look(bool at_once);
  void call(std::int64_t now_ns);
  [[nodiscard]] std::uint64_t done_bytes() const noexcept;

  const Callback& callback_;
  std::uint64_t total_bytes_;
  const double time_limit_seconds_;
  const Clock::time_point begin_ = Clock::now();
  std::int64_t deadline_ns_;
  double range_begin_ = 0;  // shares of the whole: of the part at hand, …
  double range_end_ = 1;
  double rest_end_ = 1;     // … of what it is a part of, …
  double stage_begin_ = 0;  // … and of its stage
  double stage_end_ = 0;
  std::uint64_t stage_units_ = 0;
  std::atomic<std::uint64_t> units_{0};  // done of stage_units_
  std::atomic<PhaseId> phase_{PhaseId::kRead};
  std::atomic<Stop> stop_{Stop::kNone};
  std::atomic<std::int64_t> next_call_ns_{0};
  std::mutex calling_;
  std::uint64_t reported_bytes_ = 0;
};

class Watch::Part {
 public:
  Part(Watch* watch, double goal) noexcept;
  ~Part();
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

 private:
  Watch* const watch_;
  double range_begin_ = 0;
  double range_end_ = 0;
  double rest_end_ = 0;
};

// vector.resize for large tables of zeros, which the system hands out page by page. The watch may be null.
template <class T>
void resize_watched(std::vector<T>& table, std::size_t count, Watch* watch) {
  constexpr std::size_t kPieceCount = (std::size_t{4} << 20) / sizeof(T);
  table.clear();
  table.reserve(count);
  while (table.size() < count) {
    table.resize(std::min(count, table.size() + kPieceCount));
    if (watch) watch->advance();
  }
}

// For loops whose steps are too short for a look at the clock: every `period` steps is one. The watch may be null.
class Pace {
 public:
  Pace(Watch* watch, std::uint32_t period) noexcept : watch_(watch), period_(period), left_(period) {}

  // `count` of them at once.
  void step(std::uint32_t count = 1) {
    if (left_ > count) {
      left_ -= count;
      return;
    }
    left_ = period_;
    if (watch_) watch_->advance();
  }

 private:
  Watch* const watch_;
  const std::uint32_t period_;
  std::uint32_t left_;
};

// The same for steps that are units of the watch, if it is to count them; a look comes after `period` of work.
class UnitPace {
 public:
  UnitPace(Watch* watch, std::uint64_t period, bool counts) noexcept : watch_(watch), period_(period), counts_(counts) {}

  void step(std::uint64_t units, std::uint64_t work) {
    units_ += units;
    work_ += work;
    if (work_ >= period_) look();
  }

  // At once, with the units since the look before.
  void look() {
    if (watch_) watch_->advance(counts_ ? units_ : 0);
    units_ = work_ = 0;
  }

 private:
  Watch* const watch_;
  const std::uint64_t period_;
  const bool counts_;
  std::uint64_t units_ = 0;
  std::uint64_t work_ = 0;
};

}  // namespace bdelta
