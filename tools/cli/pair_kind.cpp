#include "cli/pair_kind.hpp"

#include <system_error>

#include "cli/text.hpp"

namespace bdelta::cli {
namespace {

enum class Kind { kMissing, kFile, kDirectory };

Kind kind_of(const std::filesystem::path& path) {
  if (path == "-") return Kind::kFile;
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(status)) return Kind::kDirectory;
  return std::filesystem::exists(status) ? Kind::kFile : Kind::kMissing;
}

}  // namespace

Result<bool> are_trees(const std::filesystem::path& source, const std::filesystem::path& target) {
  const Kind of_source = kind_of(source), of_target = target.empty() ? Kind::kMissing : kind_of(target);
  if ((of_source == Kind::kDirectory && of_target == Kind::kFile) || (of_source == Kind::kFile && of_target == Kind::kDirectory)) {
    const bool source_is_tree = of_source == Kind::kDirectory;
    return Error{.code = ErrorCode::kUsage,
                 .detail = std::string("OLD is a ") + (source_is_tree ? "directory" : "file") + " and NEW is a " +
                           (source_is_tree ? "file" : "directory"),
                 .file = shown(target),
                 .remedy = "give two files or two directories"};
  }
  return of_source == Kind::kDirectory || of_target == Kind::kDirectory;
}

}  // namespace bdelta::cli
