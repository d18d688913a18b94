#include "view/deflate/hashes.hpp"

namespace bdelta::deflate {

void CrcHash::choose(unsigned byte_count) noexcept {
  constexpr std::uint32_t kPolynomial = 0x82F63B78;
  constexpr std::uint32_t kLowBits = 0x7FFF;
  if (byte_count_ == byte_count) return;
  byte_count_ = byte_count;
  for (std::uint32_t i = 0; i < shares_.size(); ++i) {
    std::uint32_t crc = i < 256 * byte_count ? i % 256 << i / 256 * 8 : 0;  // what is not looked at has no share
    for (unsigned bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    shares_[i] = static_cast<std::uint16_t>(crc & kLowBits);
  }
}

// Out of line: all matchers have it, and few streams want it.
std::uint32_t CrcHash::operator()(std::uint32_t bytes) const noexcept {
  const std::uint16_t* shares = shares_.data();
  return static_cast<std::uint32_t>(shares[bytes & 255] ^ shares[256 + (bytes >> 8 & 255)] ^ shares[512 + (bytes >> 16 & 255)] ^
                                    shares[768 + (bytes >> 24)]);
}

}  // namespace bdelta::deflate
