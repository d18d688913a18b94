// What bdelta tells machines besides the report: how a patch was made.
#pragma once

#include <cstdint>

#include "cli/json.hpp"
#include "options.hpp"

namespace bdelta::cli {

// "time", "codecs" and "options" of a run that began at `unix_seconds`.
[[nodiscard]] Json making_facts(const CreateOptions& options, std::uint64_t unix_seconds);

}  // namespace bdelta::cli
