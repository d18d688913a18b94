// What the options are, for whatever is generated from them.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace bdelta::cli {

inline constexpr const char* kDescribeOption = "--describe-options";

// The program and its options as one JSON object in one line. Manual pages and completions are made from it when bdelta
// is built, so that an option is written down once. For the build only: nothing about the form is promised.
[[nodiscard]] std::string describe_options(const CLI::App& app);

// The statuses of exits.def as a paragraph for the end of --help.
[[nodiscard]] std::string exit_status_text();

}  // namespace bdelta::cli
