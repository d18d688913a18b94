// bench_kernels: bytes per second of the inner loops of bdelta, each beside a floor from the same run. README.md says
// how to read it. Takes the options of Google Benchmark.
#include "kernels.hpp"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  bdelta::bench::register_match_find();
  bdelta::bench::register_match_compare();
  bdelta::bench::register_base();
  bdelta::bench::register_model();
  bdelta::bench::register_apply();
  bdelta::bench::register_hash();
  bdelta::bench::register_codec();
  bdelta::bench::register_deflate();
  const std::size_t run_count = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return run_count == 0 ? 1 : 0;
}
