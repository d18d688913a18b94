#include "parallel/worker_pool.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <system_error>

namespace bdelta {

unsigned thread_count_for(unsigned option) noexcept {
  return option != 0 ? option : std::max(1u, std::thread::hardware_concurrency());
}

WorkerPool::WorkerPool(unsigned thread_count, Timeline* timeline, Watch* watch, unsigned first_number)
    : timeline_(timeline), watch_(watch) {
  // A system that refuses another thread, or memory for it, gets the work done by those it has.
  try {
    threads_.reserve(thread_count);
    for (unsigned i = 1; i < thread_count; ++i) {
      const unsigned number = first_number + i - 1;
      threads_.emplace_back([this, number] { run_worker(number); });
    }
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::submit(Task task) {
  if (threads_.empty()) {
    task();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  work_.notify_one();
}

bool WorkerPool::run_one(std::unique_lock<std::mutex>& lock) {
  if (queue_.empty()) return false;
  Task task = std::move(queue_.front());
  queue_.pop_front();
  ++running_;
  lock.unlock();
  task();
  lock.lock();
  --running_;
  if (queue_.empty() && running_ == 0) idle_.notify_all();
  return true;
}

bool WorkerPool::help() {
  std::unique_lock lock(mutex_);
  return run_one(lock);
}

void WorkerPool::wait() {
  {
    std::unique_lock lock(mutex_);
    while (run_one(lock)) {
    }
    if (running_ == 0) return;
  }
  const Span idle(timeline_, PhaseId::kWait);
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return queue_.empty() && running_ == 0; });
}

void WorkerPool::mark(bool& flag) {
  const std::lock_guard lock(mutex_);
  flag = true;
  marked_.notify_all();
}

bool WorkerPool::is_marked(const bool& flag) {
  const std::lock_guard lock(mutex_);
  return flag;
}

void WorkerPool::wait_for(const bool& flag) {
  {
    std::unique_lock lock(mutex_);
    while (!flag && run_one(lock)) {
    }
    if (flag) return;
  }
  const Span idle(timeline_, PhaseId::kWait);
  std::unique_lock lock(mutex_);
  marked_.wait(lock, [&] { return flag; });
}

void WorkerPool::for_each(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  std::mutex thrown_mutex;
  std::exception_ptr thrown;
  const auto drain = [&] {
    try {
      for (std::size_t index = next++; index < count; index = next++) {
        advance();
        body(index);
      }
    } catch (...) {
      next = count;  // the rest need not begin
      const std::lock_guard lock(thrown_mutex);
      if (!thrown) thrown = std::current_exception();
    }
  };
  try {
    for (std::size_t i = 1; i < thread_count() && i < count; ++i) submit(drain);
  } catch (const std::bad_alloc&) {
    // No memory to hand out work: the caller does it with those who have got some.
  }
  drain();
  wait();
  if (thrown) std::rethrow_exception(thrown);
}

void WorkerPool::run_worker(unsigned number) {
  if (timeline_) timeline_->join(number);
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    run_one(lock);
  }
}

}  // namespace bdelta
