// The options of bdelta.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "bdelta/create.hpp"
#include "cli/command_line.hpp"

namespace bdelta::cli {

struct CreateProgramOptions {
  CommonOptions common;
  CreateOptions create;
  // When it all began, and what JSON tells instead where builds are to be reproducible.
  std::uint64_t begin_unix_seconds = 0;
  std::optional<std::uint64_t> source_date_epoch;
  [[nodiscard]] std::uint64_t told_unix_seconds() const { return source_date_epoch.value_or(begin_unix_seconds); }
};

[[nodiscard]] std::variant<CreateProgramOptions, Exit> parse_create_options(int argc, const char* const* argv);

}  // namespace bdelta::cli
