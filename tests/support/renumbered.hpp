// Two versions of records that name things by numbers of 4 bytes, all numbered anew in the new one.
#pragma once

#include "delta/substitution_table.hpp"
#include "support/generate.hpp"

namespace bdelta::test {

struct RenumberedPair {
  Bytes old_version;
  Bytes new_version;
  Bytes scrambled;  // as new_version, but for the numbers: each use has one of its own
  SubstitutionTable substitutions;    // what every number becomes
};

// Records of a number and 4 to 20 bytes of text; `number_count` numbers are used again and again.
[[nodiscard]] RenumberedPair renumbered_pair(std::size_t record_count, std::size_t number_count, std::uint64_t seed);

}  // namespace bdelta::test
