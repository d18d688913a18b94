#include "cli/progress.hpp"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "base/phases.hpp"
#include "cli/process.hpp"
#include "cli/text.hpp"

namespace bdelta::cli {
namespace {

constexpr double kFirstLineSeconds = 1;    // work that takes less shows no line to people
constexpr double kBetweenSeconds = 0.1;

double share_of(const Progress& now) {
  return now.total == 0 ? 0 : static_cast<double>(now.done) / static_cast<double>(now.total);
}

// So that a line of JSON holds no noise. Never up, so that nothing is done before all is.
double in_steps(double value, double steps) { return std::floor(value * steps) / steps; }

}  // namespace

ProgressDisplay::ProgressDisplay(ProgressWay way, const char* program, bool quiet, ProgressUnit unit)
    : way_(way == ProgressWay::kAuto && (quiet || !stderr_is_terminal()) ? ProgressWay::kNone : way), program_(program), unit_(unit),
      next_seconds_(way == ProgressWay::kJson ? 0 : kFirstLineSeconds) {}

ProgressCallback ProgressDisplay::callback() {
  if (way_ == ProgressWay::kNone) return {};
  return [this](const Progress& now) {
    show(now);
    return true;
  };
}

void ProgressDisplay::show(const Progress& now) {
  const double seconds = elapsed_seconds();
  const double share = share_of(now);
  if (seconds < next_seconds_ || share >= 1) return;  // what is done may still fail, or have to reach the disk
  next_seconds_ = seconds + kBetweenSeconds;
  const std::optional<double> seconds_left = time_left_.update(share, seconds);
  if (way_ == ProgressWay::kJson) return show_json(now, share, seconds, seconds_left);
  if (now.total != 0) show_line(now, share, seconds_left);
}

// Less than 80 columns.
void ProgressDisplay::show_line(const Progress& now, double share, std::optional<double> seconds_left) {
  has_line_ = true;
  note_progress_line(true);
  std::string text = unit_ == ProgressUnit::kBytes ? human_size(now.total) : std::to_string(now.total) + " entries";
  if (seconds_left) text += ", " + duration_text(*seconds_left) + " left";
  std::fprintf(stderr, "\r%-8s %3.0f%% of %s\033[K", now.phase, std::floor(100 * share), text.c_str());
  std::fflush(stderr);
}

// In one write, so that lines of others come before or behind it.
void ProgressDisplay::show_json(const Progress& now, double share, double seconds, std::optional<double> seconds_left) const {
  nlohmann::ordered_json line{{"event", "progress"}, {"program", program_}, {"phase", now.phase}};
  line["share"] = in_steps(share, 1e4);
  const bool is_bytes = unit_ == ProgressUnit::kBytes;
  line[is_bytes ? "done_bytes" : "done_entries"] = now.done;
  line[is_bytes ? "total_bytes" : "total_entries"] = now.total;
  line["elapsed_seconds"] = in_steps(seconds, 1e3);
  if (seconds_left) line["seconds_left"] = in_steps(*seconds_left, 1e3);
  const std::string text = line.dump() + "\n";
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void ProgressDisplay::finish(std::optional<std::uint64_t> total) {
  clear();
  if (way_ != ProgressWay::kJson || !total) return;
  show_json({*total, *total, phase_name(PhaseId::kFinish)}, 1, elapsed_seconds(), 0);
}

void ProgressDisplay::clear() {
  if (!has_line_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  has_line_ = false;
  note_progress_line(false);
}

}  // namespace bdelta::cli
