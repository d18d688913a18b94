// A fixed number of threads that work through tasks. No globals: whoever needs threads is given a pool.
//
//   WorkerPool pool(2);
//   pool.for_each(chunks.size(), [&](std::size_t index) { results[index] = work(chunks[index]); });
//
// Results are put where their index says, so they don't depend on the number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/timeline.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// The thread count that a caller's option means: itself, or for 0 as many as the machine has.
[[nodiscard]] unsigned thread_count_for(unsigned option) noexcept;

class WorkerPool {
 public:
  using Task = std::function<void()>;

  // thread_count counts the calling thread, which works along in for_each; 0 is taken as 1. With 1 no thread is
  // started at all and every task runs in the caller. `timeline` and `watch` may be null and must outlive the pool;
  // its threads are numbered from first_number on, on the timeline.
  explicit WorkerPool(unsigned thread_count, Timeline* timeline = nullptr, Watch* watch = nullptr, unsigned first_number = 1);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] unsigned thread_count() const noexcept { return static_cast<unsigned>(threads_.size()) + 1; }

  // Where those who work with this pool record what they do; may be null.
  [[nodiscard]] Timeline* timeline() const noexcept { return timeline_; }

  // What they look at now and then while they work; may be null.
  [[nodiscard]] Watch* watch() const noexcept { return watch_; }

  // All as watch() does them, if there is one.
  void set_phase(PhaseId phase) const noexcept {
    if (watch_) watch_->set_phase(phase);
  }
  void begin_stage(double goal, std::uint64_t unit_count) const {
    if (watch_) watch_->begin_stage(goal, unit_count);
  }
  void advance(std::uint64_t units = 0) const {
    if (watch_) watch_->advance(units);
  }

  // Queues a task; it must not throw. Runs at once in the caller when there is no other thread.
  void submit(Task task);

  // Runs one queued task in the caller; false when none is queued.
  bool help();

  // Returns when every submitted task has ended; the caller works along.
  void wait();

  // For one who waits for a certain task: it marks its flag at its end. wait_for returns when that has been done; the caller
  // works along. What the task did before is seen by whoever sees the flag marked.
  void mark(bool& flag);
  [[nodiscard]] bool is_marked(const bool& flag);
  void wait_for(const bool& flag);

  // Calls body(index) for 0 <= index < count, each once, in no particular order; returns when all are done. What a
  // body throws is thrown here once all have ended; the rest are then not begun. So does the watch before each body.
  // Must not be called from inside a task.
  void for_each(std::size_t count, const std::function<void(std::size_t)>& body);

 private:
  void run_worker(unsigned number);
  bool run_one(std::unique_lock<std::mutex>& lock);

  Timeline* const timeline_;
  Watch* const watch_;
  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable idle_;
  std::condition_variable marked_;
  std::deque<Task> queue_;
  std::size_t running_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

// A span of the thread that leads the work: a step of it, which progress names until the next one begins.
class Step {
 public:
  Step(const WorkerPool& pool, PhaseId phase, std::uint64_t bytes = 0) noexcept
      : span_(pool.timeline(), phase, TraceSpan::kNone, bytes) {
    pool.set_phase(phase);
  }

 private:
  const Span span_;
};

}  // namespace bdelta
