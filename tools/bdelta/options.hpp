// The options of bdelta.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <variant>
#include <vector>

#include "bdelta/create.hpp"
#include "bdelta/tree.hpp"
#include "cli/command_line.hpp"

namespace bdelta::cli {

// Patches from several OLDs to one NEW.
struct ReleaseOptions {
  std::filesystem::path target;
  std::filesystem::path directory;
  std::vector<std::filesystem::path> sources;
};

struct CreateProgramOptions {
  CommonOptions common;
  CreateOptions create;
  TreeOptions tree;
  std::optional<ReleaseOptions> release;  // without it: one patch, from and to what `common` names
  // When it all began, and what manifests tell instead where builds are to be reproducible.
  std::uint64_t begin_unix_seconds = 0;
  std::optional<std::uint64_t> source_date_epoch;
  [[nodiscard]] std::uint64_t recorded_unix_seconds() const { return source_date_epoch.value_or(begin_unix_seconds); }
};

[[nodiscard]] std::variant<CreateProgramOptions, Exit> parse_create_options(int argc, const char* const* argv);

}  // namespace bdelta::cli
