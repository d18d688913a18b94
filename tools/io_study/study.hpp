// What a case of the study is, and how all of them are timed.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace io_study {

inline constexpr std::uint64_t kKiB = 1024;
inline constexpr std::uint64_t kMiB = 1024 * kKiB;

struct Settings {
  std::filesystem::path dir;
  std::uint64_t size_bytes = 512 * kMiB;
  unsigned repeats = 3;
  std::string only;  // one section; empty: all
};

// One way of doing one thing.
struct Case {
  std::string section;
  std::string name;                           // no commas: it is a field of the CSV
  std::uint64_t record_bytes = 0;             // moved by one call
  std::optional<std::uint64_t> buffer_bytes;  // 0: unbuffered; unset: there is no such buffer
  std::uint64_t bytes = 0;                    // moved by one run
  std::uint64_t calls = 0;                    // made by one run, at the level that the case is about
  std::function<double()> run;                // prepares, does it, checks; the seconds of the middle part
};

struct Timing {
  std::vector<double> seconds;  // one for each run

  [[nodiscard]] double median() const;
  [[nodiscard]] double least() const;
};

// Runs everything `repeats` times, all cases taking turns. Each run has a process of its own. A thread that one case
// starts would make the C library lock in all later ones, and freed memory would be theirs too. Throws Failure.
std::vector<Timing> time_all(const std::vector<Case>& cases, unsigned repeats);

// Keeps the compiler from dropping a loop whose result nobody uses.
void keep(std::uint64_t value) noexcept;

template <class Body>
double seconds_of(Body&& body) {
  const auto begin = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Starts a thread that sleeps until the process ends. From the first second thread on, the C library takes the locks
// of stdio with atomic instructions. Only for a process that ends by _exit.
void start_sleeping_thread();

}  // namespace io_study
