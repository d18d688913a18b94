// What of a target lies outside of programs, as a file of its own: its covers are chosen by the costs of what it is.
#pragma once

#include "base/bytes.hpp"
#include "match/cover_ranges.hpp"
#include "match/diagonal.hpp"

namespace bdelta {

class OutsideFile {
 public:
  // `ranges` ascend and are apart; there is at least one. The bytes are copied.
  OutsideFile(ByteRanges ranges, ByteSpan target);

  [[nodiscard]] ByteSpan bytes() const noexcept { return bytes_; }

  // Diagonals of the target, as they are in this file. Good while the object lives.
  [[nodiscard]] Diagonals diagonals(const Diagonals& of_target);

  // Covers of this file at their places in the target, cut where the ranges end.
  [[nodiscard]] Covers placed(const Covers& covers) const;

 private:
  struct Part {
    ByteRange range;         // of the target
    std::uint64_t pos = 0;     // where it begins in this file
    [[nodiscard]] std::uint64_t moved_by() const noexcept { return range.begin - pos; }
  };
  std::vector<Part> parts_;
  Bytes bytes_;
  std::vector<AlignedRange> aligned_;
};

}  // namespace bdelta
