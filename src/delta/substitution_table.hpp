// The substitutions of a patch: patterns of four bytes that become others wherever they are copied. A new version
// numbers things anew (types, strings, dates of files). They are copied with their old number wherever they are
// named, and the change is told once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "delta/pattern_key.hpp"
#include "delta/pattern_scan.hpp"

namespace bdelta {

// A pattern is kPatternBytes bytes, here as a number whose lowest byte is the first one in the file.
inline constexpr std::size_t kPatternBytes = 4;

struct Substitution {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool operator==(const Substitution&) const = default;
};

// A stretch of the target, [begin, end), in which substitutions are made.
struct SubstitutionSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const SubstitutionSpan&) const = default;
};

// Immutable once made: any number of threads may ask it.
class SubstitutionTable {
 public:
  static constexpr std::size_t kMostSubstitutions = std::size_t{1} << 20;
  static constexpr std::uint64_t kSpanUnitBytes = std::uint64_t{16} << 10;  // spans begin and end at multiples
  static constexpr std::uint64_t kBytesPerSpan = 16;
  static constexpr std::uint64_t kBytesPerSubstitution = 48;  // upper bound of what an object holds for each, from 64 on
  static constexpr std::uint64_t kFixedBytes = 4096;
  static constexpr std::uint32_t kNone = 0xffffffff;

  // A substitution's rank is its number in `changes`; no two have the same pattern, and there are at most
  // kMostSubstitutions. The spans are ascending, apart and not empty; without any, substitutions are made everywhere.
  explicit SubstitutionTable(std::vector<Substitution> changes, std::vector<SubstitutionSpan> spans = {});

  // `copied` are the bytes of one copy, whole, for the target from target_pos on. What of them lies in one span counts as
  // a copy of its own; what lies in none stays.
  void replace_at(std::uint64_t target_pos, MutableByteSpan copied) const noexcept;

  // As if all of it were in one span: `copied` are the bytes of one copy, whole. A pattern may begin at any of them;
  // those that are found are found in what was copied, never in what has been replaced. Where some of them overlap,
  // each byte is of the one of the lowest rank; where a pattern overlaps itself, of the one that begins first.
  void replace(MutableByteSpan copied) const noexcept;

  // The same for whoever wants to know which substitution it was: calls body(pos, rank, byte) for each byte that one
  // gives, ascending. The body may write the byte to its place.
  template <class Body>
  void for_each_byte(ByteSpan copied, Body&& body) const;

  // Calls body(pos, rank) for each pattern in these bytes, ascending. The body may write to bytes before pos.
  template <class Body>
  void for_each_occurrence(ByteSpan bytes, Body&& body) const;

  // The rank of the substitution with this pattern, or kNone.
  [[nodiscard]] std::uint32_t find(std::uint32_t pattern) const noexcept {
    return scan_.may_be(pattern) ? search(pattern) : kNone;
  }

  [[nodiscard]] const std::vector<Substitution>& changes() const noexcept { return changes_; }
  [[nodiscard]] const std::vector<SubstitutionSpan>& spans() const noexcept { return spans_; }
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
    return kFixedBytes + kBytesPerSubstitution * changes_.size() + kBytesPerSpan * spans_.size();
  }

 private:
  struct PendingBytes;

  [[nodiscard]] bool fill_table();
  void fill_order();
  [[nodiscard]] std::uint32_t search(std::uint32_t pattern) const noexcept;
  [[nodiscard]] std::uint32_t search_in_order(std::uint32_t pattern) const noexcept;

  std::vector<Substitution> changes_;
  std::vector<SubstitutionSpan> spans_;
  std::vector<std::uint32_t> slots_;   // ranks by the high bits of the hash, kNone where nothing is; or else by pattern
  bool is_table_ = true;
  unsigned slot_shift_ = 0;
  PatternScan scan_;
};

template <class Body>
void SubstitutionTable::for_each_occurrence(ByteSpan bytes, Body&& body) const {
  if (bytes.size() < kPatternBytes) return;
  const std::size_t end = bytes.size() - kPatternBytes + 1;  // of the positions
  const auto look_at = [&](std::size_t pos) {
    const std::uint32_t rank = find(load_le<std::uint32_t>(bytes.data() + pos));
    if (rank != kNone) body(pos, rank);
  };
  std::size_t pos = 0;
  for (; bytes.size() - pos >= PatternScan::kReadBytes; pos += PatternScan::kPositions) {
    for (std::uint64_t places = scan_.places(bytes.data() + pos); places != 0; places &= places - 1) {
      look_at(pos + static_cast<std::size_t>(std::countr_zero(places)));
    }
  }
  for (; pos < end; ++pos) look_at(pos);
}

// Bytes that substitutions give, until all patterns that hold them have been found: those that begin behind a byte don't.
struct SubstitutionTable::PendingBytes {
  struct One {
    std::uint32_t rank = kNone;
    std::uint8_t byte = 0;
  };
  One of[kPatternBytes];  // the positions from `settled` on, modulo 4
  std::size_t settled = 0;
  std::size_t end = 0;

  // Patterns come in the order of their places, which are not below `settled`.
  void add(const SubstitutionTable& table, std::size_t pos, std::uint32_t rank) {
    for (unsigned i = 0; i < kPatternBytes; ++i) {
      One& one = of[(pos + i) % kPatternBytes];
      if (rank < one.rank) one = {rank, static_cast<std::uint8_t>(table.changes_[rank].to >> 8 * i)};
    }
    end = pos + kPatternBytes;
  }

  // Calls body(pos, rank, byte) for each byte in front of `until` that a substitution gives.
  template <class Body>
  void settle(std::size_t until, Body&& body) {
    for (; settled < std::min(until, end); ++settled) {
      One& one = of[settled % kPatternBytes];
      if (one.rank != kNone) body(settled, one.rank, one.byte);
      one.rank = kNone;
    }
    settled = std::max(settled, until);
  }
};

template <class Body>
void SubstitutionTable::for_each_byte(ByteSpan copied, Body&& body) const {
  PendingBytes pending;
  for_each_occurrence(copied, [&](std::size_t pos, std::uint32_t rank) {
    pending.settle(pos, body);
    pending.add(*this, pos, rank);
  });
  pending.settle(pending.end, body);
}

}  // namespace bdelta
