#include "study.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <thread>

#include "files.hpp"

namespace io_study {
namespace {

constexpr int kFailedStatus = 2;

// The child's side. Ends by _exit, so that the temporary files of the parent stay.
[[noreturn]] void run_and_exit(const Case& what, int result_fd) {
  try {
    const double seconds = what.run();
    write_all(result_fd, &seconds, sizeof seconds, "result");
    ::_exit(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "io_study: %s, %s: %s\n", what.section.c_str(), what.name.c_str(), error.what());
  }
  ::_exit(kFailedStatus);
}

double run_in_child(const Case& what) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) fail("cannot make a pipe");
  Descriptor from(ends[0], "result");
  Descriptor to(ends[1], "result");
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) fail("cannot start a process");
  if (child == 0) run_and_exit(what, to.fd());
  to.close();
  double seconds = 0;
  const std::size_t got = read_some(from.fd(), &seconds, sizeof seconds, "result");
  wait_for(child, what.section + ", " + what.name);
  if (got != sizeof seconds) throw Failure(what.name + ": the process of this case ended without a result");
  return seconds;
}

}  // namespace

double Timing::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Timing::least() const { return *std::min_element(seconds.begin(), seconds.end()); }

std::vector<Timing> time_all(const std::vector<Case>& cases, unsigned repeats) {
  std::vector<Timing> timings(cases.size());
  const bool terminal = ::isatty(STDERR_FILENO) != 0;
  for (unsigned repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      if (terminal) std::fprintf(stderr, "\rrun %u of %u, case %zu of %zu ", repeat + 1, repeats, i + 1, cases.size());
      timings[i].seconds.push_back(run_in_child(cases[i]));
    }
  }
  if (terminal) std::fputs("\r\033[K", stderr);
  return timings;
}

void keep(std::uint64_t value) noexcept {
  [[maybe_unused]] static volatile std::uint64_t sink = 0;
  sink = value;
}

void start_sleeping_thread() {
  std::thread([] {
    for (;;) ::pause();
  }).detach();
}

}  // namespace io_study
