// What a tar archive holds: the headers and files of the POSIX pax interchange format and of GNU's, as far as a view needs
// them.
#pragma once

#include <string_view>

#include "base/bytes.hpp"
#include "match/byte_range.hpp"
#include "view/members.hpp"

namespace bdelta::view {

// Fields of a header, which is a block. A text ends in front of its first zero byte.
[[nodiscard]] char tar_kind(ByteSpan header) noexcept;
[[nodiscard]] std::string_view tar_size_text(ByteSpan header) noexcept;

// The name that a header itself has, with the directories that it has apart.
[[nodiscard]] std::string tar_name(ByteSpan header);

// Whether an entry only tells more of the next one, its long name for example.
[[nodiscard]] bool is_tar_extension(ByteSpan header) noexcept;

// Adds those of the archive that begins at archive_pos, in its order, up to its end or the first thing that is not
// understood. Headers of extensions belong to the member that they tell of. Reads nothing but headers and extensions. Takes
// up to half as much memory as the archive has bytes, if it has nothing but headers.
void add_tar_members(ByteSpan view, std::uint64_t archive_pos, Members& members);

// Those of an archive that is a file of the view: named behind it, with their places in the view. None if it is no archive.
[[nodiscard]] Members tar_members_of(ByteSpan view, const Member& file);

// Where such archives stand, as far as their members follow one another.
[[nodiscard]] ByteRanges tar_ranges(ByteSpan view, const Members& members);

}  // namespace bdelta::view
