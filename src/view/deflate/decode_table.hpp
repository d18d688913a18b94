// A prefix code as a table: what the next bits of a stream mean.
//
// The table's index is as many bits as kRootBits says. Codes that are longer lead to a table behind it, indexed by the
// bits that follow. An entry has 32 bits: how many bits its code takes (of a table behind: that part), how many further
// bits follow the code, what it is, and a value.
#pragma once

#include <array>
#include <span>

#include "view/deflate/alphabet.hpp"

namespace bdelta::deflate {

class DecodeEntry {
 public:
  enum Kind : std::uint32_t { kInvalid = 0, kLiteral = 1, kBase = 2, kEnd = 3, kDeeper = 4 };

  constexpr DecodeEntry() = default;
  constexpr DecodeEntry(Kind kind, unsigned code_bits, unsigned extra_bits, unsigned value)
      : bits_(value << 16 | static_cast<std::uint32_t>(kind) << 8 | extra_bits << 4 | code_bits) {}

  [[nodiscard]] constexpr Kind kind() const noexcept { return static_cast<Kind>(bits_ >> 8 & 0xff); }
  [[nodiscard]] constexpr unsigned code_bits() const noexcept { return bits_ & 15; }
  // Of kDeeper: the bits that index the table behind.
  [[nodiscard]] constexpr unsigned extra_bits() const noexcept { return bits_ >> 4 & 15; }
  // The literal, the least value of the symbol, or the place of the table behind.
  [[nodiscard]] constexpr unsigned value() const noexcept { return bits_ >> 16; }

 private:
  std::uint32_t bits_ = 0;
};

enum class Alphabet : std::uint8_t { kLiterals, kDistances, kCodeLengths };

class DecodeTable {
 public:
  static constexpr unsigned kRootBits = 10;

  // code_bits: the length of each symbol's code, 0 if it has none. False if these are no code that deflate allows.
  [[nodiscard]] bool build(Alphabet alphabet, std::span<const std::uint8_t> code_bits) noexcept;

  // bits: at least 15 of a stream, the lowest first. Its code_bits() are to be dropped; kInvalid has none.
  [[nodiscard]] DecodeEntry find(std::uint64_t bits, unsigned& code_bits) const noexcept {
    DecodeEntry entry = entries_[bits & ((1u << kRootBits) - 1)];
    code_bits = entry.code_bits();
    if (entry.kind() == DecodeEntry::kDeeper) {
      entry = entries_[entry.value() + (bits >> kRootBits & ((1u << entry.extra_bits()) - 1))];
      code_bits = kRootBits + entry.code_bits();
    }
    return entry;
  }

 private:
  // Tables behind the root have as many entries as codes that are longer, or fewer than two for each of these.
  static constexpr std::size_t kMostEntries = (1u << kRootBits) + 1024;

  std::array<DecodeEntry, kMostEntries> entries_;
};

}  // namespace bdelta::deflate
