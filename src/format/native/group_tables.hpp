// The head of a group of a version 2 patch: how its streams are stored, and which windows it has.
#pragma once

#include <array>
#include <vector>

#include "bdelta/io.hpp"
#include "codec/codec.hpp"
#include "format/native/layout.hpp"
#include "model/modelled_scope.hpp"
#include "model/model_scope.hpp"

namespace bdelta::native {

struct StreamCode {
  bool present = false;
  CodecId codec = CodecId::kStore;
  unsigned window_log = 0;
};

struct GroupTables {
  bool packed = false;        // some streams are in one code, …
  ModelScope scope;           // … namely these
  bool has_literals = false;  // a packed group that has them
  ModelledScope modelled;     // of windows with modelled bytes; nothing where the group has no models
  std::vector<WindowRecord> windows;
  std::uint64_t modelled_count = 0;  // of windows with modelled bytes
  std::array<StreamCode, kStreamCount> streams;
};

// Of the bytes of a group's head. All sizes are bounded by the patch's header, which the caller has bounded.
// target_bytes: what the windows must add up to. error_pos: where in the patch errors are. kPatchCorrupt,
// kUnsupportedFeature.
[[nodiscard]] Result<GroupTables> parse_group_tables(ByteSpan head, GroupKind kind, const Header& header,
                                                 std::uint64_t target_bytes, std::uint64_t error_pos);

}  // namespace bdelta::native
