// Which stretch of one archive is which of the other, as their members' names tell. A member stands anywhere in the next
// version, where others grew, came and went or where the order is another one, and has the same name nearly always.
#pragma once

#include <vector>

#include "match/diagonal.hpp"
#include "view/members.hpp"

namespace bdelta::view {

// Members with their headers that have the same name in both lists; or the same but for digits, where one is gone and the
// other new. Where all of either list is in one folder, as NAME-VERSION is, its name does not count.
[[nodiscard]] std::vector<AlignedRange> align_members(const Members& source, const Members& target);

}  // namespace bdelta::view
