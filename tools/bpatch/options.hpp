// The options of bpatch.
#pragma once

#include <variant>

#include "bdelta/apply.hpp"
#include "cli/command_line.hpp"

namespace bdelta::cli {

struct ApplyProgramOptions {
  CommonOptions common;
  ApplyOptions apply;
};

[[nodiscard]] std::variant<ApplyProgramOptions, Exit> parse_apply_options(int argc, const char* const* argv);

}  // namespace bdelta::cli
