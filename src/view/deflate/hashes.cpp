#include "view/deflate/hashes.hpp"

namespace bdelta::deflate {

std::vector<std::uint16_t> make_crc_shares(unsigned byte_count) {
  constexpr std::uint32_t kPolynomial = 0x82F63B78;
  constexpr std::uint32_t kLowBits = 0x7FFF;
  std::vector<std::uint16_t> shares;
  shares.reserve(std::size_t{256} * byte_count);
  for (unsigned i = 0; i < byte_count; ++i) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      std::uint32_t crc = byte << 8 * i;
      for (unsigned bit = 0; bit < 32; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
      shares.push_back(static_cast<std::uint16_t>(crc & kLowBits));
    }
  }
  return shares;
}

}  // namespace bdelta::deflate
