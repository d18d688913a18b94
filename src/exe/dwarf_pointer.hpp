// DW_EH_PE pointer encodings of unwind tables: a format in the low four bits, what it counts from in the next three.
#pragma once

#include <cstdint>

#include "exe/field_sink.hpp"

namespace bdelta::exe {

inline constexpr std::uint8_t kDwarfOmitted = 0xff;
inline constexpr std::uint8_t kDwarfUleb = 0x01;

inline constexpr std::uint8_t kDwarfFromZero = 0x00;
inline constexpr std::uint8_t kDwarfFromSelf = 0x10;
inline constexpr std::uint8_t kDwarfFromTable = 0x30;  // the start of .eh_frame_hdr

// The flag 0x80 is left out: what is written is then the address of a slot with the address that is meant, and so an
// address all the same.
[[nodiscard]] constexpr std::uint8_t dwarf_origin(std::uint8_t encoding) noexcept { return encoding & 0x70; }

// Bytes of an encoded number; 0 for LEB128 and what is not known.
[[nodiscard]] constexpr std::uint64_t dwarf_bytes(std::uint8_t encoding, bool bits64) noexcept {
  if (encoding == kDwarfOmitted) return 0;
  switch (encoding & 0x0f) {
    case 0x00: return bits64 ? 8 : 4;
    case 0x02: case 0x0a: return 2;
    case 0x03: case 0x0b: return 4;
    case 0x04: case 0x0c: return 8;
    default: return 0;
  }
}

// Adds the encoded pointer at `pos` if its width and origin are known.
void add_encoded_pointer(FieldSink& sink, std::uint64_t pos, std::uint8_t encoding, FieldKind kind);

// The address that is written at `pos`, or 0.
[[nodiscard]] std::uint64_t encoded_address(const FieldSink& sink, std::uint64_t pos, std::uint8_t encoding);

}  // namespace bdelta::exe
