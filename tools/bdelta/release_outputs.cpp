#include "release_outputs.hpp"

#include <algorithm>
#include <string>
#include <system_error>

#include "base/try.hpp"
#include "bdelta/files.hpp"
#include "io/file_error.hpp"
#include "io/output_place.hpp"

namespace bdelta::cli {
namespace {

constexpr std::size_t kMostNamed = 5;  // outputs in a message

Error already_there(const std::vector<std::filesystem::path>& outputs) {
  std::string text;
  const std::size_t named = std::min(outputs.size(), kMostNamed);
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? "" : ", ") + io::shown(outputs[i]);
  if (outputs.size() > named) text += " and " + std::to_string(outputs.size() - named) + " more";
  return {.code = ErrorCode::kOutputExists, .detail = "it was left as before", .file = text,
          .remedy = "choose another --out, or replace what is there (--force)"};
}

}  // namespace

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? path : whole;
}

Result<bool> name_is_taken(const std::filesystem::path& path) {
  std::error_code error;
  const auto type = std::filesystem::symlink_status(path, error).type();
  if (type == std::filesystem::file_type::not_found) return false;
  if (type != std::filesystem::file_type::none) return true;
  return io::file_error(error.value(), ErrorCode::kOpenFailed, path, "cannot look for it");
}

Status check_outputs(const std::vector<std::filesystem::path>& outputs, const std::vector<std::filesystem::path>& inputs,
                     bool may_replace) {
  std::vector<std::filesystem::path> taken;
  for (const std::filesystem::path& output : outputs) {
    BDELTA_ASSIGN(const bool is_taken, name_is_taken(output));
    if (!is_taken) continue;
    const auto is_output = [&output](const std::filesystem::path& input) { return same_file(input, output); };
    if (std::any_of(inputs.begin(), inputs.end(), is_output)) {
      return io::file_error(ErrorCode::kSamePath, output, "an input and an output");
    }
    taken.push_back(output);
  }
  return taken.empty() || may_replace ? Status() : already_there(taken);
}

Status make_directory(const std::filesystem::path& directory, bool sync) {
  std::error_code error;
  if (std::filesystem::is_directory(directory, error)) return {};
  std::filesystem::create_directory(directory, error);
  if (error) return io::file_error(error.value(), ErrorCode::kOpenFailed, directory, "cannot make this directory");
  if (!sync) return {};
  std::filesystem::path path = absolute_path(directory).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  return io::sync_directory({directory, path, path.parent_path(), {}, false});
}

}  // namespace bdelta::cli
