#include "cli/progress.hpp"

#include <cstdio>

#include "cli/process.hpp"
#include "cli/text.hpp"

namespace bdelta::cli {

std::function<bool(std::uint64_t, std::uint64_t)> Progress::callback() {
  if (!enabled_) return {};
  return [this](std::uint64_t done, std::uint64_t total) {
    show(done, total);
    return true;
  };
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  const Clock::time_point now = Clock::now();
  if (now - begin_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100) || total == 0) return;
  last_ = now;
  shown_ = true;
  note_progress_line(true);
  std::fprintf(stderr, "\r%3.0f%% of %s\033[K", 100 * static_cast<double>(done) / static_cast<double>(total),
               human_size(total).c_str());
  std::fflush(stderr);
}

void Progress::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
  note_progress_line(false);
}

}  // namespace bdelta::cli
