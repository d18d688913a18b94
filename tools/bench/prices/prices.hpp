// What the parts of bench_prices share. A price is the processor time of one operation by one thread, alone.
#pragma once

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
void measure_unpacking(Prices& prices);  // streams of archives

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

inline void expect(bool right, const char* what) {
  if (!right) throw std::runtime_error(std::string("wrong result: ") + what);
}

}  // namespace bdelta::bench
