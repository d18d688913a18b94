#include "cli/advice.hpp"

#include <string_view>
#include <system_error>

#include "bdelta/inspect.hpp"
#include "cli/text.hpp"

namespace bdelta::cli {
namespace {

struct Advice {
  ErrorCode code;
  std::string_view program;  // empty: both
  std::string_view text;     // {} is the figure that would do
  std::string_view instead_of = {};  // a word of the library's remedy that it takes the place of; empty: any
};

constexpr Advice kAdvice[] = {
    {ErrorCode::kOutputExists, {}, "choose another name, or replace it with --force"},
    {ErrorCode::kUnsupportedEntry, {}, "take it away, or leave it out with --exclude", "exclude"},
    {ErrorCode::kUnsafeName, {}, "allow that with --outside-links if you trust the patch", "outside_links"},
    {ErrorCode::kFormatCannotHold, {}, "take --format bdt2"},
    {ErrorCode::kOutputLimit, {}, "accept it with --max-output {}"},
    {ErrorCode::kMemoryLimit, "bdelta", "--memory {} will do, or try a lower level"},
    {ErrorCode::kMemoryLimit, "bpatch", "allow that with --memory {}"},
    {ErrorCode::kOutOfMemory, "bdelta", "take less with --memory and with --io=mmap"},
    {ErrorCode::kScratchLimit, {}, "allow more with --scratch {}"},
    {ErrorCode::kTimeLimit, "bdelta", "allow more with --timeout, or try a lower level"},
    {ErrorCode::kTimeLimit, "bpatch", "allow more with --timeout"},
    {ErrorCode::kPatchTooLarge, {}, "keep NEW itself, or allow more with --max-ratio"},
};

bool is_regular(const std::filesystem::path& path) {
  std::error_code ignored;
  return path != "-" && std::filesystem::is_regular_file(path, ignored);
}

bool is_missing(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::status(path, ignored).type() == std::filesystem::file_type::not_found;
}

bool is_patch(const std::filesystem::path& path) {
  return is_regular(path) && static_cast<bool>(inspect_file(path, {}));
}

std::string_view order_of(const CommonOptions& options) {
  return options.action == Action::kInPlace ? "FILE PATCH" : options.target.empty() ? "OLD PATCH" : "OLD NEW PATCH";
}

std::string is_the_patch(const std::filesystem::path& path, const CommonOptions& options) {
  return shown(path) + " is a patch, and the order is " + std::string(order_of(options));
}

}  // namespace

Error in_flags(Error error, const char* program) {
  for (const Advice& advice : kAdvice) {
    if (error.remedy.find(advice.instead_of) == std::string::npos) continue;
    if (advice.code != error.code || (!advice.program.empty() && advice.program != program)) continue;
    error.remedy = advice.text;
    if (const std::size_t at = error.remedy.find("{}"); at != error.remedy.npos) {
      error.remedy.replace(at, 2, error.needed_bytes == 0 ? "SIZE" : size_argument(error.needed_bytes));
    }
  }
  if (error.code == ErrorCode::kUnfinished) error.remedy = "complete it with bpatch --resume " + error.file;
  return error;
}

std::string order_advice(const Error& error, const CommonOptions& options, const std::filesystem::path& output) {
  const bool may_be_order = error.code == ErrorCode::kNotFound || error.code == ErrorCode::kNotAPatch ||
                            error.code == ErrorCode::kPatchTruncated || error.code == ErrorCode::kOutputExists;
  if (!may_be_order || options.source.empty() || is_patch(options.patch)) return "";
  const bool old_is_patch = is_patch(options.source), new_is_patch = is_patch(options.target);
  if (old_is_patch != new_is_patch) return is_the_patch(old_is_patch ? options.source : options.target, options);
  if (error.code == ErrorCode::kNotAPatch && error.remedy.empty()) return "was the order " + std::string(order_of(options)) + " kept?";
  // bdelta, told first what to make.
  const bool old_is_missing = is_missing(options.source);
  if (output != options.patch || old_is_missing == is_missing(options.target) || !is_regular(options.patch)) return "";
  return shown(options.patch) + " exists and " + shown(old_is_missing ? options.source : options.target) +
         " does not, and the order is OLD NEW PATCH, of which PATCH is made";
}

}  // namespace bdelta::cli
