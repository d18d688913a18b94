// A field: bytes of a program that hold an address, in a form that can be read and written again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/bytes.hpp"

namespace bdelta::exe {

// How the bytes of a field and the address it refers to depend on each other. `end` is the address after the field
// and what follows it in the instruction (Field::trailing_bytes). The order is part of the format: append only.
enum class FieldForm : std::uint8_t {
  kRel8,         // address = end + signed byte
  kRel32,        // address = end + signed 32-bit number
  kAbs32,        // address = 32-bit number
  kAbs64,        // address = 64-bit number
  kRva32,        // address = image base + 32-bit number
  kOffset32,     // address = Field::base (a jump table, .eh_frame_hdr, pclntab, …) + signed 32-bit number
  kArmBranch26,  // B, BL: address = own + 4 * signed imm26
  kArmBranch19,  // B.cond, CBZ, LDR literal: 4 * signed imm19
  kArmBranch14,  // TBZ, TBNZ: 4 * signed imm14
  kArmAdr,       // ADR: signed imm21 split in two
  kArmPage,      // ADRP: page of the address, minus the own page
  kArmLow12,     // ADD after ADRP: low 12 bits of the address
  kArmLow12Scaled,  // LDR/STR after ADRP: low 12 bits shifted right by the access size
  kSize32,       // not an address itself: length; `target_address` is the address of the end of what is measured from base
  kSize64,
  kMachChained,  // a chained fixup of Mach-O: the low bits hold the address or offset, the high ones stay; see below
  kBack32,       // address = own - 32-bit number (the CIE of an FDE)
  kOffset24,     // address = Field::base + low 24 bits of a 32-bit number, the high ones stay (Mach-O's __unwind_info)
  kFileOffset32,  // leads to a byte of the file, in memory or not: file position = that of the base + trailing_bytes *
                  // 32-bit number; target_address is kFileSpace + file position
  kArm32Branch,  // B, BL, BLX of 32-bit ARM: address = own + 8 + 4 * signed imm24
  kPrel31,       // address = own + signed 31-bit number, the high bit stays (unwind tables of 32-bit ARM)
  kUleb21,       // address = image base + number in the low seven bits of three bytes; the high bits stay
  kUleb28,       // the same of four bytes
  kFileUleb21,   // as kFileOffset32 with trailing_bytes 1, the number being written as in kUleb21
  kFileUleb28,   // the same of four bytes
  kThumbBranch,  // B, BL, BLX of Thumb-2: address = own + 4 + 2 * signed imm24; see kToArm
  kThumbCondition,  // B<c> of Thumb-2: 2 * signed imm20
  kFileOffset24,  // as kFileOffset32, the number being the high 24 bits of 32
};

// Field::trailing_bytes of kThumbBranch: BLX, which leads to code of whole words and counts from a multiple of 4.
inline constexpr std::uint8_t kToArm = 1;

// Where file positions stand among addresses. No file reaches to the end of that, and no image that is loaded to its
// start.
inline constexpr std::uint64_t kFileSpace = std::uint64_t{1} << 63;

// Field::trailing_bytes of kMachChained: how many low bits are the number, and, added to that, whether the number
// counts from Image::base_address instead of from 0.
inline constexpr std::uint8_t kChainedFromBase = 0x80;

// What kind of place it was found in; one switch of the patch each. Append only.
enum class FieldKind : std::uint8_t {
  kCall, kJump, kBranch, kShortBranch, kDataReference, kPageReference, kPageOffset, kJumpTable, kPointer, kRelocationOffset,
  kRelocationAddend, kSymbolValue, kSymbolSize, kDynamic, kUnwindHeader, kUnwindStart, kUnwindSize, kExceptionTable,
  kPdata, kImportExport, kFunctionStart, kGoTable, kLoadCommand, kOther,
  kUnwindEntry,  // from an entry of the unwind tables to another of their parts
  kCodePointer,  // an address as such in an instruction, of a program that is loaded where it was linked for
  kSymbolName,   // from a symbol to its name
  kSymbolIndex,  // to a symbol, by its number
  kDebugAddress,  // of code, in what is not loaded
};

struct Field {
  std::uint64_t pos = 0;             // of its first byte in the file
  std::uint64_t target_address = 0;  // in the address space of its image
  std::uint32_t base_delta = 0;      // kOffset*, kSize*, kFile*: own file position minus that of the base, an int32 in two's
                                     // complement
  FieldForm form = FieldForm::kRel32;
  FieldKind kind = FieldKind::kOther;
  std::uint8_t trailing_bytes = 0;   // of the instruction after the field; or the access size's shift of kArmLow12Scaled;
                                     // or the bytes of an entry of kFileOffset32
  std::uint32_t image = 0;           // which image of the file, an index
};

[[nodiscard]] constexpr bool comes_before(const Field& a, const Field& b) noexcept { return a.pos < b.pos; }

// Where the base of a field that has one lies in the file.
[[nodiscard]] constexpr std::uint64_t base_pos(const Field& field) noexcept {
  return field.pos - sign_extended(field.base_delta);
}

// What the number of a form counts from.
enum class CountsFrom : std::uint8_t {
  kNothing,
  kOwnAddress,  // that of the field
  kImageBase,   // Image::base_address
  kBase,        // an address: that of base_pos()
  kFile,        // a byte of the file: base_pos(). Such a field leads to a byte of the file, and not to an address
  kOther,       // the field alone doesn't tell
};

// What part of an address a form holds. Two instructions with one part each are told together.
enum class AddressPart : std::uint8_t { kWhole, kPage, kPageOffset };

// All that a form is asked for besides how it is read and written, which field_codec.cpp has.
struct FormTraits {
  std::uint8_t size_bytes = 4;  // in the file
  CountsFrom counts_from = CountsFrom::kNothing;
  AddressPart part = AddressPart::kWhole;
  bool is_distance = false;  // from the field to where it leads, so it stays as it is where both move together
};

// In the order of FieldForm.
inline constexpr FormTraits kFormTraits[] = {
    {1, CountsFrom::kOwnAddress, AddressPart::kWhole, true},  // kRel8
    {4, CountsFrom::kOwnAddress, AddressPart::kWhole, true},  // kRel32
    {4, CountsFrom::kNothing},                                // kAbs32
    {8, CountsFrom::kNothing},                                // kAbs64
    {4, CountsFrom::kImageBase},                              // kRva32
    {4, CountsFrom::kBase},                                   // kOffset32
    {4, CountsFrom::kOwnAddress, AddressPart::kWhole, true},  // kArmBranch26
    {4, CountsFrom::kOwnAddress, AddressPart::kWhole, true},  // kArmBranch19
    {4, CountsFrom::kOwnAddress, AddressPart::kWhole, true},  // kArmBranch14
    {4, CountsFrom::kOwnAddress, AddressPart::kWhole, true},  // kArmAdr
    {4, CountsFrom::kOther, AddressPart::kPage},              // kArmPage
    {4, CountsFrom::kOther, AddressPart::kPageOffset},        // kArmLow12
    {4, CountsFrom::kOther, AddressPart::kPageOffset},        // kArmLow12Scaled
    {4, CountsFrom::kBase},                                   // kSize32
    {8, CountsFrom::kBase},                                   // kSize64
    {8, CountsFrom::kImageBase},                              // kMachChained
    {4, CountsFrom::kOther},                                  // kBack32
    {4, CountsFrom::kBase},                                   // kOffset24
    {4, CountsFrom::kFile},                                   // kFileOffset32
    {4, CountsFrom::kOwnAddress, AddressPart::kWhole, true},  // kArm32Branch
    {4, CountsFrom::kOther},                                  // kPrel31
    {3, CountsFrom::kImageBase},                              // kUleb21
    {4, CountsFrom::kImageBase},                              // kUleb28
    {3, CountsFrom::kFile},                                   // kFileUleb21
    {4, CountsFrom::kFile},                                   // kFileUleb28
    {4, CountsFrom::kOwnAddress, AddressPart::kWhole, true},  // kThumbBranch
    {4, CountsFrom::kOwnAddress, AddressPart::kWhole, true},  // kThumbCondition
    {4, CountsFrom::kFile},                                   // kFileOffset24
};
inline constexpr std::size_t kFieldFormCount = std::size(kFormTraits);
static_assert(static_cast<std::size_t>(FieldForm::kFileOffset24) + 1 == kFieldFormCount);

[[nodiscard]] constexpr const FormTraits& traits_of(FieldForm form) noexcept { return kFormTraits[static_cast<std::size_t>(form)]; }

[[nodiscard]] constexpr bool leads_into_file(FieldForm form) noexcept { return traits_of(form).counts_from == CountsFrom::kFile; }

// Whether base_pos() means something.
[[nodiscard]] constexpr bool has_base(FieldForm form) noexcept {
  return traits_of(form).counts_from == CountsFrom::kBase || leads_into_file(form);
}

// Bytes of the file that a field takes up.
[[nodiscard]] constexpr std::size_t field_bytes(FieldForm form) noexcept { return traits_of(form).size_bytes; }

}  // namespace bdelta::exe
