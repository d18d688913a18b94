#include "patch_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "io/file_error.hpp"

namespace bdelta::cli {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string folded(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), lower);
  return text;
}

bool may_stand_in_a_name(char c) {
  const char letter = lower(c);
  return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80 ||
         std::string_view("._-+~@").find(c) != std::string_view::npos;
}

std::string safe(const std::filesystem::path& part) {
  const std::u8string text = part.u8string();
  std::string name = io::escaped(std::string(text.begin(), text.end()));
  std::replace_if(name.begin(), name.end(), [](char c) { return !may_stand_in_a_name(c); }, '_');
  return name;
}

// A source's path as safe parts, the last one in front.
using Parts = std::vector<std::string>;

Parts parts_of(const std::filesystem::path& path) {
  Parts parts;
  for (const std::filesystem::path& part : path.lexically_normal().relative_path()) {
    if (!part.empty()) parts.push_back(safe(part));
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::string part_at(const Parts& parts, std::size_t depth) { return depth < parts.size() ? parts[depth] : std::string(); }

std::size_t distinct_count(const std::vector<std::string>& names) {
  std::set<std::string> distinct;
  for (const std::string& name : names) distinct.insert(folded(name));
  return distinct.size();
}

// Names for sources that have the same last part.
std::vector<std::string> names_apart(const std::vector<const Parts*>& group) {
  std::size_t deepest = 0;
  std::vector<std::string> names;
  for (const Parts* parts : group) {
    names.push_back(part_at(*parts, 0));
    deepest = std::max(deepest, parts->size());
  }
  for (std::size_t depth = 1; depth < deepest && distinct_count(names) < names.size(); ++depth) {
    std::vector<std::string> folders;
    for (const Parts* parts : group) folders.push_back(part_at(*parts, depth));
    if (distinct_count(folders) == 1) continue;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!folders[i].empty()) names[i] = folders[i] + "-" + names[i];
    }
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> patch_names(const std::vector<std::filesystem::path>& sources,
                                             const std::filesystem::path& target) {
  std::vector<Parts> parts;
  std::map<std::string, std::vector<std::size_t>> groups;  // sources by their last part
  for (std::size_t i = 0; i < sources.size(); ++i) {
    parts.push_back(parts_of(sources[i]));
    groups[folded(part_at(parts[i], 0))].push_back(i);
  }

  std::vector<std::string> names(sources.size());
  const std::string end = "--" + part_at(parts_of(target), 0) + ".bdelta";
  for (const auto& [last, members] : groups) {
    std::vector<const Parts*> group;
    for (const std::size_t i : members) group.push_back(&parts[i]);
    const std::vector<std::string> apart = names_apart(group);
    for (std::size_t k = 0; k < members.size(); ++k) names[members[k]] = apart[k] + end;
  }

  std::map<std::string, std::size_t> taken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [other, is_new] = taken.emplace(folded(names[i]), i);
    if (is_new) continue;
    return Error{ErrorCode::kUsage, "the patches from " + io::shown(sources[other->second]) + " and " + io::shown(sources[i]) +
                                        " would both be called " + names[i],
                 Error::kNoOffset, {}, "name each OLD once, or give them other names"};
  }
  return names;
}

}  // namespace bdelta::cli
