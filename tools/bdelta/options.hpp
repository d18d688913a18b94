// The options of bdelta.
#pragma once

#include <variant>

#include "bdelta/create.hpp"
#include "cli/command_line.hpp"

namespace bdelta::cli {

struct CreateProgramOptions {
  CommonOptions common;
  CreateOptions create;
};

[[nodiscard]] std::variant<CreateProgramOptions, Exit> parse_create_options(int argc, const char* const* argv);

}  // namespace bdelta::cli
