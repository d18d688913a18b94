// Where the time of one call goes: measured in one place, for the report and for a trace alike.
//
//   {
//     const Span span(&timeline, PhaseId::kScan, chunk, chunk_bytes);
//     …                                  // further spans may open and close in here, on this thread
//   }
//   report.phases = timeline.phases(kCreatePhases);
//
// Each nanosecond of a thread counts for the innermost span open on it. So a step may open a span for itself, its
// parts may open theirs, on this thread or on others, and nothing is counted twice. What a thread spends waiting for
// others is a span of PhaseId::kWait like any other. A sink is given what the sums are made of, so both agree to the
// nanosecond.
//
// A span takes a lock and reads the clock twice, some 100 ns in all. It is meant for work of a millisecond or so, never
// for single ops.
#pragma once

#include <array>
#include <chrono>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/phases.hpp"
#include "bdelta/report.hpp"
#include "bdelta/trace.hpp"

namespace bdelta {

class Span;

// Thread-safe. Must outlive its spans and the threads that have joined it.
class Timeline {
 public:
  // `sink` may be null; it must outlive the timeline.
  explicit Timeline(TraceSink* sink = nullptr) noexcept : sink_(sink) {}
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  // Seconds since construction.
  [[nodiscard]] double elapsed_seconds() const noexcept { return static_cast<double>(now_ns()) / 1e9; }

  // What spans that have ended add up to; a phase that never was is listed with zeros.
  [[nodiscard]] std::vector<Phase> phases(std::span<const PhaseId> ids) const;

  // Brings what `phases` gave for the same ids up to date.
  void update(std::vector<Phase>& phases, std::span<const PhaseId> ids) const noexcept;

  // Spans of the calling thread carry this number from now on; those of a thread that never joined carry 0.
  void join(unsigned thread) const noexcept;

  // Spans that open from now on count for `phase`, whatever their name, except those that wait; their bytes don't
  // count. For a step made of steps that have phases of their own elsewhere. Nothing: each for its own again.
  void count_all_as(std::optional<PhaseId> phase) noexcept;

 private:
  friend class Span;

  struct Sum {
    std::uint64_t self_ns = 0;
    std::uint64_t wall_ns = 0;  // while at least one span was open
    std::uint64_t bytes = 0;
    unsigned open_count = 0;
    std::uint64_t open_since_ns = 0;
  };

  [[nodiscard]] std::uint64_t now_ns() const noexcept;
  void open(Span& span) noexcept;
  void close(const Span& span) noexcept;

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  TraceSink* const sink_;
  mutable std::mutex mutex_;
  std::array<Sum, kPhaseCount> sums_{};
  std::optional<PhaseId> all_as_;
};

// One stretch of work of the thread that constructs and destroys it. Without a timeline it does nothing.
class Span {
 public:
  Span(Timeline* timeline, PhaseId name, std::uint64_t index = TraceSpan::kNone, std::uint64_t bytes = 0) noexcept
      : timeline_(timeline), name_(name), phase_(name), index_(index), bytes_(bytes) {
    if (timeline_) timeline_->open(*this);
  }
  ~Span() {
    if (timeline_) timeline_->close(*this);
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

  // For bytes that are known only when the work is done.
  void set_bytes(std::uint64_t bytes) noexcept { bytes_ = bytes; }

 private:
  friend class Timeline;

  Timeline* const timeline_;
  const PhaseId name_;
  PhaseId phase_;
  const std::uint64_t index_;
  std::uint64_t bytes_;
  bool counts_bytes_ = true;
  unsigned thread_ = 0;
  Span* outer_ = nullptr;  // the span around this one on its thread, perhaps of another timeline
  std::uint64_t begin_ns_ = 0;
  std::uint64_t nested_ns_ = 0;  // taken by spans directly inside
};

}  // namespace bdelta
