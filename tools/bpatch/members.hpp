// Where the bytes of a patch go, for people and as JSON.
#pragma once

#include <string>

#include "bdelta/members.hpp"

namespace bdelta::cli {

// `has_members`: OLD was given.
[[nodiscard]] std::string members_json(const PatchBytes& bytes, bool has_members);
[[nodiscard]] std::string members_text(const PatchBytes& bytes, bool has_members);

}  // namespace bdelta::cli
