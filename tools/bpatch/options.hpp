// The options of bpatch.
#pragma once

#include <variant>

#include "bdelta/in_place.hpp"
#include "cli/command_line.hpp"

namespace bdelta::cli {

struct ApplyProgramOptions {
  CommonOptions common;
  ApplyOptions apply;
  bool dry_run = false;  // of directories
  InPlaceOptions in_place;
  bool members = false;  // with Action::kInfo
};

// --check with PATCH and nothing else.
[[nodiscard]] inline bool checks_patch_alone(const CommonOptions& options) {
  return options.action == Action::kCheck && options.source.empty();
}

[[nodiscard]] std::variant<ApplyProgramOptions, Exit> parse_apply_options(int argc, const char* const* argv);

}  // namespace bdelta::cli
