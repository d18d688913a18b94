// An installed Python package has a list of its files, RECORD, in a folder named after package and version. A line is the
// file's path, its digest and its size (Recording installed projects, packaging.python.org).
#include "view/python_record.hpp"

#include <optional>

namespace bdelta::view {
namespace {

constexpr std::string_view kListName = ".dist-info/RECORD";
constexpr std::string_view kHashMark = ",sha256=";

// A list of files: root/NAME-VERSION.dist-info/RECORD.
struct PackageList {
  std::string root;     // what paths are relative to, with its slash; empty for the container itself
  std::string folder;   // NAME-VERSION.dist-info
};

std::optional<PackageList> as_list(const std::string& name) {
  if (name.size() <= kListName.size() || name.compare(name.size() - kListName.size(), kListName.size(), kListName) != 0) {
    return std::nullopt;
  }
  const std::size_t folder_end = name.rfind('/');
  const std::size_t slash = name.rfind('/', folder_end - 1);
  const std::size_t folder_at = slash == std::string::npos ? 0 : slash + 1;
  return PackageList{name.substr(0, folder_at), name.substr(folder_at, folder_end - folder_at)};
}

// A package's name without what its spellings differ in (Names and normalization, packaging.python.org).
std::string package_of(const PackageList& list) {
  std::string name(list.folder.begin(), std::find(list.folder.begin(), list.folder.end(), '-'));
  for (char& letter : name) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '.') letter = '_';
  }
  return name;
}

// A file's package and its path, where the folder of the list goes without version.
std::string key_of(const PackageList& list, std::string_view path) {
  const bool is_beside_list = path.substr(0, list.folder.size()) == list.folder;
  if (is_beside_list) path.remove_prefix(list.folder.size());
  std::string key = list.root + package_of(list) + (is_beside_list ? '*' : '-');
  return key += path;
}

void visit_lines(ByteSpan view, const Member& member, const PackageList& list, const VisitDigest& visit) {
  const std::string_view lines = list_text(view, member);
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string_view line = lines.substr(begin, end - begin);
    const std::size_t mark = line.rfind(kHashMark);
    const std::size_t text_at = mark + kHashMark.size();
    const std::size_t text_end = text_at + kDigestTextBytes;
    if (mark != std::string_view::npos && line.size() > text_end && line[text_end] == ',') {
      const std::string_view path = line.substr(0, mark);
      visit({key_of(list, path), {}, list.root + std::string(path), {0, 0, member.data_pos + begin + text_at}, member.data_pos, 0});
    }
    begin = end + 1;
  }
}

}  // namespace

void for_each_record_digest(ByteSpan view, const Members& members, const VisitDigest& visit) {
  for (const Member& member : members) {
    if (const auto list = member.is_file ? as_list(member.name) : std::nullopt) visit_lines(view, member, *list, visit);
  }
}

}  // namespace bdelta::view
