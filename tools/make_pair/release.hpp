// Writes one of the two files of a pair, unit by unit.
#pragma once

#include <cstdint>
#include <cstdio>

#include "plan.hpp"

namespace make_pair {

struct Counts {
  std::uint64_t overwrites = 0, inserts = 0, deletes = 0;    // small edits inside units
  std::uint64_t replaced = 0, removed = 0, added = 0;        // whole units
  std::uint64_t shifted = 0;                                 // fields whose value differs from OLD's
  [[nodiscard]] std::uint64_t small_edits() const noexcept { return overwrites + inserts + deletes; }
};

// False when the file could not be written.
[[nodiscard]] bool write_old(const Plan& plan, std::FILE* file);
[[nodiscard]] bool write_new(const Plan& plan, std::FILE* file, Counts& counts);

}  // namespace make_pair
