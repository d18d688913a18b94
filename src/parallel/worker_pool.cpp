#include "parallel/worker_pool.hpp"

#include <system_error>

namespace bdelta {

WorkerPool::WorkerPool(unsigned thread_count) {
  for (unsigned i = 1; i < thread_count; ++i) {
    // A system that refuses another thread gets the work done by those it has.
    try {
      threads_.emplace_back([this] { run_worker(); });
    } catch (const std::system_error&) {
      break;
    }
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
  std::unique_lock lock(mutex_);
  while (run_one(lock)) {
  }
  idle_.wait(lock, [this] { return queue_.empty() && running_ == 0; });
}

void WorkerPool::for_each(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  const auto drain = [&] {
    for (std::size_t index = next++; index < count; index = next++) body(index);
  };
  for (std::size_t i = 1; i < thread_count() && i < count; ++i) submit(drain);
  drain();
  wait();
}

void WorkerPool::run_worker() {
  std::unique_lock lock(mutex_);
  for (;;) {
    work_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (queue_.empty()) return;
    run_one(lock);
  }
}

}  // namespace bdelta
