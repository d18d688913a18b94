// Wall-clock seconds for reports.
#pragma once

#include <chrono>

namespace bdelta {

class Stopwatch {
 public:
  // Seconds since construction or the last lap.
  double lap() noexcept {
    const auto now = std::chrono::steady_clock::now();
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    return seconds;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Adds the seconds of its life to a sum.
class ScopedTimer {
 public:
  explicit ScopedTimer(double& sum) noexcept : sum_(sum) {}
  ~ScopedTimer() { sum_ += watch_.lap(); }
  ScopedTimer(const ScopedTimer&) = delete;
  ScopedTimer& operator=(const ScopedTimer&) = delete;

 private:
  double& sum_;
  Stopwatch watch_;
};

}  // namespace bdelta
