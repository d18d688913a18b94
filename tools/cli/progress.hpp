// A line of progress for people: on a terminal only, and only for work of more than a second.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace bdelta::cli {

class Progress {
 public:
  explicit Progress(bool enabled) : enabled_(enabled) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // For the options of the library; this object must outlive the call.
  [[nodiscard]] std::function<bool(std::uint64_t, std::uint64_t)> callback();

  // Wipes the line; before anything else is printed.
  void clear();

 private:
  void show(std::uint64_t done, std::uint64_t total);

  using Clock = std::chrono::steady_clock;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
};

}  // namespace bdelta::cli
