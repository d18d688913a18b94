// The bits of a branch of Thumb-2 that are a number, and how they make it up. Source: Arm Architecture Reference Manual for
// ARMv7-A, A8.8.18: encodings T3 and T4 of B. BL and BLX have theirs from T4.
#pragma once

#include <cstdint>

namespace bdelta::exe {

// A branch of Thumb-2 is two halfwords, the first in the low half of `raw`: 11110 S high, then 1- J1 - J2 low. Of the
// number S is the top bit and `low` the lowest eleven. Between them a branch with a condition has J2, J1 and six bits of
// `high`. The others have two bits there, which are J1 and J2 turned round where S is not set, and ten bits of `high`.
struct ThumbBranch {
  static constexpr unsigned kSign = 10, kJ1 = 29, kJ2 = 27, kLow = 16;

  unsigned high_bits;
  [[nodiscard]] bool has_condition() const noexcept { return high_bits == 6; }

  [[nodiscard]] std::uint64_t number(std::uint64_t raw) const noexcept {
    const std::uint64_t sign = raw >> kSign & 1, j1 = raw >> kJ1 & 1, j2 = raw >> kJ2 & 1;
    const std::uint64_t below = has_condition() ? j2 << 1 | j1 : (~(j1 ^ sign) & 1) << 1 | (~(j2 ^ sign) & 1);
    const std::uint64_t top = sign << 2 | below;
    return (top << high_bits | (raw & ((1u << high_bits) - 1))) << 11 | (raw >> kLow & 0x7FF);
  }

  [[nodiscard]] std::uint64_t with_number(std::uint64_t raw, std::uint64_t number) const noexcept {
    const std::uint64_t high_mask = (1u << high_bits) - 1;
    const std::uint64_t top = number >> (11 + high_bits), sign = top >> 2 & 1, upper = top >> 1 & 1, lower = top & 1;
    const std::uint64_t j1 = has_condition() ? lower : ~(upper ^ sign) & 1;
    const std::uint64_t j2 = has_condition() ? upper : ~(lower ^ sign) & 1;
    raw &= ~(high_mask | 1u << kSign | 1u << kJ1 | 1u << kJ2 | 0x7FFu << kLow);
    return raw | (number >> 11 & high_mask) | sign << kSign | j1 << kJ1 | j2 << kJ2 | (number & 0x7FF) << kLow;
  }
};

}  // namespace bdelta::exe
