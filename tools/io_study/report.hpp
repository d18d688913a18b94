// The outcome as a table for people and as CSV.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "machine.hpp"
#include "study.hpp"

namespace io_study {

void print_table(std::FILE* to, const std::vector<Case>& cases, const std::vector<Timing>& timings,
                 const Machine& machine);

[[nodiscard]] std::string csv_text(const std::vector<Case>& cases, const std::vector<Timing>& timings,
                                   const Machine& machine);

}  // namespace io_study
