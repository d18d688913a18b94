// How far the work is, on stderr: a line for people on a terminal, or lines of JSON.
#pragma once

#include <chrono>

#include "bdelta/progress.hpp"
#include "cli/time_left.hpp"

namespace bdelta::cli {

enum class ProgressWay {
  kAuto,  // for people: on a terminal, and only for work of more than a second
  kJson,  // from the beginning, wherever stderr leads
  kNone,
};

enum class ProgressUnit { kBytes, kEntries };  // what a call counts

class ProgressDisplay {
 public:
  // quiet: nothing for people.
  ProgressDisplay(ProgressWay way, const char* program, bool quiet, ProgressUnit unit = ProgressUnit::kBytes);
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // For the options of the library; this object must outlive the call.
  [[nodiscard]] ProgressCallback callback();

  // Before anything else is printed: wipes the line for people. `total`: the work was done, which the last line of JSON says;
  // none: it failed.
  void finish(std::optional<std::uint64_t> total);

 private:
  using Clock = std::chrono::steady_clock;

  void show(const Progress& now);
  void show_line(const Progress& now, double share, std::optional<double> seconds_left);
  void show_json(const Progress& now, double share, double seconds, std::optional<double> seconds_left) const;
  void clear();
  [[nodiscard]] double elapsed_seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  const ProgressWay way_;
  const char* const program_;
  const ProgressUnit unit_;
  const Clock::time_point begin_ = Clock::now();
  double next_seconds_;  // nothing is shown before
  bool has_line_ = false;
  TimeLeft time_left_;
};

}  // namespace bdelta::cli
