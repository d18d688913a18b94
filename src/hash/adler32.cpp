#include "hash/adler32.hpp"

#include <algorithm>

namespace bdelta {

std::uint32_t adler32(ByteSpan bytes, std::uint32_t before) noexcept {
  constexpr std::uint32_t kPrime = 65521;
  constexpr std::size_t kBytesBeforeOverflow = 5552;  // of any value, before the sum of sums has no room
  std::uint32_t sum = before & 0xffff, sums = before >> 16;
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(std::min(bytes.size(), kBytesBeforeOverflow));
    for (const std::uint8_t byte : piece) {
      sum += byte;
      sums += sum;
    }
    sum %= kPrime;
    sums %= kPrime;
    bytes = bytes.subspan(piece.size());
  }
  return sums << 16 | sum;
}

}  // namespace bdelta
