#include "view/tree/names.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace bdelta::view {
namespace {

constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_in_any_case(std::string_view a, std::string_view b) noexcept {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

// Takes the part in front off.
std::string_view next_part(std::string_view& path) noexcept {
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(std::min(end + 1, path.size()));
  return part;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// With any extension, as Windows takes "nul.txt" for the device, too.
bool is_device(std::string_view part) noexcept {
  const std::string_view stem = part.substr(0, part.find('.'));
  for (const std::string_view name : {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}) {
    if (equal_in_any_case(stem.substr(0, stem.find_last_not_of(' ') + 1), name)) return true;
  }
  const bool is_port = equal_in_any_case(stem.substr(0, 3), "com") || equal_in_any_case(stem.substr(0, 3), "lpt");
  if (!is_port) return false;
  const std::string_view number = stem.substr(3, stem.find_last_not_of(' ') - 2);
  return (number.size() == 1 && number[0] >= '0' && number[0] <= '9') || number == "\xc2\xb9" || number == "\xc2\xb2" ||
         number == "\xc2\xb3";
}

// The name of eight and three characters that Windows may give to .bdelta, and by which it finds it.
bool is_short_own_name(std::string_view part) noexcept {
  constexpr std::string_view kShort = "bdelta~";
  return part.size() == kShort.size() + 1 && equal_in_any_case(part.substr(0, kShort.size()), kShort) && part.back() >= '0' &&
         part.back() <= '9';
}

const char* windows_problem(std::string_view part) noexcept {
  if (!is_utf8(part)) return "is no valid UTF-8, as Windows needs it";
  if (std::any_of(part.begin(), part.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }) ||
      part.find_first_of("<>:\"\\|?*") != part.npos) {
    return "has a character that Windows does not allow";
  }
  if (part.back() == '.' || part.back() == ' ') return "has a part that ends in a dot or a space, which Windows takes off";
  if (is_short_own_name(part)) return "has a part that Windows takes for .bdelta, which is kept for bdelta itself";
  if (is_device(part)) return "has a part that is a device on Windows";
  return nullptr;
}

const char* part_problem(std::string_view part, NameRules rules) noexcept {
  if (part.empty()) return "is absolute or has an empty part";
  if (part == "." || part == "..") return "has a part that is . or ..";
  if (part.size() > kMostPartBytes) return "has a part of more than 255 bytes";
  if (is_own_name(part)) return "has a part .bdelta, which is kept for bdelta itself";
  return rules == NameRules::kWindows ? windows_problem(part) : nullptr;
}

bool part_fits(std::string_view part, std::string_view pattern) noexcept {
  std::size_t at = 0, in = 0, star = pattern.npos, star_at = 0;
  while (at < part.size()) {
    if (in < pattern.size() && pattern[in] == '*') {
      star = in++;
      star_at = at;
    } else if (in < pattern.size() && (pattern[in] == '?' || pattern[in] == part[at])) {
      ++in, ++at;
    } else if (star != pattern.npos) {
      in = star + 1;
      at = ++star_at;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', in) == pattern.npos;
}

}  // namespace

NameRules host_rules() noexcept {
#ifdef _WIN32
  return NameRules::kWindows;
#else
  return NameRules::kAny;
#endif
}

bool is_own_name(std::string_view part) noexcept { return equal_in_any_case(part, ".bdelta"); }

const char* path_problem(std::string_view path, NameRules rules) noexcept {
  if (path.empty()) return "is empty";
  if (path.size() > kMostPathBytes) return "has more than 4,095 bytes";
  if (path.find('\0') != path.npos) return "has a zero byte";
  if (path.back() == '/') return "is absolute or has an empty part";
  std::size_t count = 0;
  while (!path.empty()) {
    if (const char* const problem = part_problem(next_part(path), rules)) return problem;
    if (++count > kMostParts) return "has more than 256 parts";
  }
  return nullptr;
}

const char* link_problem(std::string_view target) noexcept {
  if (target.empty()) return "is empty";
  if (target.size() > kMostLinkBytes) return "has more than 4,095 bytes";
  return target.find('\0') != target.npos ? "has a zero byte" : nullptr;
}

bool may_leave_tree(std::string_view path, std::string_view target) noexcept {
  if (target.empty() || target[0] == '/' || target[0] == '\\' || target.find(':') != target.npos) return true;
  auto depth = std::count(path.begin(), path.end(), '/');
  bool has_gone_down = false;
  while (!target.empty()) {
    const std::string_view part = next_part(target);
    if (part.empty() || part == ".") continue;
    if (part.find('\\') != part.npos) return true;
    if (part != "..") {
      has_gone_down = true;
    } else if (has_gone_down || depth-- == 0) {
      return true;
    }
  }
  return false;
}

bool fits_pattern(std::string_view path, std::string_view pattern) noexcept {
  const bool is_whole = pattern.find('/') != pattern.npos;
  if (!pattern.empty() && pattern.front() == '/') pattern.remove_prefix(1);
  if (!pattern.empty() && pattern.back() == '/') pattern.remove_suffix(1);
  if (pattern.empty()) return false;
  if (!is_whole) return part_fits(path.substr(path.rfind('/') + 1), pattern);
  while (!path.empty() && !pattern.empty()) {
    if (!part_fits(next_part(path), next_part(pattern))) return false;
  }
  return path.empty() && pattern.empty();
}

}  // namespace bdelta::view
