#include "apply/folded_names.hpp"

#include <map>
#include <string_view>

#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

constexpr std::uint32_t kTriedMode = 0600;
constexpr std::uint32_t kTriedDirectoryMode = 0700;

// Each made under the first name; where the second then leads to it, the file system folds names.
constexpr std::pair<const char*, const char*> kProbes[] = {{"probe", "PROBE"}, {"\xc3\xa9", "e\xcc\x81"}};

std::string_view parent_of(std::string_view path) { return path.substr(0, path.rfind('/') == path.npos ? 0 : path.rfind('/')); }
std::string_view part_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string in_words(std::string_view parent) {
  return parent.empty() ? "the directory" : '"' + io::escaped(parent) + '"';
}

// A file system that can't have such a name folds none.
Result<bool> folds(io::Directory& directory, const std::string& area) {
  for (const auto& [name, other] : kProbes) {
    if (!directory.open_entry(area + '/' + name, io::OpenAtKind::kCreateNew, kTriedMode)) continue;
    BDELTA_ASSIGN(const auto found, directory.find(area + '/' + other));
    BDELTA_TRY(directory.remove(area + '/' + name, false));
    if (found) return true;
  }
  return false;
}

Status try_names(io::Directory& directory, const std::string& place, std::string_view parent,
                 const std::vector<std::string_view>& paths) {
  BDELTA_TRY(directory.make_directory(place, kTriedDirectoryMode));
  for (const std::string_view path : paths) {
    const std::string name = place + '/' + std::string(part_of(path));
    BDELTA_ASSIGN(const auto found, directory.find(name));
    if (found) {
      return io::file_error(ErrorCode::kUnsafeName, directory.name_of(path),
                            "another entry of " + in_words(parent) + " has this name already, as this file system takes both names for the same",
                            "move the other one away, or use another file system");
    }
    BDELTA_TRY(directory.open_entry(name, io::OpenAtKind::kCreateNew, kTriedMode));
  }
  return {};
}

}  // namespace

Status check_folding(io::Directory& directory, const std::string& area, const view::Manifest& target, const std::vector<bool>& is_new,
                     const std::vector<std::string>& others) {
  BDELTA_ASSIGN(const bool may_clash, folds(directory, area));
  if (!may_clash) return {};
  std::map<std::string_view, std::vector<std::string_view>> names;  // by the directory that they come to
  for (std::size_t i = 0; i < is_new.size(); ++i) {
    if (is_new[i]) names[parent_of(target.entries()[i].path)];
  }
  const auto add = [&](std::string_view path) {
    const auto found = names.find(parent_of(path));
    if (found != names.end()) found->second.push_back(path);
  };
  for (const std::string& path : others) add(path);
  for (const view::TreeEntry& entry : target.entries()) add(entry.path);
  const std::string place = area + "/try";
  for (const auto& [parent, paths] : names) {
    const Status tried = try_names(directory, place, parent, paths);
    const Status removed = directory.remove_tree(place);
    BDELTA_TRY(tried);
    BDELTA_TRY(removed);
  }
  return {};
}

}  // namespace bdelta
