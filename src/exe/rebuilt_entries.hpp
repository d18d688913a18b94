// Entries of rebuilt tables, but for those that list sites alone, as bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "exe/rebuilt_tables.hpp"

namespace bdelta::exe {

// What becomes of an entry of OLD.
struct NewEntry {
  std::uint64_t start = 0;  // an address of the target, as is `end`
  std::uint64_t end = 0;
  std::uint64_t more = 0;   // likewise if it leads, else what the entry says
  bool leads = true;
  std::uint8_t flags = 0;   // of unwind pages: the high bits of an encoding that leads
};

// Fills the bytes of a table whose base is known. `entries` ascend, no two with one start, and are as many as there is
// room for or fewer.
void write_entries(const std::vector<NewEntry>& entries, const RebuildInputs& inputs, const Predictor& predictor,
                   RebuiltTable& table);

}  // namespace bdelta::exe
