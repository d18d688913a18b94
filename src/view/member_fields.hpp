// What stands beside a stream and follows from it: its checksum and sizes, in a header in front of it or in a record behind it.
// In a view there is 0 in the place of what is right. FORMAT.md, "View".
#pragma once

#include <optional>

#include "view/packed_streams.hpp"

namespace bdelta::view {

inline constexpr std::uint64_t kMostHeadBytes = 1024;                          // in front of a stream, that are looked at
inline constexpr std::uint64_t kMostFieldsBehindBytes = 16;                    // behind it
inline constexpr std::uint64_t kMostCheckedBytes = std::uint64_t{1} << 20;    // packed, of a stream whose checksums are told

enum class FieldKind : std::uint8_t { kNone, kZipHeader, kZipDescriptor, kGzipTrailer, kZlibTrailer };

struct FieldPlace {
  FieldKind kind = FieldKind::kNone;
  std::size_t pos = 0;  // of a zip header, in what stands in front of the stream

  bool operator==(const FieldPlace&) const = default;
};

// By the bytes in front of a stream, up to that before or the file's start; no more than the last kMostHeadBytes are looked at.
[[nodiscard]] FieldPlace find_fields(ByteSpan gap) noexcept;

// What the fields are to say. Sizes are modulo 2^32.
struct MemberFields {
  std::optional<std::uint32_t> crc;  // nothing: whatever stands there is right
  std::uint64_t packed_bytes = 0;
  std::uint64_t raw_bytes = 0;
  std::uint32_t adler = 0;           // where crc is given

  // Whether checksums are told: of more bytes they take time and memory, and are no more than 4 bytes.
  [[nodiscard]] bool tells_crc() const noexcept { return packed_bytes <= kMostCheckedBytes; }
};

// Puts 0 in the place of what is right, and what is right in the place of 0. `head` begins with a zip header.
void swap_sizes_in_front(MutableByteSpan head, const MemberFields& fields) noexcept;
void swap_crc_in_front(MutableByteSpan head, const MemberFields& fields) noexcept;
void swap_behind(FieldKind kind, MutableByteSpan behind, const MemberFields& fields) noexcept;

// Makes what stands in a view around its streams.
class GapTeller {
 public:
  // Appends the bytes between two streams, or at an end of the file. `next`: of the stream behind; null without one, or one
  // that has no fields. False if
  // its checksums are given and its fields could not be found again by what was appended.
  bool add(ByteSpan gap, const MemberFields* next, Bytes& view);

  // Of the stream behind the last gap, where they were not known yet: what stands behind it needs them.
  void set_fields(const MemberFields& fields) noexcept { fields_ = fields; }

 private:
  FieldKind kind_ = FieldKind::kNone;  // of the stream in front
  MemberFields fields_;
};

}  // namespace bdelta::view
