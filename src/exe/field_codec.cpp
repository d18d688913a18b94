// Each form is a number in some bits of the field, and a rule that makes an address of the number. The first part is
// one table for all forms, the second two functions that mirror each other. Arithmetic is unsigned and wraps.
#include "exe/field_codec.hpp"

#include <iterator>

#include "base/bytes.hpp"
#include "base/checked.hpp"
#include "exe/thumb_branch.hpp"

namespace bdelta::exe {
namespace {

// Where the number lies in the field, taken as one little-endian integer. ADR and ADRP hold the two lowest bits of
// theirs apart.
struct NumberBits {
  std::uint8_t field_bytes = 4;
  std::uint8_t low = 0;
  std::uint8_t count = 32;
  bool is_signed = false;
  bool split = false;  // bits 29-30 are the lowest two, the others begin at `low`
  bool sevens = false;  // seven bits in each byte, the least significant first
  bool thumb = false;   // in pieces, in an order of their own: see below
};

constexpr NumberBits kNumbers[] = {
    {1, 0, 8, true},           // kRel8
    {4, 0, 32, true},          // kRel32
    {4, 0, 32},                // kAbs32
    {8, 0, 64},                // kAbs64
    {4, 0, 32},                // kRva32
    {4, 0, 32, true},          // kOffset32
    {4, 0, 26, true},          // kArmBranch26
    {4, 5, 19, true},          // kArmBranch19
    {4, 5, 14, true},          // kArmBranch14
    {4, 5, 21, true, true},    // kArmAdr
    {4, 5, 21, true, true},    // kArmPage
    {4, 10, 12},               // kArmLow12
    {4, 10, 12},               // kArmLow12Scaled
    {4, 0, 32},                // kSize32
    {8, 0, 64},                // kSize64
    {8, 0, 64},                // kMachChained: the count is the field's own
    {4, 0, 32},                // kBack32
    {4, 0, 24},                // kOffset24
    {4, 0, 32},                // kFileOffset32
    {4, 0, 24, true},          // kArm32Branch
    {4, 0, 31, true},          // kPrel31
    {3, 0, 21, false, false, true},  // kUleb21
    {4, 0, 28, false, false, true},  // kUleb28
    {3, 0, 21, false, false, true},  // kFileUleb21
    {4, 0, 28, false, false, true},  // kFileUleb28
    {4, 0, 24, true, false, false, true},  // kThumbBranch
    {4, 0, 20, true, false, false, true},  // kThumbCondition
    {4, 8, 24},                // kFileOffset24
};
static_assert(kFieldFormCount == std::size(kNumbers));

constexpr bool sizes_agree() noexcept {
  for (std::size_t i = 0; i < std::size(kNumbers); ++i) {
    if (kNumbers[i].field_bytes != field_bytes(static_cast<FieldForm>(i))) return false;
  }
  return true;
}
static_assert(sizes_agree());

constexpr std::uint64_t kLow12 = 0xFFF;
constexpr unsigned kLargestScale = 4;
constexpr std::uint64_t kArm32PipelineBytes = 8;  // what the program counter is ahead of the instruction that reads it
constexpr std::uint64_t kThumbPipelineBytes = 4;

// False where the form or the field's own count of bits is none.
bool number_bits(const Field& field, NumberBits& bits) noexcept {
  if (static_cast<std::size_t>(field.form) >= kFieldFormCount) return false;
  bits = kNumbers[static_cast<std::size_t>(field.form)];
  if (field.form == FieldForm::kArmLow12Scaled) return field.trailing_bytes <= kLargestScale;
  if (leads_into_file(field.form)) return field.trailing_bytes != 0;
  if (field.form == FieldForm::kThumbBranch) return field.trailing_bytes <= kToArm;
  if (field.form != FieldForm::kMachChained) return true;
  bits.count = field.trailing_bytes & ~kChainedFromBase & 0xFF;
  return bits.count >= 1 && bits.count <= 64;
}

std::uint64_t mask_of(unsigned count) noexcept {
  return count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

std::uint64_t signed_number(std::uint64_t value, unsigned count) noexcept {
  const std::uint64_t sign = std::uint64_t{1} << (count - 1);
  return ((value & mask_of(count)) ^ sign) - sign;
}

std::uint64_t load_field(const std::uint8_t* bytes, unsigned size) noexcept {
  switch (size) {
    case 1: return *bytes;
    case 3: return load_le<std::uint16_t>(bytes) | std::uint64_t{bytes[2]} << 16;
    case 4: return load_le<std::uint32_t>(bytes);
    default: return load_le<std::uint64_t>(bytes);
  }
}

void store_field(std::uint8_t* bytes, unsigned size, std::uint64_t value) noexcept {
  if (size == 8) return store_le(bytes, value);
  if (size == 4) return store_le(bytes, static_cast<std::uint32_t>(value));
  for (unsigned i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(value >> 8 * i);
}

ThumbBranch thumb_branch(const NumberBits& bits) noexcept { return {bits.count - 14u}; }

// The number, extended to 64 bits.
std::uint64_t number_in(std::uint64_t raw, const NumberBits& bits) noexcept {
  std::uint64_t number = raw >> bits.low;
  if (bits.sevens) number = (raw & 0x7F) | (raw & 0x7F00) >> 1 | (raw & 0x7F0000) >> 2 | (raw & 0x7F000000) >> 3;
  if (bits.split) number = number << 2 | (raw >> 29 & 3);
  if (bits.thumb) number = thumb_branch(bits).number(raw);
  return bits.is_signed ? signed_number(number, bits.count) : number & mask_of(bits.count);
}

std::uint64_t with_number(std::uint64_t raw, const NumberBits& bits, std::uint64_t number) noexcept {
  if (bits.sevens) {
    for (unsigned i = 0; i < bits.field_bytes; ++i) {
      raw = (raw & ~(std::uint64_t{0x7F} << 8 * i)) | (number >> 7 * i & 0x7F) << 8 * i;
    }
    return raw;
  }
  if (bits.thumb) return thumb_branch(bits).with_number(raw, number);
  const unsigned apart = bits.split ? 2 : 0;
  const std::uint64_t mask = mask_of(bits.count - apart) << bits.low;
  raw = (raw & ~mask) | (number >> apart << bits.low & mask);
  if (bits.split) raw = (raw & ~(std::uint64_t{3} << 29)) | (number & 3) << 29;
  return raw;
}

std::uint64_t end_of(const Field& field, const FieldOrigin& origin) noexcept {
  return origin.own_address + kNumbers[static_cast<std::size_t>(field.form)].field_bytes + field.trailing_bytes;
}

std::uint64_t chain_base(const Field& field, const FieldOrigin& origin) noexcept {
  return (field.trailing_bytes & kChainedFromBase) != 0 ? origin.base_address : 0;
}

std::uint64_t thumb_origin(const Field& field, const FieldOrigin& origin) noexcept {
  const std::uint64_t counted_from = origin.own_address + kThumbPipelineBytes;
  return field.trailing_bytes == kToArm ? counted_from & ~std::uint64_t{3} : counted_from;
}

std::uint64_t address_of(const Field& field, const FieldOrigin& origin, std::uint64_t number) noexcept {
  switch (field.form) {
    case FieldForm::kRel8:
    case FieldForm::kRel32: return end_of(field, origin) + number;
    case FieldForm::kAbs32:
    case FieldForm::kAbs64: return number;
    case FieldForm::kRva32:
    case FieldForm::kOffset32:
    case FieldForm::kOffset24:
    case FieldForm::kSize32:
    case FieldForm::kSize64:
    case FieldForm::kUleb21:
    case FieldForm::kUleb28: return origin.base_address + number;
    case FieldForm::kArmBranch26:
    case FieldForm::kArmBranch19:
    case FieldForm::kArmBranch14: return origin.own_address + number * 4;
    case FieldForm::kArmAdr: return origin.own_address + number;
    case FieldForm::kArmPage: return (origin.own_address & ~kLow12) + (number << 12) + (field.target_address & kLow12);
    case FieldForm::kArmLow12: return (field.target_address & ~kLow12) + number;
    case FieldForm::kArmLow12Scaled: return (field.target_address & ~kLow12) + (number << field.trailing_bytes);
    case FieldForm::kMachChained: return chain_base(field, origin) + number;
    case FieldForm::kBack32: return origin.own_address - number;
    case FieldForm::kFileUleb21:
    case FieldForm::kFileUleb28:
    case FieldForm::kFileOffset24:
    case FieldForm::kFileOffset32: return origin.base_address + number * field.trailing_bytes;
    case FieldForm::kArm32Branch: return origin.own_address + kArm32PipelineBytes + number * 4;
    case FieldForm::kPrel31: return origin.own_address + number;
    case FieldForm::kThumbBranch:
    case FieldForm::kThumbCondition: return thumb_origin(field, origin) + number * 2;
  }
  return 0;
}

// The inverse of address_of, in 64 bits; false where an address between two units is wanted.
bool number_of(const Field& field, const FieldOrigin& origin, std::uint64_t target, std::uint64_t& number) noexcept {
  const std::uint64_t from_own = target - origin.own_address;
  switch (field.form) {
    case FieldForm::kRel8:
    case FieldForm::kRel32: number = target - end_of(field, origin); return true;
    case FieldForm::kAbs32:
    case FieldForm::kAbs64: number = target; return true;
    case FieldForm::kRva32:
    case FieldForm::kOffset32:
    case FieldForm::kOffset24:
    case FieldForm::kSize32:
    case FieldForm::kSize64:
    case FieldForm::kUleb21:
    case FieldForm::kUleb28: number = target - origin.base_address; return true;
    case FieldForm::kArmBranch26:
    case FieldForm::kArmBranch19:
    case FieldForm::kArmBranch14: number = signed_number(from_own >> 2, 62); return (from_own & 3) == 0;
    case FieldForm::kArmAdr: number = from_own; return true;
    case FieldForm::kArmPage: number = signed_number((target >> 12) - (origin.own_address >> 12), 52); return true;
    case FieldForm::kArmLow12: number = target & kLow12; return true;
    case FieldForm::kArmLow12Scaled:
      number = (target & kLow12) >> field.trailing_bytes;
      return (target & mask_of(field.trailing_bytes)) == 0;
    case FieldForm::kMachChained: number = target - chain_base(field, origin); return true;
    case FieldForm::kBack32: number = origin.own_address - target; return true;
    case FieldForm::kFileUleb21:
    case FieldForm::kFileUleb28:
    case FieldForm::kFileOffset24:
    case FieldForm::kFileOffset32:
      number = (target - origin.base_address) / field.trailing_bytes;
      return (target - origin.base_address) % field.trailing_bytes == 0;
    case FieldForm::kArm32Branch: {
      const std::uint64_t distance = from_own - kArm32PipelineBytes;  // may go round the end of 32 bits
      number = signed_number((origin.bits64 ? distance : signed_number(distance, 32)) >> 2, 62);
      return (from_own & 3) == 0;
    }
    case FieldForm::kPrel31: number = from_own; return true;
    case FieldForm::kThumbBranch:
    case FieldForm::kThumbCondition: {
      const std::uint64_t distance = target - thumb_origin(field, origin);
      number = signed_number((origin.bits64 ? distance : signed_number(distance, 32)) >> 1, 63);
      return (distance & (field.trailing_bytes == kToArm ? 3 : 1)) == 0;
    }
  }
  return false;
}

}  // namespace

bool read_field(ByteSpan file, const FieldOrigin& origin, Field& field) noexcept {
  NumberBits bits;
  if (!number_bits(field, bits) || !range_fits(field.pos, bits.field_bytes, file.size())) return false;
  const std::uint64_t number = number_in(load_field(file.data() + field.pos, bits.field_bytes), bits);
  // A scaled offset of more than a page is no low part of an address.
  if (field.form == FieldForm::kArmLow12Scaled && number << field.trailing_bytes > kLow12) return false;
  // Nor does a BLX lead between two words.
  if (field.form == FieldForm::kThumbBranch && field.trailing_bytes == kToArm && number % 2 != 0) return false;
  const std::uint64_t address = address_of(field, origin, number);
  const bool is_wide = origin.bits64 || leads_into_file(field.form);
  field.target_address = is_wide ? address : address & mask_of(32);
  return true;
}

bool write_field(std::uint8_t* bytes, const Field& field, const FieldOrigin& origin,
                 std::uint64_t target_address) noexcept {
  NumberBits bits;
  std::uint64_t number = 0;
  if (!number_bits(field, bits)) return false;
  const bool is_narrow = !origin.bits64 && !leads_into_file(field.form);
  if (is_narrow && target_address > mask_of(32)) return false;
  if (!number_of(field, origin, target_address, number)) return false;
  if (is_narrow) number = bits.is_signed ? signed_number(number, 32) : number & mask_of(32);
  const std::uint64_t kept = bits.is_signed ? signed_number(number, bits.count) : number & mask_of(bits.count);
  if (kept != number) return false;
  store_field(bytes, bits.field_bytes, with_number(load_field(bytes, bits.field_bytes), bits, number));
  return true;
}

void mask_field(std::uint8_t* bytes, const Field& field, std::uint64_t number) noexcept {
  NumberBits bits;
  if (!number_bits(field, bits)) return;
  store_field(bytes, bits.field_bytes, with_number(load_field(bytes, bits.field_bytes), bits, number));
}

}  // namespace bdelta::exe
