// What a call did and where its time went. Filled for every call; costs nothing worth measuring.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bdelta {

// Seconds of one step. Steps that several threads share give the sum over the threads (see `threads`), so shares are
// of processor time; `wall_seconds` of the report is the clock's.
struct Phase {
  std::string name;
  double seconds = 0;
  std::uint64_t bytes = 0;  // that the step went through; 0 = not meaningful
};

struct StreamReport {
  std::string name;
  std::uint64_t raw_bytes = 0;
  std::uint64_t coded_bytes = 0;
};

struct Report {
  std::uint64_t source_bytes = 0;
  std::uint64_t target_bytes = 0;
  std::uint64_t patch_bytes = 0;
  std::string format;
  int level = 0;          // creating only
  unsigned threads = 1;   // that took part
  std::vector<Phase> phases;
  std::vector<StreamReport> streams;  // creating only
  std::uint64_t cover_count = 0;      // stretches copied from OLD
  std::uint64_t covered_bytes = 0;    // of NEW that come from OLD
  std::uint64_t literal_bytes = 0;    // of NEW that the patch carries
  std::uint64_t residual_bytes = 0;   // copied bytes that the patch corrects
  std::uint64_t window_count = 0;
  std::uint64_t read_calls = 0;
  std::uint64_t write_calls = 0;
  double wall_seconds = 0;
  bool up_to_date = false;            // applying: NEW was already there, nothing was written
  bool verified = false;              // the result was compared or its digest checked
};

}  // namespace bdelta
