// The length of any x86 instruction and the relative address in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exe/x86_opcodes.hpp"

namespace bdelta::exe::x86 {

// A longer instruction raises a fault, whatever it holds.
inline constexpr unsigned kMaxInstructionBytes = 15;

// Bytes that have to be readable from the start of an instruction on, whatever its length.
inline constexpr std::size_t kReadableBytes = 32;

struct Instruction {
  std::uint8_t length_bytes = 0;  // 0: not an instruction
  Relative relative = Relative::kNone;
  std::uint8_t field_offset = 0;    // of the relative number; 4 bytes, or 1 for kShort
  std::uint8_t trailing_bytes = 0;  // after it
  // Numbers of 4 bytes that are not relative: where they begin, 0 for none. The immediate ends the instruction.
  std::uint8_t displacement_offset = 0;
  std::uint8_t immediate_offset = 0;
};

// Decodes the instruction at `code`, where kReadableBytes can be read. Operands are not judged: what no processor
// takes, such as LEA of a register, has a length all the same. VEX, EVEX, XOP and 3DNow are known; REX2 is not.
template <bool kBits64>
[[nodiscard]] Instruction decode_instruction(const std::uint8_t* code) noexcept;

extern template Instruction decode_instruction<true>(const std::uint8_t*) noexcept;
extern template Instruction decode_instruction<false>(const std::uint8_t*) noexcept;

}  // namespace bdelta::exe::x86
