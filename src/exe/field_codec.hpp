// Reading the address out of a field's bytes and writing another one into them.
#pragma once

#include <cstddef>

#include "bdelta/io.hpp"
#include "exe/field.hpp"

namespace bdelta::exe {

// What the bytes of a field are measured from. Addresses are those of one image; those of 32-bit images wrap at 2^32.
struct FieldOrigin {
  std::uint64_t own_address = 0;   // of the field's first byte
  std::uint64_t base_address = 0;  // kRva32, kMachChained: of the image; kOffset*, kSize*: of the field's base;
                                   // kFileOffset32: kFileSpace + the base's file position
  bool bits64 = true;              // whether addresses have 64 bits
};

// Sets field.target_address from the bytes at field.pos. Bits of an address that the form doesn't hold (the low 12 of
// kArmPage, the others of kArmLow12 and kArmLow12Scaled) stay as they are in field.target_address.
// False, with the field unchanged: its bytes are not all in the file, or they are nothing of its form.
[[nodiscard]] bool read_field(ByteSpan file, const FieldOrigin& origin, Field& field) noexcept;

// Changes the field's bytes so that they lead to `target_address` from the given origin; bits that don't belong to the
// field stay. The form and the trailing bytes are taken from `field`, its position and address are not.
// False, with the bytes unchanged: the form cannot hold that address there.
[[nodiscard]] bool write_field(std::uint8_t* bytes, const Field& field, const FieldOrigin& origin,
                               std::uint64_t target_address) noexcept;

// Writes low bits of `number` in place of the field's own, whatever address that makes; other bits stay.
void mask_field(std::uint8_t* bytes, const Field& field, std::uint64_t number) noexcept;

}  // namespace bdelta::exe
