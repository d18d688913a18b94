// Where the two trees and the patch of a call are to each other.
#pragma once

#include <filesystem>

#include "bdelta/error.hpp"

namespace bdelta {

// Both name the same directory, which exists.
[[nodiscard]] bool is_same_place(const std::filesystem::path& a, const std::filesystem::path& b);

// kUsage if one is inside the other, kSamePath if they are the same directory; names say which argument is which. Paths that
// don't exist are places, too; "-" is none. An empty path stands for an argument that is missing.
[[nodiscard]] Status check_apart(const std::filesystem::path& a, const char* name_of_a, const std::filesystem::path& b,
                                 const char* name_of_b);

}  // namespace bdelta
