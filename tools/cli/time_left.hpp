// How long work will still take, as its progress so far tells. Reads no clock: the same figures give the same answer.
#pragma once

#include <optional>

namespace bdelta::cli {

class TimeLeft {
 public:
  // Seconds left when `share` of the work, 0 to 1, is done after elapsed_seconds; nothing while that can't be told. Neither
  // may fall from one call to the next. The pace is the mean one; the answer is smoothed, so a leap comes through in seconds.
  std::optional<double> update(double share, double elapsed_seconds);

 private:
  double begin_seconds_ = 0;              // what was elapsed when the share was last 0: time before that tells nothing
  double last_seconds_ = 0;
  std::optional<double> total_seconds_;   // of all the work from there on
};

}  // namespace bdelta::cli
