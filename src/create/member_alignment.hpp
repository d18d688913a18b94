// Which stretch of one archive is which of the other, as their members' names tell. A member stands anywhere in the next
// version, where others grew, came and went or where the order is another one, and has the same name nearly always.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "match/diagonal.hpp"

namespace bdelta {

// Of two tar archives, members with their headers that have the same name in both; or the same but for digits, where one
// is gone and the other new. Where all of either archive is in one folder, as NAME-VERSION is, its name does not count.
// Empty if one of the files is no archive.
[[nodiscard]] std::vector<AlignedRange> align_members(ByteSpan source, ByteSpan target);

}  // namespace bdelta
