// Which names of entries a tree may have: pure functions of the name, so that every system can test the rules of all.
//
// The rules of all systems make a name a place inside the tree. Those of a system say what it can hold, and count where a
// tree is made on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bdelta::view {

inline constexpr std::size_t kMostPartBytes = 255;
inline constexpr std::size_t kMostPathBytes = 4095;
inline constexpr std::size_t kMostParts = 256;
inline constexpr std::size_t kMostLinkBytes = 4095;

enum class NameRules : std::uint8_t { kAny, kWindows };

// Those of the system that this runs on.
[[nodiscard]] NameRules host_rules() noexcept;

// What is wrong with a path of a tree, in words behind "its name"; null for a good one. A good one is relative: one part or
// more, "/" between them, none empty, "." or "..", none ".bdelta" in any case; no NUL; within the bounds above.
[[nodiscard]] const char* path_problem(std::string_view path, NameRules rules) noexcept;

// ".bdelta" in any case, which is ours: never held, and passed over where a directory is read.
[[nodiscard]] bool is_own_name(std::string_view part) noexcept;

// Likewise of a link's target: it has 1 to kMostLinkBytes bytes, and no NUL.
[[nodiscard]] const char* link_problem(std::string_view target) noexcept;

// Whether a link at `path` may lead out of the tree. It stays inside if its target is relative, ".." stands in front of all
// other parts, and no more of these than the link has directories above it. Other links in the tree, that the target leads
// through, are asked for themselves.
[[nodiscard]] bool may_leave_tree(std::string_view path, std::string_view target) noexcept;

// Whether a pattern of `exclude` fits the entry with this path; what is in a directory that fits is excluded with it.
// `*` stands for any bytes of a part, `?` for one, anything else for itself. A pattern without "/" is held against the last
// part of the path, one with "/" against all of it, part by part. A "/" in front or at the end counts as one of these.
[[nodiscard]] bool fits_pattern(std::string_view path, std::string_view pattern) noexcept;

}  // namespace bdelta::view
