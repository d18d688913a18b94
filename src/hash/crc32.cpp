#include "hash/crc32.hpp"

#include <lzma.h>

namespace bdelta {

std::uint32_t crc32(ByteSpan bytes, std::uint32_t before) noexcept { return lzma_crc32(bytes.data(), bytes.size(), before); }

}  // namespace bdelta
