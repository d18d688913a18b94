// What a patch says of its trees besides their streams. FORMAT.md, "Trees".
//
// NEW's stream as windows make it leaves out the files that are kept: those that OLD has with the same path and the same bytes.
// A kept file is told by a bit, which each file has that could be kept. Such a file has bytes, and OLD has a file with the
// same path and as many bytes.
#pragma once

#include <optional>
#include <string>

#include "view/tree/manifest.hpp"

namespace bdelta::view {

struct FileCounts {
  std::uint64_t kept = 0;
  std::uint64_t changed = 0;
  std::uint64_t added = 0;
  std::uint64_t removed = 0;
};

struct TreePlan {
  std::uint64_t made_bytes = 0;      // of NEW's stream as windows make it, its manifest included
  std::uint64_t manifest_bytes = 0;  // of NEW's
  std::uint64_t entry_count = 0;     // likewise
  FileCounts files;
  std::vector<std::string> excluded;  // patterns, of both trees
  Bytes code;                         // kept bits and permission bits of NEW
  bool has_times = false;
  Bytes times;                        // of NEW's files, as append_varint has them
  std::optional<Bytes> source_list;   // OLD's manifest, and behind it the digests of its files
};

// Of an entry of NEW, by its number.
struct TreeMarks {
  std::vector<bool> is_kept;
  std::vector<std::uint16_t> modes;  // permission bits, 0 to 0777; of links 0
  std::uint16_t root_mode = 0755;    // of the tree's own directory
};

// Whether a file may be kept, whose counterpart has this number; an empty one always is.
[[nodiscard]] bool may_be_kept(const Manifest& source, const TreeEntry& entry, std::uint32_t counterpart) noexcept;

// counterparts: as counterparts_of gives them. Of files that can't be kept nothing is told.
[[nodiscard]] Bytes encode_marks(const Manifest& source, const Manifest& target, const std::vector<std::uint32_t>& counterparts,
                                 const TreeMarks& marks);
// kPatchCorrupt if that is not what the code says.
Result<TreeMarks> decode_marks(const Manifest& source, const Manifest& target, const std::vector<std::uint32_t>& counterparts,
                               ByteSpan code);

// Whether NEW's files are as large as the plan says, and as many of them kept.
[[nodiscard]] bool sizes_fit(const TreePlan& plan, const Manifest& target, const TreeMarks& marks, std::uint64_t target_bytes) noexcept;

// Of files alone, in nanoseconds since 1970, by the numbers of their entries.
[[nodiscard]] Bytes encode_times(const Manifest& target, const std::vector<std::int64_t>& times);
Result<std::vector<std::int64_t>> decode_times(const Manifest& target, ByteSpan bytes);

}  // namespace bdelta::view
