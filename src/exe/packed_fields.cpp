// A field is the number of its shape and the distance from the field before. Where its bytes don't tell, it also has the
// distance of its base or of its target from that of the field of this shape before. Numbers are those of base/varint.
#include "exe/packed_fields.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/varint.hpp"
#include "exe/field_codec.hpp"

namespace bdelta::exe {
namespace {

constexpr std::size_t kMostShapes = 250;
constexpr std::uint8_t kUnnumbered = 255;  // a shape for this field only, as all numbers are given; it follows
constexpr std::size_t kShapeBytes = 5;
constexpr std::uint8_t kHasBase = 1;    // Field::base_delta is not 0
constexpr std::uint8_t kHasTarget = 2;  // the file's bytes don't tell it

// Where the fields before led, which both directions remember.
class LastTargets {
 public:
  LastTargets(const PackScope& scope, std::size_t shape_count) : first_(scope.address) {
    std::fill_n(targets_.begin(), kBeforeShapes + shape_count, first_);
  }

  void add_shape(std::size_t slot) noexcept { targets_[kBeforeShapes + slot] = first_; }

  // Of a shape's number, or kUnnumbered.
  std::uint64_t& of(std::size_t slot, FieldForm form) noexcept {
    // Instructions that hold an address together are told by what the one before led to.
    if (traits_of(form).part != AddressPart::kWhole) return targets_[0];
    return slot < kMostShapes ? targets_[kBeforeShapes + slot] : targets_[1];
  }

 private:
  static constexpr std::size_t kBeforeShapes = 2;

  std::uint64_t first_;
  std::array<std::uint64_t, kBeforeShapes + kMostShapes> targets_;
};

// Sets where the field leads from its bytes. False where they alone don't tell.
bool read_target(const PackScope& scope, Field& field) noexcept {
  FieldOrigin place;
  const Image& image = scope.images[scope.image];
  place.bits64 = image.bits64;
  switch (traits_of(field.form).counts_from) {
    case CountsFrom::kNothing: break;
    case CountsFrom::kOwnAddress:
      if (scope.address == PackScope::kNoAddress) return false;
      place.own_address = scope.address + (field.pos - scope.pos);
      break;
    case CountsFrom::kImageBase: place.base_address = image.base_address; break;
    case CountsFrom::kFile: place.base_address = kFileSpace + base_pos(field); break;
    case CountsFrom::kBase:
    case CountsFrom::kOther: return false;
  }
  return read_field(scope.file, place, field);
}

// How a target is read: by a few instructions for the forms that most fields have.
enum class Reading : std::uint8_t { kRel32, kRel8, kAbs64, kArmBranch26, kArmBranch19, kOther };

Reading reading_of(FieldForm form, const PackScope& scope, bool bits64) noexcept {
  if (bits64 && form == FieldForm::kAbs64) return Reading::kAbs64;
  if (!bits64 || scope.address == PackScope::kNoAddress) return Reading::kOther;
  switch (form) {
    case FieldForm::kRel32: return Reading::kRel32;
    case FieldForm::kRel8: return Reading::kRel8;
    case FieldForm::kArmBranch26: return Reading::kArmBranch26;
    case FieldForm::kArmBranch19: return Reading::kArmBranch19;
    default: return Reading::kOther;
  }
}

// Bits [low, low + count) of an instruction, as a number of bytes that counts words.
template <unsigned low, unsigned count>
std::uint64_t words_in(std::uint32_t instruction) noexcept {
  const auto number = static_cast<std::int32_t>(instruction << (32 - low - count)) >> (32 - count);
  return static_cast<std::uint64_t>(std::int64_t{number} * 4);
}

// Like read_target, for a field whose bytes are in the file.
inline bool read_target_by(Reading reading, const PackScope& scope, Field& field) noexcept {
  const std::uint8_t* const bytes = scope.file.data() + field.pos;
  const std::uint64_t own = scope.address + (field.pos - scope.pos);
  switch (reading) {
    case Reading::kRel32:
      field.target_address = own + 4 + field.trailing_bytes + sign_extended(load_le<std::uint32_t>(bytes));
      return true;
    case Reading::kRel8: {
      const std::int64_t distance = static_cast<std::int8_t>(*bytes);
      field.target_address = own + 1 + field.trailing_bytes + static_cast<std::uint64_t>(distance);
      return true;
    }
    case Reading::kAbs64: field.target_address = load_le<std::uint64_t>(bytes); return true;
    case Reading::kArmBranch26: field.target_address = own + words_in<0, 26>(load_le<std::uint32_t>(bytes)); return true;
    case Reading::kArmBranch19: field.target_address = own + words_in<5, 19>(load_le<std::uint32_t>(bytes)); return true;
    case Reading::kOther: break;
  }
  Field read = field;  // a copy, so that what the other readings fill in stays in registers
  const bool is_read = read_target(scope, read);
  field.target_address = read.target_address;
  return is_read;
}

constexpr unsigned kKeyBits = 8 * kShapeBytes;
constexpr std::uint64_t kKeyMask = (std::uint64_t{1} << kKeyBits) - 1;
constexpr unsigned kMetBits = 6;

// A shape as a number, the bytes of which shape_at reads.
std::uint64_t key_of(const FieldShape& shape) noexcept {
  return static_cast<std::uint64_t>(shape.form) | static_cast<std::uint64_t>(shape.kind) << 8 |
         std::uint64_t{shape.trailing_bytes} << 16 | std::uint64_t{shape.flags} << 24 |
         std::uint64_t{shape.reading} << 32;
}

constexpr std::size_t kMostFieldBytes = 1 + kShapeBytes + 3 * kMaxVarintBytes;
constexpr std::size_t kBatchFields = 64;

class Packer {
 public:
  Packer(const PackScope& scope, FieldShapes& shapes)
      : scope_(scope), shapes_(shapes), pos_(scope.pos), targets_(scope, shapes.size()) {
    met_.fill(kKeyMask);  // which no shape has
  }

  void pack(std::span<const Field> fields, Bytes& to) {
    append_varint(to, fields.size());
    while (!fields.empty()) {
      const std::span<const Field> batch = fields.first(std::min(fields.size(), kBatchFields));
      at_ = batch_.data();
      for (const Field& field : batch) add(field);
      append(to, {batch_.data(), static_cast<std::size_t>(at_ - batch_.data())});
      fields = fields.subspan(batch.size());
    }
  }

 private:
  void add(const Field& field) {
    Field read = field;
    const Reading reading = reading_of(field.form, scope_, scope_.images[scope_.image].bits64);
    const bool is_read = read_target_by(reading, scope_, read) && read.target_address == field.target_address;
    const int flags = (field.base_delta != 0 ? kHasBase : 0) | (is_read ? 0 : kHasTarget);
    const FieldShape shape{field.form, field.kind, field.trailing_bytes, static_cast<std::uint8_t>(flags),
                           static_cast<std::uint8_t>(reading)};
    const std::size_t slot = put_shape(shape);
    put_difference(field.pos, pos_);
    if ((flags & kHasBase) != 0) put_difference(base_pos(field), base_);
    if ((flags & kHasTarget) != 0) put_difference(field.target_address, targets_.of(slot, field.form));
  }

  // Nearly all fields are of a shape that was met before: its number is found without a look at the list.
  std::size_t put_shape(const FieldShape& shape) {
    const std::uint64_t key = key_of(shape);
    std::uint64_t& met = met_[(key * 0x9E3779B97F4A7C15u) >> (64 - kMetBits)];
    if ((met & kKeyMask) != key) return put_new_shape(shape, key, met);
    const auto slot = static_cast<std::uint8_t>(met >> kKeyBits);
    *at_++ = slot;
    return slot;
  }

  std::size_t put_new_shape(const FieldShape& shape, std::uint64_t key, std::uint64_t& met) {
    const auto slot = static_cast<std::size_t>(std::find(shapes_.begin(), shapes_.end(), shape) - shapes_.begin());
    if (slot >= kMostShapes) {
      *at_++ = kUnnumbered;
      for (unsigned i = 0; i < kShapeBytes; ++i) *at_++ = static_cast<std::uint8_t>(key >> (8 * i));
      return kUnnumbered;
    }
    if (slot == shapes_.size()) {
      shapes_.push_back(shape);
      targets_.add_shape(slot);
    }
    met = key | std::uint64_t{slot} << kKeyBits;
    *at_++ = static_cast<std::uint8_t>(slot);
    return slot;
  }

  // And `before` becomes `now`.
  void put_difference(std::uint64_t now, std::uint64_t& before) {
    at_ = store_varint(at_, zigzag(static_cast<std::int64_t>(now - before)));
    before = now;
  }

  const PackScope& scope_;
  FieldShapes& shapes_;
  std::uint8_t* at_ = nullptr;  // in the batch
  std::uint64_t pos_;           // of the field before
  std::uint64_t base_ = 0;
  LastTargets targets_;
  std::array<std::uint64_t, std::size_t{1} << kMetBits> met_;  // keys of shapes, with their numbers above
  std::array<std::uint8_t, kBatchFields * kMostFieldBytes> batch_;
};

FieldShape shape_at(const std::uint8_t* at) noexcept {
  return {static_cast<FieldForm>(at[0]), static_cast<FieldKind>(at[1]), at[2], at[3], at[4]};
}

// Moves `at` behind a difference.
std::uint64_t after(std::uint64_t before, const std::uint8_t*& at) noexcept {
  return before + static_cast<std::uint64_t>(unzigzag(load_varint(at)));
}

}  // namespace

void pack_fields(const PackScope& scope, std::span<const Field> fields, FieldShapes& shapes, Bytes& to) {
  Packer(scope, shapes).pack(fields, to);
}

// Reads what Packer wrote in memory: nothing is checked.
ByteSpan unpack_fields(const PackScope& scope, const FieldShapes& shapes, ByteSpan packed, std::vector<Field>& to) {
  const std::uint8_t* at = packed.data();
  LastTargets targets(scope, shapes.size());
  std::uint64_t pos = scope.pos;
  std::uint64_t base = 0;
  const auto count = static_cast<std::size_t>(load_varint(at));
  to.resize(to.size() + count);
  for (Field& field : std::span(to).last(count)) {
    const std::size_t slot = *at++;
    const FieldShape shape = slot != kUnnumbered ? shapes[slot] : shape_at(std::exchange(at, at + kShapeBytes));
    pos = after(pos, at);
    field = {pos, 0, 0, shape.form, shape.kind, shape.trailing_bytes, scope.image};
    if ((shape.flags & kHasBase) != 0) {
      base = after(base, at);
      field.base_delta = static_cast<std::uint32_t>(pos - base);
    }
    if ((shape.flags & kHasTarget) != 0) {
      std::uint64_t& target = targets.of(slot, shape.form);
      field.target_address = target = after(target, at);
    } else {
      (void)read_target_by(static_cast<Reading>(shape.reading), scope, field);
    }
  }
  return packed.subspan(static_cast<std::size_t>(at - packed.data()));
}

}  // namespace bdelta::exe
