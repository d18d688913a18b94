// The command line of both programs: what they have in common, parsed before anything is done.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bdelta/files.hpp"
#include "cli/progress.hpp"

namespace bdelta::cli {

enum class Action { kRun, kCheck, kInfo, kInPlace, kResume };

// What both programs understand. Each has a structure of its own that holds it and the options of its library call.
struct CommonOptions {
  Action action = Action::kRun;
  std::filesystem::path source;
  std::filesystem::path target;
  std::filesystem::path patch;
  FileOptions files;
  std::uint64_t memory_bytes = 0;     // 0: the program's own
  double time_limit_seconds = 0;      // 0: none
  unsigned threads = 0;               // 0: one for each core
  std::filesystem::path trace;        // empty: none
  ProgressWay progress = ProgressWay::kAuto;
  bool stats = false;
  bool json = false;
  bool quiet = false;
};

// What main returns without doing anything: help and version (0) or a usage error (1), already printed.
struct Exit {
  int status;
};

// What a program says of itself in --help, and where an option is not for it.
struct ProgramTexts {
  const char* name;
  const char* about;
  const char* usage;  // two examples and the ways to call it, in lines
  const char* source;
  const char* target;
  const char* patch;
  const char* memory;
  const char* levels;  // which there are
};

// A check that a value is one of `choices`; a misspelt one is told which is meant.
[[nodiscard]] CLI::Validator one_of(std::vector<std::string> choices);

// One parse of one line. The program adds its own options to `app` before `add_common`, so that they stand first in
// --help; then `parse`, then `place`.
class CommandLine {
 public:
  CommandLine(const ProgramTexts& texts, int argc, const char* const* argv);

  [[nodiscard]] CLI::App& app() noexcept { return app_; }
  void add_common();

  // Nothing if the program shall go on.
  [[nodiscard]] std::optional<Exit> parse();

  // Prints what is wrong with the line, as JSON too where that is asked for.
  [[nodiscard]] Exit refuse(const std::string& what) const;

  // Arguments and common options into `options`, whose action is not kInfo. Gives what is wrong, or nothing.
  [[nodiscard]] std::string place(CommonOptions& options);

  // The same for a program that takes other arguments than OLD NEW PATCH: those that are there go to `arguments` in order.
  [[nodiscard]] std::string place(CommonOptions& options, std::vector<std::string>& arguments);

 private:
  // Raw values as they stand on the command line.
  struct Words {
    std::string source, target, patch;
    std::string info, threads, memory, io_buffer, timeout, temp_dir, trace;
    std::string io = "mmap", progress = "auto";
    bool force = false, no_sync = false, stats = false, json = false, quiet = false, all_in_ram = false;
  };

  [[nodiscard]] std::string place_values(CommonOptions& options);
  [[nodiscard]] std::string place_arguments(CommonOptions& options);
  [[nodiscard]] std::string place_info(CommonOptions& options);
  [[nodiscard]] bool asks_for_json() const;
  [[nodiscard]] std::string_view level_word(std::size_t least_digits) const;
  [[nodiscard]] std::vector<std::string> option_names() const;
  [[nodiscard]] std::string what_is_left_over() const;
  [[nodiscard]] std::string what_mismatches(const CLI::ArgumentMismatch& error) const;

  const ProgramTexts texts_;
  const int argc_;
  const char* const* const argv_;
  CLI::App app_;
  Words words_;
};

}  // namespace bdelta::cli
