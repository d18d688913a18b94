// Two versions of a made-up program: an x86-64 ELF whose functions call one another and refer to data, linked anew.
#pragma once

#include <vector>

#include "base/bytes.hpp"

namespace bdelta::test {

struct ProgramPair {
  Bytes old_version;
  Bytes new_version;  // some functions changed, some new between the others, so that nearly all addresses differ
};

[[nodiscard]] ProgramPair program_pair(std::uint64_t seed, std::size_t function_count);

// Of other made-up programs: the numbers of the functions that two versions have, of which each leaves others out.
struct TwoVersions {
  std::vector<unsigned> old_functions;
  std::vector<unsigned> new_functions;

  explicit TwoVersions(unsigned function_count) {
    for (unsigned i = 0; i < function_count; ++i) {
      if (i % 17 != 16) old_functions.push_back(i);
      if (i % 23 != 22) new_functions.push_back(i);
    }
  }
};

}  // namespace bdelta::test
