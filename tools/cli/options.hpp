// The options of both programs, parsed before anything is done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>

#include "bdelta/apply.hpp"
#include "bdelta/create.hpp"

namespace bdelta::cli {

enum class Program { kBdelta, kBpatch };
enum class Action { kRun, kCheck, kInfo };

struct Options {
  Action action = Action::kRun;
  std::filesystem::path source;
  std::filesystem::path target;
  std::filesystem::path patch;
  CreateOptions create;  // bdelta
  ApplyOptions apply;    // bpatch
  std::filesystem::path trace;  // empty: none
  bool stats = false;
  bool json = false;
  bool quiet = false;
};

// What main returns without doing anything: help and version (0) or a usage error (1), already printed.
struct Exit {
  int status;
};

[[nodiscard]] std::variant<Options, Exit> parse_options(Program program, int argc, const char* const* argv);

// "512M", "64KiB", "1G": bytes; K, M, G, T are powers of 1024, with or without iB. Nothing on nonsense or overflow.
[[nodiscard]] std::optional<std::uint64_t> parse_size(const std::string& text);

// "0.6" or "60%": a share above 0. Nothing on anything else.
[[nodiscard]] std::optional<double> parse_ratio(const std::string& text);

// "2.5": seconds above 0. Nothing on anything else.
[[nodiscard]] std::optional<double> parse_seconds(const std::string& text);

// 64 hexadecimal digits, large or small. Nothing on anything else.
[[nodiscard]] std::optional<Sha256Bytes> parse_sha256(const std::string& text);

}  // namespace bdelta::cli
