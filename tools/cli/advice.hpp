// What a person can do about an error of the library, in the words of the programs.
#pragma once

#include <filesystem>
#include <string>

#include "cli/command_line.hpp"

namespace bdelta::cli {

// The error with flags as its remedy where the library's own remedy speaks of its options.
[[nodiscard]] Error in_flags(Error error, const char* program);

// Where OLD, NEW and PATCH seem to stand in another order, as what the files are tells: a remedy that says what the order
// is, else nothing. `output` is PATCH of bdelta, NEW of bpatch. Heads of regular files are read, and nothing else is done.
[[nodiscard]] std::string order_advice(const Error& error, const CommonOptions& options, const std::filesystem::path& output);

}  // namespace bdelta::cli
