// Bytes of the target that follow from other bytes of it, so that who applies a patch can compute them. These are
// digests of files in a list, digests of pages in a signed program, and checksums of tar headers. The patch says where
// they stand and of what they are (FORMAT.md, Fills). Windows have any bytes in their place.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/error.hpp"

namespace bdelta {

// Their numbers are those of the format.
enum class FillFunction : std::uint8_t { kSha256 = 0, kTarChecksum = 1 };
enum class FillEncoding : std::uint8_t {
  kRaw = 0,           // as they are
  kBase64Url = 1,     // without padding (RFC 4648, section 5)
  kSixNulSpace = 2,   // six octal digits, a zero byte, a space: GNU tar, bsdtar, Python, Go
  kSixSpaceNul = 3,   // six octal digits, a space, a zero byte: npm and other descendants of Unix
  kSevenNul = 4,      // seven octal digits, a zero byte: Rust's tar
  kBase64 = 5,        // with padding (RFC 4648, section 4)
};
enum class FillShape : std::uint8_t {
  kWhole = 0,       // a range is the input of one fill
  kPages = 1,       // each page of a range is the input of one
  kTarHeaders = 2,  // each header among the blocks of a range has one
};

struct FillKind {
  FillFunction function = FillFunction::kSha256;
  FillEncoding encoding = FillEncoding::kRaw;
  FillShape shape = FillShape::kPages;
  std::uint32_t result_bytes = 0;  // of a result as it is written
  bool operator==(const FillKind&) const = default;
};

inline constexpr std::size_t kDigestBytes = 32;
inline constexpr std::size_t kDigestTextBytes = 43;
inline constexpr std::size_t kPaddedDigestBytes = 44;
inline constexpr FillKind kPageDigests{FillFunction::kSha256, FillEncoding::kRaw, FillShape::kPages, kDigestBytes};
inline constexpr FillKind kListedDigests{FillFunction::kSha256, FillEncoding::kBase64Url, FillShape::kWhole,
                                         kDigestTextBytes};
inline constexpr FillKind kPaddedDigests{FillFunction::kSha256, FillEncoding::kBase64, FillShape::kWhole,
                                         kPaddedDigestBytes};
constexpr FillKind tar_checksums(FillEncoding form) { return {FillFunction::kTarChecksum, form, FillShape::kTarHeaders, 8}; }

// All that are known.
inline constexpr FillKind kFillKinds[] = {kPageDigests, kListedDigests, kPaddedDigests, tar_checksums(FillEncoding::kSixNulSpace),
                                          tar_checksums(FillEncoding::kSixSpaceNul), tar_checksums(FillEncoding::kSevenNul)};

// Positions of the target, in bytes.
struct FillRange {
  std::uint64_t pos = 0;
  std::uint64_t bytes = 0;
  std::uint64_t place_pos = 0;  // of the results, one behind the other

  [[nodiscard]] std::uint64_t end() const noexcept { return pos + bytes; }
  bool operator==(const FillRange&) const = default;
};

// Positions of the target.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// In the order of the target; those that share bytes are one.
[[nodiscard]] std::vector<Stretch> joined(std::vector<Stretch> stretches);

// Fills of one kind. Ranges stand in the order of the target and share no byte.
struct FillRule {
  static constexpr unsigned kMinPageLog = 12;
  static constexpr unsigned kMaxPageLog = 16;

  FillKind kind;
  unsigned page_log = 0;  // of pages alone
  std::vector<FillRange> ranges;

  // Whether ranges have places, where results stand; tar headers hold theirs themselves.
  [[nodiscard]] bool has_places() const noexcept { return kind.shape != FillShape::kTarHeaders; }

  // Of each result but the last one of a range.
  [[nodiscard]] std::uint64_t input_bytes(const FillRange& range) const noexcept;

  // At the place of the range; 0 where it has none.
  [[nodiscard]] std::uint64_t result_count(const FillRange& range) const noexcept;
  [[nodiscard]] std::uint64_t place_bytes(const FillRange& range) const noexcept {
    return result_count(range) * kind.result_bytes;
  }
  [[nodiscard]] std::uint64_t place_end(const FillRange& range) const noexcept {
    return range.place_pos + place_bytes(range);
  }
  [[nodiscard]] bool is_in_front(const FillRange& range) const noexcept { return has_places() && range.place_pos < range.pos; }
  bool operator==(const FillRule&) const = default;
};

// In the order of filling.
using Fills = std::vector<FillRule>;

inline constexpr std::size_t kMostFillRanges = std::size_t{1} << 17;   // of a patch
inline constexpr std::uint64_t kMostFillInputs = 8;                    // bytes for each of the target
inline constexpr std::uint64_t kHeldFillBytes = 256;                   // of an applier's memory, for each range
inline constexpr std::uint64_t kMostHeldPartBytes = std::uint64_t{1} << 24;

// From places in front of their ranges to the ends of these, joined: nobody gets their bytes before the last one is there.
[[nodiscard]] std::vector<Stretch> held_parts(const Fills& fills);

// Of all inputs but those of headers; the fills are sound.
[[nodiscard]] std::uint64_t hashed_bytes(const Fills& fills) noexcept;

// Of an applier's memory; the fills are sound.
[[nodiscard]] std::uint64_t held_bytes(const Fills& fills);

// Whether they are no more than that and lie inside a target of this size. Also whether in their order no input holds the
// place of a later one, and no held part holds tar headers. kPatchCorrupt else.
Status check_fills(const Fills& fills, std::uint64_t target_size);

// What the kind writes at the place of a SHA-256; `out` has result_bytes.
void write_digest(FillEncoding encoding, const std::array<std::uint8_t, kDigestBytes>& digest, std::uint8_t* out) noexcept;

// A tar header is a block with "ustar" at 257 (POSIX.1, pax interchange format, which GNU's own form shares).
inline constexpr std::uint64_t kTarBlockBytes = 512;
inline constexpr std::size_t kTarChecksumAt = 148;  // in the block
inline constexpr std::size_t kTarChecksumBytes = 8;
using TarChecksum = std::array<std::uint8_t, kTarChecksumBytes>;

[[nodiscard]] bool is_tar_header(ByteSpan block) noexcept;

// What a header has at kTarChecksumAt: the sum of its bytes with spaces there.
[[nodiscard]] TarChecksum tar_checksum(ByteSpan block, FillEncoding form) noexcept;

}  // namespace bdelta
