// What both mains do around their one call of the library.
#pragma once

#include "cli/options.hpp"

namespace bdelta::cli {

// Parses, runs, reports; the value for main to return.
int run_program(Program program, int argc, const char* const* argv);

}  // namespace bdelta::cli
