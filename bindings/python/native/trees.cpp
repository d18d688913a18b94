#include "trees.hpp"

#include <string>
#include <system_error>

namespace bdelta::python {

namespace {

std::string shown(const MaybePath& path) { return '"' + path->string() + '"'; }

}  // namespace

Error for_trees_alone() {
  return {ErrorCode::kUsage, "exclude, times, source_list, outside_links, keep_others, keep_state, state_file and trust_times are "
                             "for directories"};
}

Result<bool> are_trees(std::initializer_list<const MaybePath*> versions, const MaybePath& patch, bool has_tree_options) {
  const MaybePath* tree = nullptr;
  bool has_file = false;
  for (const MaybePath* const version : versions) {
    const bool is_named = *version && **version != "-";
    std::error_code ignored;
    const auto status = is_named ? std::filesystem::status(**version, ignored) : std::filesystem::file_status();
    if (std::filesystem::is_directory(status)) {
      tree = version;
    } else {
      has_file |= !is_named || std::filesystem::exists(status);
    }
  }
  if (!tree && has_tree_options) return for_trees_alone();
  if (!tree) return false;
  if (has_file) {
    return Error{.code = ErrorCode::kUsage,
                 .detail = "it is a directory, and the other of OLD and NEW is none",
                 .file = shown(*tree),
                 .remedy = "give two files, or two directories by path"};
  }
  if (patch && *patch != "-") return true;
  return Error{.code = ErrorCode::kIsDirectory, .file = shown(*tree), .remedy = "give the patch of directories by path"};
}

}  // namespace bdelta::python
