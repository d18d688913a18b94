// Numbers that the source has in lists, and copies have others in place of, by where they stand and how large they are.
// Such lists name types and strings by their places in one long list. Where that has grown in a hundred places, all
// numbers behind such a place are moved by the same. A patch says where the lists are and what moves by how much; whoever
// applies it copies from a source with these other numbers. Unlike substitutions (delta/substitution_table.hpp), which
// are told one by one and are found wherever they stand, thresholds tell numbers that nobody has seen, and nothing else
// is taken for one.
#pragma once

#include <cstdint>
#include <vector>

#include "bdelta/error.hpp"

namespace bdelta {

// Numbers from `begin` up to the next threshold are moved by this, modulo 2^32.
struct Threshold {
  std::uint32_t begin = 0;
  std::uint32_t move = 0;
  bool operator==(const Threshold&) const = default;
};

// Ascending. The first does not begin at 0, which stands for no type and no name; numbers in front of it stay.
using Thresholds = std::vector<Threshold>;

// Of types, and of strings.
struct ThresholdPair {
  Thresholds types;
  Thresholds strings;

  [[nodiscard]] std::size_t count() const noexcept { return types.size() + strings.size(); }
  bool operator==(const ThresholdPair&) const = default;
};

// A list of types in BTF (exe/btf.hpp), which name one another and strings.
struct NumberList {
  std::uint64_t header_pos = 0;  // in the source
  ThresholdPair own;                  // for numbers from where these begin on; the common ones for those in front
  bool operator==(const NumberList&) const = default;
};

struct MovedNumbers {
  static constexpr std::uint64_t kHeldBytesPerList = 96;
  static constexpr std::uint64_t kHeldBytesPerThreshold = 8;

  std::uint64_t type_bytes = 0;   // of all lists, without their headers
  std::vector<NumberList> lists;  // ascending; empty where a patch moves no numbers
  ThresholdPair common;

  [[nodiscard]] std::size_t threshold_count() const noexcept;

  // What an applier holds because of them.
  [[nodiscard]] std::uint64_t held_bytes() const noexcept {
    return type_bytes + kHeldBytesPerList * lists.size() + kHeldBytesPerThreshold * threshold_count();
  }
  bool operator==(const MovedNumbers&) const = default;
};

// What becomes of a number; `own` may be empty.
[[nodiscard]] std::uint32_t moved(const Thresholds& common, const Thresholds& own, std::uint32_t number) noexcept;

inline constexpr std::size_t kMostNumberLists = 65'536;

// Whether there are lists, no more than that, inside a source of this size, they and all thresholds are in order, and
// there are thresholds. kPatchCorrupt else. What the source has at these positions is for its reader to check.
Status check_moved_numbers(const MovedNumbers& numbers, std::uint64_t source_size);

}  // namespace bdelta
