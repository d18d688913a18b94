// Bytes of the target that follow from others of it: the checksum that each header of a tar archive holds of itself. A
// patch names the stretches that have such headers, and windows may have any bytes in place of the checksums; who
// applies it computes them once a header is made.
//
// A header is a block of 512 bytes at a multiple of 512 with "ustar" at 257 (POSIX.1, pax interchange format, which GNU's
// own form shares); its checksum is the sum of its bytes with spaces in place of the checksum's own eight, in octal.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/error.hpp"

namespace bdelta {

inline constexpr std::uint64_t kHeaderBlockBytes = 512;
inline constexpr std::size_t kHeaderSumAt = 148;    // in the block
inline constexpr std::size_t kHeaderSumBytes = 8;

using HeaderSum = std::array<std::uint8_t, kHeaderSumBytes>;

// How the number is written; programs differ in it.
enum class HeaderSumForm : std::uint8_t {
  kSixNulSpace = 0,  // six digits, a zero byte, a space: GNU tar, bsdtar, Python, Go
  kSixSpaceNul = 1,  // six digits, a space, a zero byte: npm and other descendants of Unix
  kSevenNul = 2,     // seven digits, a zero byte: Rust's tar
};
inline constexpr unsigned kHeaderSumForms = 3;

// A stretch of the target in which all headers have their checksums in one form. In blocks of kHeaderBlockBytes.
struct HeaderSumSpan {
  HeaderSumForm form = HeaderSumForm::kSixNulSpace;
  std::uint64_t first_block = 0;
  std::uint64_t block_count = 0;

  [[nodiscard]] std::uint64_t begin() const noexcept { return first_block * kHeaderBlockBytes; }  // bytes
  [[nodiscard]] std::uint64_t end() const noexcept { return (first_block + block_count) * kHeaderBlockBytes; }
  bool operator==(const HeaderSumSpan&) const = default;
};

// In the order of the target, none of them touching the one before in a form of its own.
using HeaderSumSpans = std::vector<HeaderSumSpan>;

// Of a patch. An archive has one, or a few where programs of several kinds wrote it.
inline constexpr std::size_t kMostHeaderSumSpans = 4096;

// Whether the block, of kHeaderBlockBytes, is a header. Its checksum has no say in it.
[[nodiscard]] bool is_sum_header(ByteSpan block) noexcept;

// What a header has at kHeaderSumAt.
[[nodiscard]] HeaderSum header_sum(ByteSpan block, HeaderSumForm form) noexcept;

// Puts it there if the block is a header.
void fill_header_sum(MutableByteSpan block, HeaderSumForm form) noexcept;

// Whether they are no more than that, and each has blocks, of a known form, and lies behind the one before and inside a
// target of this size. kPatchCorrupt else.
Status check_header_sums(const HeaderSumSpans& spans, std::uint64_t target_size);

}  // namespace bdelta
