// Fields kept in two to six bytes each instead of 32, as a large program has millions of them. What a field's own bytes in
// the file tell is not kept: where it leads is read again where its form allows that, and kept as a difference elsewhere.
// A matter of memory alone: what comes out is what went in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "exe/field.hpp"
#include "exe/image.hpp"

namespace bdelta::exe {

// A vector's own memory, as it is with 64 bits wherever memory is reckoned: a patch tells it.
inline constexpr std::uint64_t kVectorBytes = 24;

// The stretch of a file that fields are packed for.
struct PackScope {
  static constexpr std::uint64_t kNoAddress = ~std::uint64_t{0};

  ByteSpan file;                       // not owned
  std::span<const Image> images;       // not owned
  std::uint32_t image = 0;             // which of them all fields are of
  std::uint64_t pos = 0;               // where the stretch begins
  std::uint64_t address = kNoAddress;  // of that byte, if all of the stretch follows one another in memory
};

// All of a field that repeats.
struct FieldShape {
  FieldForm form = FieldForm::kRel32;
  FieldKind kind = FieldKind::kOther;
  std::uint8_t trailing_bytes = 0;
  std::uint8_t flags = 0;  // what else is kept of such a field
  std::uint8_t reading = 0;  // how its target is read
  bool operator==(const FieldShape&) const = default;
};

// By number. What was packed with them is unpacked with them, or with what they have become by packing more.
using FieldShapes = std::vector<FieldShape>;

// Appends the fields to `to`, in their order, whatever that is. Their bytes must lie in the file.
void pack_fields(const PackScope& scope, std::span<const Field> fields, FieldShapes& shapes, Bytes& to);

// Appends the fields to `to` that pack_fields wrote for the same scope at the beginning of `packed`; gives what follows
// them. The file's bytes may have changed since: other addresses come out then, at the same positions.
[[nodiscard]] ByteSpan unpack_fields(const PackScope& scope, const FieldShapes& shapes, ByteSpan packed,
                                     std::vector<Field>& to);

}  // namespace bdelta::exe
