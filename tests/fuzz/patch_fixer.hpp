// Makes hostile patches that look sound: a mutation of a patch mostly breaks a checksum before it breaks anything else,
// so these are computed again, as far as the patch can be decoded.
#pragma once

#include <optional>
#include <vector>

#include "bdelta/apply.hpp"
#include "model/streams.hpp"

namespace bdelta::fuzz {

// What a hostile patch may make of memory and output; the fixer works within the same limits.
[[nodiscard]] ApplyOptions hostile_options();

// One group of a version 2 patch, found without decoding it.
struct GroupPlace {
  GroupKind kind = GroupKind::kWhole;
  std::uint64_t target_bytes = 0;
  std::size_t body_pos = 0;
  std::size_t body_bytes = 0;
  std::vector<std::size_t> checksums;  // where those of its coded windows stand in the patch
};

// As far as the patch can be followed.
[[nodiscard]] std::vector<GroupPlace> find_groups(ByteSpan patch);

struct FixedPatch {
  Bytes patch;
  std::optional<Bytes> target;  // what applying it has to give; absent if it can't be decoded to its end
};

// `patch` with the magic, size and digest of `source`, checksums of header, records and windows, and digest of the target.
[[nodiscard]] FixedPatch fix_patch(ByteSpan source, ByteSpan patch);

}  // namespace bdelta::fuzz
