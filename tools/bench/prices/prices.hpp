// What the parts of bench_prices share. A price is the processor time of one operation by one thread, alone.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>
#include <stdexcept>
#include <string>
#include <vector>

namespace bdelta::bench {

struct Price {
  std::string name;   // of the row, with an index where the row has several
  double nominal_ns;  // as the list has it
  double measured_ns;
};
using Prices = std::vector<Price>;

void measure_applying(Prices& prices);   // what each byte takes anyway
void measure_numbers(Prices& prices);    // the context coder and codecs
void measure_modelled(Prices& prices);   // literals and misses
// Streams of archives. path: of a program, of which some are.
void measure_unpacking(const char* path, Prices& prices);

// Nanoseconds of processor time that body() takes: the least of several calls, as all else only adds to it. The body checks
// what it makes.
template <class Body>
double least_ns(Body body) {
  constexpr int kCalls = 7;
  double least = 0;
  for (int i = 0; i < kCalls; ++i) {
    const std::clock_t begin = std::clock();
    body();
    const double ns = static_cast<double>(std::clock() - begin) * (1e9 / CLOCKS_PER_SEC);
    if (i == 0 || ns < least) least = ns;
  }
  return least;
}

inline double cpu_ns(const rusage& usage) {
  const auto ns = [](const timeval& time) { return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3; };
  return ns(usage.ru_utime) + ns(usage.ru_stime);
}

// The same in a process of its own each time, as a patch is applied: all memory that body() asks for is new to it.
template <class Body>
double least_cold_ns(Body body) {
  constexpr int kCalls = 15;
  const auto least_of = [](const auto& run) {
    double least = 0;
    for (int i = 0; i < kCalls; ++i) {
      const pid_t child = ::fork();
      if (child == 0) ::_exit(run() ? 0 : 1);
      int status = 1;
      rusage usage{};
      if (child < 0 || ::wait4(child, &status, 0, &usage) != child || status != 0) throw std::runtime_error("a process failed");
      if (i == 0 || cpu_ns(usage) < least) least = cpu_ns(usage);
    }
    return least;
  };
  return least_of(body) - least_of([] { return true; });
}

inline void expect(bool right, const char* what) {
  if (!right) throw std::runtime_error(std::string("wrong result: ") + what);
}

}  // namespace bdelta::bench
