// Where the bytes of a patch go, for people and as JSON.
#pragma once

#include <string>

#include "bdelta/members.hpp"
#include "cli/json.hpp"

namespace bdelta::cli {

// `has_members`: OLD was given.
[[nodiscard]] std::string members_json(const PatchBytes& bytes, bool has_members);
[[nodiscard]] std::string members_text(const PatchBytes& bytes, bool has_members);

// What becomes of the entries of a directory, as far as that is known.
[[nodiscard]] Json changes_json(const PatchBytes& bytes);
[[nodiscard]] std::string changes_text(const PatchBytes& bytes);

}  // namespace bdelta::cli
