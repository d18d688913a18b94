#include "apply/tree_places.hpp"

#include <algorithm>
#include <string>

#include "bdelta/files.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

// With links followed as far as it exists, and without a slash at its end.
std::filesystem::path place_of(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  std::filesystem::path place = std::filesystem::weakly_canonical(absolute, error);
  if (error) place = absolute.lexically_normal();
  return place.has_filename() ? place : place.parent_path();
}

bool is_inside(const std::filesystem::path& inner, const std::filesystem::path& outer) {
  const auto [in_inner, in_outer] = std::mismatch(inner.begin(), inner.end(), outer.begin(), outer.end());
  return in_outer == outer.end() && in_inner != inner.end();
}

}  // namespace

bool is_same_place(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  return std::filesystem::is_directory(a, error) && same_file(a, b);
}

Status check_apart(const std::filesystem::path& a, const char* name_of_a, const std::filesystem::path& b, const char* name_of_b) {
  if (a.empty() || b.empty() || a == "-" || b == "-") return {};
  const std::filesystem::path place_a = place_of(a), place_b = place_of(b);
  if (place_a == place_b || same_file(a, b)) {
    return io::file_error(ErrorCode::kSamePath, b, std::string(name_of_a) + " and " + name_of_b,
                          "name a new directory as NEW; it can take OLD's place once it is whole");
  }
  const bool a_is_inner = is_inside(place_a, place_b);
  if (!a_is_inner && !is_inside(place_b, place_a)) return {};
  return io::file_error(ErrorCode::kUsage, a_is_inner ? a : b,
                        std::string(a_is_inner ? name_of_a : name_of_b) + " is inside " + (a_is_inner ? name_of_b : name_of_a),
                        "choose a place outside of it");
}

}  // namespace bdelta
