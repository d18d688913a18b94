// A field is a shape (all of it that repeats: form, kind, …), the distance from the field before, and, where its bytes don't
// tell, the distance of its base or of its target from that of the field of this shape before. Shapes are numbered as they
// appear; the first field of one brings it along. Numbers are those of base/varint.
#include "exe/packed_fields.hpp"

#include <algorithm>
#include <array>

#include "base/varint.hpp"
#include "exe/field_codec.hpp"

namespace bdelta::exe {
namespace {

constexpr std::size_t kMostShapes = 128;
constexpr std::uint8_t kUnnumbered = 255;  // a shape for this field only, as all numbers are given
constexpr std::uint8_t kHasBase = 1;       // Field::base_delta is not 0
constexpr std::uint8_t kHasTarget = 2;     // the file's bytes don't tell it

struct Shape {
  FieldForm form = FieldForm::kRel32;
  FieldKind kind = FieldKind::kOther;
  std::uint8_t trailing_bytes = 0;
  std::uint8_t image = 0;
  std::uint8_t flags = 0;
  bool operator==(const Shape&) const = default;
};
constexpr std::size_t kShapeBytes = 5;

// Instructions that hold an address together are told by what the one before led to.
constexpr bool is_part_of_address(FieldForm form) noexcept {
  return form == FieldForm::kArmPage || form == FieldForm::kArmLow12 || form == FieldForm::kArmLow12Scaled;
}

// What both directions remember.
struct History {
  std::array<Shape, kMostShapes + 1> shapes;  // the last one is that of the field that has a shape without a number
  std::array<std::uint64_t, kMostShapes + 2> targets{};  // by shape; then of those without a number, and of parts
  std::size_t shape_count = 0;
  std::uint64_t pos = 0;
  std::uint64_t base = 0;

  std::uint64_t& last_target(std::size_t shape, FieldForm form) noexcept {
    if (is_part_of_address(form)) return targets[kMostShapes + 1];
    return targets[shape];
  }
};

// Sets where the field leads from its bytes. False where they alone don't tell.
bool read_target(const PackScope& scope, Field& field) noexcept {
  FieldPlace place;
  const Image& image = scope.images[field.image];
  place.bits64 = image.bits64;
  switch (field.form) {
    case FieldForm::kRel8:
    case FieldForm::kRel32:
    case FieldForm::kArmBranch26:
    case FieldForm::kArmBranch19:
    case FieldForm::kArmBranch14:
    case FieldForm::kArmAdr:
    case FieldForm::kArm32Branch:
      if (scope.address == PackScope::kNoAddress) return false;
      place.own_address = scope.address + (field.pos - scope.pos);
      break;
    case FieldForm::kAbs32:
    case FieldForm::kAbs64: break;
    case FieldForm::kRva32:
    case FieldForm::kMachChained:
    case FieldForm::kUleb21:
    case FieldForm::kUleb28: place.base_address = image.base_address; break;
    case FieldForm::kFileOffset32:
    case FieldForm::kFileUleb21:
    case FieldForm::kFileUleb28: place.base_address = kFileSpace + base_pos(field); break;
    default: return false;
  }
  return read_field(scope.file, place, field);
}

// How a target is read: by a few instructions for the forms that most fields have.
enum class Way : std::uint8_t { kRel32, kRel8, kAbs64, kArmBranch26, kArmBranch19, kOther };

Way way_of(FieldForm form, const PackScope& scope, bool bits64) noexcept {
  if (bits64 && form == FieldForm::kAbs64) return Way::kAbs64;
  if (!bits64 || scope.address == PackScope::kNoAddress) return Way::kOther;
  switch (form) {
    case FieldForm::kRel32: return Way::kRel32;
    case FieldForm::kRel8: return Way::kRel8;
    case FieldForm::kArmBranch26: return Way::kArmBranch26;
    case FieldForm::kArmBranch19: return Way::kArmBranch19;
    default: return Way::kOther;
  }
}

// Bits [low, low + count) of an instruction, as a number of bytes that counts words.
template <unsigned low, unsigned count>
std::uint64_t words_in(std::uint32_t instruction) noexcept {
  const auto number = static_cast<std::int32_t>(instruction << (32 - low - count)) >> (32 - count);
  return static_cast<std::uint64_t>(std::int64_t{number} * 4);
}

// Like read_target, for a field whose bytes are in the file.
inline bool read_target_by(Way way, const PackScope& scope, Field& field) noexcept {
  const std::uint8_t* const bytes = scope.file.data() + field.pos;
  const std::uint64_t own = scope.address + (field.pos - scope.pos);
  switch (way) {
    case Way::kRel32:
      field.target_address = own + 4 + field.trailing_bytes + sign_extended(load_le<std::uint32_t>(bytes));
      return true;
    case Way::kRel8: {
      const std::int64_t distance = static_cast<std::int8_t>(*bytes);
      field.target_address = own + 1 + field.trailing_bytes + static_cast<std::uint64_t>(distance);
      return true;
    }
    case Way::kAbs64: field.target_address = load_le<std::uint64_t>(bytes); return true;
    case Way::kArmBranch26: field.target_address = own + words_in<0, 26>(load_le<std::uint32_t>(bytes)); return true;
    case Way::kArmBranch19: field.target_address = own + words_in<5, 19>(load_le<std::uint32_t>(bytes)); return true;
    case Way::kOther: break;
  }
  return read_target(scope, field);
}

constexpr std::size_t kMostFieldBytes = 1 + kShapeBytes + 3 * kMaxVarintBytes;

class Packer {
 public:
  // Writes to `at`, which has room for kMaxVarintBytes and kMostFieldBytes a field.
  Packer(const PackScope& scope, std::uint8_t* at) : scope_(scope), at_(at) { history_.pos = scope.pos; }

  std::uint8_t* pack(std::span<const Field> fields) {
    at_ = store_varint(at_, fields.size());
    for (const Field& field : fields) add(field);
    return at_;
  }

 private:
  void add(const Field& field) {
    Field read = field;
    const bool is_told = read_target_by(way_of(field.form, scope_, scope_.images[field.image].bits64), scope_, read) &&
                         read.target_address == field.target_address;
    const Shape shape{field.form, field.kind, field.trailing_bytes, field.image,
                      static_cast<std::uint8_t>((field.base_delta != 0 ? kHasBase : 0) | (is_told ? 0 : kHasTarget))};
    const std::size_t slot = put_shape(shape);
    put_difference(field.pos, history_.pos);
    if ((shape.flags & kHasBase) != 0) put_difference(base_pos(field), history_.base);
    if (!is_told) put_difference(field.target_address, history_.last_target(slot, field.form));
  }

  std::size_t put_shape(const Shape& shape) {
    std::uint8_t& guess = guess_[(static_cast<unsigned>(shape.kind) * 5u + static_cast<unsigned>(shape.form) +
                                  shape.trailing_bytes * 16u + shape.flags) % guess_.size()];
    std::size_t slot = guess;
    if (slot >= history_.shape_count || history_.shapes[slot] != shape) {
      for (slot = 0; slot < history_.shape_count && history_.shapes[slot] != shape;) ++slot;
    }
    const bool is_new = slot == history_.shape_count;
    *at_++ = slot < kMostShapes ? static_cast<std::uint8_t>(slot) : kUnnumbered;
    if (is_new) {
      history_.shapes[slot] = shape;
      if (slot < kMostShapes) ++history_.shape_count;
      *at_++ = static_cast<std::uint8_t>(shape.form);
      *at_++ = static_cast<std::uint8_t>(shape.kind);
      *at_++ = shape.trailing_bytes;
      *at_++ = shape.image;
      *at_++ = shape.flags;
    }
    if (slot < kMostShapes) guess = static_cast<std::uint8_t>(slot);
    return slot;
  }

  // And `before` becomes `now`.
  void put_difference(std::uint64_t now, std::uint64_t& before) {
    at_ = store_varint(at_, zigzag(static_cast<std::int64_t>(now - before)));
    before = now;
  }

  const PackScope& scope_;
  std::uint8_t* at_;
  History history_;
  std::array<std::uint8_t, 64> guess_{};
};

// Reads what Packer wrote in memory: nothing is checked.
class Unpacker {
 public:
  Unpacker(const PackScope& scope, ByteSpan packed) : scope_(scope), packed_(packed), at_(packed.data()) {
    history_.pos = scope.pos;
  }

  ByteSpan unpack(std::vector<Field>& to) {
    const std::size_t first = to.size();
    to.resize(first + static_cast<std::size_t>(load_varint(at_)));
    Field* const end = to.data() + to.size();
    for (Field* field = to.data() + first; field != end; ++field) {
      const std::size_t slot = std::min<std::size_t>(*at_++, kMostShapes);
      if (slot >= history_.shape_count) read_shape(slot);
      const Shape shape = history_.shapes[slot];
      history_.pos = from(history_.pos);
      *field = {history_.pos, 0, 0, shape.form, shape.kind, shape.trailing_bytes, shape.image};
      if ((shape.flags & kHasBase) != 0) {
        history_.base = from(history_.base);
        field->base_delta = static_cast<std::uint32_t>(history_.pos - history_.base);
      }
      if ((shape.flags & kHasTarget) != 0) {
        std::uint64_t& target = history_.last_target(slot, shape.form);
        field->target_address = target = from(target);
      } else {
        (void)read_target_by(ways_[slot], scope_, *field);
      }
    }
    return packed_.subspan(static_cast<std::size_t>(at_ - packed_.data()));
  }

 private:
  std::uint64_t from(std::uint64_t before) noexcept {
    return before + static_cast<std::uint64_t>(unzigzag(load_varint(at_)));
  }

  void read_shape(std::size_t slot) noexcept {
    const Shape shape{static_cast<FieldForm>(at_[0]), static_cast<FieldKind>(at_[1]), at_[2], at_[3], at_[4]};
    at_ += kShapeBytes;
    history_.shapes[slot] = shape;
    ways_[slot] = way_of(shape.form, scope_, scope_.images[shape.image].bits64);
    if (slot < kMostShapes) ++history_.shape_count;
  }

  const PackScope& scope_;
  ByteSpan packed_;
  const std::uint8_t* at_;
  History history_;
  std::array<Way, kMostShapes + 1> ways_;
};

}  // namespace

void pack_fields(const PackScope& scope, std::span<const Field> fields, Bytes& to) {
  const std::size_t before = to.size();
  to.resize(before + kMaxVarintBytes + fields.size() * kMostFieldBytes);
  const std::uint8_t* const end = Packer(scope, to.data() + before).pack(fields);
  to.resize(static_cast<std::size_t>(end - to.data()));
}

ByteSpan unpack_fields(const PackScope& scope, ByteSpan packed, std::vector<Field>& to) {
  return Unpacker(scope, packed).unpack(to);
}

}  // namespace bdelta::exe
