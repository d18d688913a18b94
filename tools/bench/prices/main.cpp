// usage: bench_prices
// Measures each row of the nominal table and prints one JSON object a line: name, nominal and measured nanoseconds.
#include <cstdio>
#include <exception>

#include "prices.hpp"

int main(int, char** arguments) {
  try {
    bdelta::bench::Prices prices;
    bdelta::bench::measure_applying(prices);
    bdelta::bench::measure_numbers(prices);
    bdelta::bench::measure_modelled(prices);
    bdelta::bench::measure_unpacking(arguments[0], prices);
    for (const bdelta::bench::Price& price : prices) {
      std::printf("{\"name\": \"%s\", \"nominal_ns\": %.0f, \"measured_ns\": %.3f}\n", price.name.c_str(), price.nominal_ns,
                  price.measured_ns);
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_prices: %s\n", error.what());
    return 1;
  }
}
