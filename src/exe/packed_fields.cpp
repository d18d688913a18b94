// A field is a shape (all of it that repeats: form, kind, …), the distance from the field before, and, where its bytes don't
// tell, the distance of its base or of its target from that of the field of this shape before. Shapes are numbered as they
// appear; the first field of one brings it along. Numbers are LEB128, signed ones with the sign in the lowest bit.
#include "exe/packed_fields.hpp"

#include <array>

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
  std::array<Shape, kMostShapes> shapes{};
  std::array<std::uint64_t, kMostShapes + 2> targets{};  // by shape; then of those without a number, and of parts
  std::size_t shape_count = 0;
  std::uint64_t pos = 0;
  std::uint64_t base = 0;

  std::uint64_t& last_target(std::size_t shape, FieldForm form) noexcept {
    if (is_part_of_address(form)) return targets[kMostShapes + 1];
    return targets[shape < kMostShapes ? shape : kMostShapes];
  }
};

constexpr std::uint64_t sign_extended32(std::uint32_t number) noexcept {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(number)});
}

std::uint64_t base_of(const Field& field) noexcept { return field.pos - sign_extended32(field.base_delta); }

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
    case FieldForm::kFileUleb28: place.base_address = kFileSpace + base_of(field); break;
    default: return false;
  }
  return read_field(scope.file, place, field);
}

// The same of a field whose bytes are known to tell, without detours for the forms that most fields have.
inline void read_told_target(const PackScope& scope, Field& field) noexcept {
  const std::uint8_t* const bytes = scope.file.data() + field.pos;
  const bool bits64 = scope.images[field.image].bits64;
  const std::uint64_t end = scope.address + (field.pos - scope.pos) + field.trailing_bytes + field_bytes(field.form);
  std::uint64_t address = 0;
  switch (field.form) {
    case FieldForm::kRel32: address = end + sign_extended32(load_le<std::uint32_t>(bytes)); break;
    case FieldForm::kRel8: address = end + static_cast<std::uint64_t>(std::int64_t{static_cast<std::int8_t>(*bytes)}); break;
    case FieldForm::kAbs64: address = load_le<std::uint64_t>(bytes); break;
    case FieldForm::kFileOffset32:
      field.target_address =
          kFileSpace + base_of(field) + std::uint64_t{load_le<std::uint32_t>(bytes)} * field.trailing_bytes;
      return;
    default: (void)read_target(scope, field); return;
  }
  field.target_address = bits64 ? address : address & 0xffffffff;
}

void append_number(Bytes& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) to.push_back(static_cast<std::uint8_t>(number | 0x80));
  to.push_back(static_cast<std::uint8_t>(number));
}

void append_difference(Bytes& to, std::uint64_t now, std::uint64_t before) {
  const std::uint64_t difference = now - before;
  append_number(to, difference << 1 ^ (0 - (difference >> 63)));
}

// Reads what this file wrote in memory: nothing is checked.
struct PackedReader {
  const std::uint8_t* at;

  std::uint64_t number() noexcept {
    if (*at < 0x80) return *at++;
    std::uint64_t number = *at & 0x7f;
    for (unsigned shift = 7; (*at++ & 0x80) != 0; shift += 7) number |= std::uint64_t{*at & 0x7fu} << shift;
    return number;
  }
  std::uint64_t from(std::uint64_t before) noexcept {
    const std::uint64_t coded = number();
    return before + (coded >> 1 ^ (0 - (coded & 1)));
  }
  Shape shape() noexcept {
    const Shape shape{static_cast<FieldForm>(at[0]), static_cast<FieldKind>(at[1]), at[2], at[3], at[4]};
    at += kShapeBytes;
    return shape;
  }
};

class Packer {
 public:
  Packer(const PackScope& scope, Bytes& to) : scope_(scope), to_(to) { history_.pos = scope.pos; }

  void add(const Field& field) {
    Field read = field;
    const bool is_told = read_target(scope_, read) && read.target_address == field.target_address;
    const Shape shape{field.form, field.kind, field.trailing_bytes, field.image,
                      static_cast<std::uint8_t>((field.base_delta != 0 ? kHasBase : 0) | (is_told ? 0 : kHasTarget))};
    const std::size_t number = add_shape(shape);
    append_difference(to_, field.pos, history_.pos);
    history_.pos = field.pos;
    if (field.base_delta != 0) {
      append_difference(to_, base_of(field), history_.base);
      history_.base = base_of(field);
    }
    if (is_told) return;
    std::uint64_t& target = history_.last_target(number, field.form);
    append_difference(to_, field.target_address, target);
    target = field.target_address;
  }

 private:
  std::size_t add_shape(const Shape& shape) {
    std::uint8_t& guess = guess_[(static_cast<unsigned>(shape.kind) * 5u + static_cast<unsigned>(shape.form) +
                                  shape.trailing_bytes * 16u + shape.flags) % guess_.size()];
    std::size_t number = guess;
    if (number >= history_.shape_count || history_.shapes[number] != shape) {
      for (number = 0; number < history_.shape_count && history_.shapes[number] != shape;) ++number;
    }
    const bool is_new = number == history_.shape_count;
    if (is_new && number < kMostShapes) history_.shapes[history_.shape_count++] = shape;
    to_.push_back(number < kMostShapes ? static_cast<std::uint8_t>(number) : kUnnumbered);
    if (is_new) {
      to_.insert(to_.end(), {static_cast<std::uint8_t>(shape.form), static_cast<std::uint8_t>(shape.kind),
                             shape.trailing_bytes, shape.image, shape.flags});
    }
    if (number < kMostShapes) guess = static_cast<std::uint8_t>(number);
    return number;
  }

  const PackScope& scope_;
  Bytes& to_;
  History history_;
  std::array<std::uint8_t, 64> guess_{};
};

}  // namespace

void pack_fields(const PackScope& scope, std::span<const Field> fields, Bytes& to) {
  append_number(to, fields.size());
  Packer packer(scope, to);
  for (const Field& field : fields) packer.add(field);
}

ByteSpan unpack_fields(const PackScope& scope, ByteSpan packed, std::vector<Field>& to) {
  PackedReader reader{packed.data()};
  History history;
  history.pos = scope.pos;
  const std::size_t first = to.size();
  to.resize(first + static_cast<std::size_t>(reader.number()));
  for (std::size_t i = first; i < to.size(); ++i) {
    const std::size_t number = *reader.at++;
    const bool is_new = number == history.shape_count || number == kUnnumbered;
    const Shape shape = is_new ? reader.shape() : history.shapes[number];
    if (is_new && number != kUnnumbered) history.shapes[history.shape_count++] = shape;
    Field& field = to[i];
    field.form = shape.form;
    field.kind = shape.kind;
    field.trailing_bytes = shape.trailing_bytes;
    field.image = shape.image;
    field.pos = history.pos = reader.from(history.pos);
    if ((shape.flags & kHasBase) != 0) {
      history.base = reader.from(history.base);
      field.base_delta = static_cast<std::uint32_t>(field.pos - history.base);
    }
    if ((shape.flags & kHasTarget) != 0) {
      std::uint64_t& target = history.last_target(number, shape.form);
      field.target_address = target = reader.from(target);
    } else {
      read_told_target(scope, field);
    }
  }
  return packed.subspan(static_cast<std::size_t>(reader.at - packed.data()));
}

}  // namespace bdelta::exe
