// Two versions of a made-up program: an x86-64 ELF whose functions call one another and refer to data, linked anew.
#pragma once

#include "base/bytes.hpp"

namespace bdelta::test {

struct ProgramPair {
  Bytes old_version;
  Bytes new_version;  // some functions changed, some new between the others, so that nearly all addresses differ
};

[[nodiscard]] ProgramPair program_pair(std::uint64_t seed, std::size_t function_count);

}  // namespace bdelta::test
