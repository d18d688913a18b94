#include "io/holes.hpp"

#include <algorithm>
#include <cstring>

#include "base/try.hpp"

namespace bdelta::io {
namespace {

// A hole is made of these, counted from the start of the file. Bytes; less leaves more calls between small holes. Most
// file systems have blocks of this size, and one with larger ones loses no more than holes.
constexpr std::size_t kBlockBytes = 4096;

bool is_zero(ByteSpan part_of_block) noexcept {
  static constexpr std::uint8_t kZeros[kBlockBytes] = {};
  return std::memcmp(part_of_block.data(), kZeros, part_of_block.size()) == 0;
}

}  // namespace

Status write_around_zeros(const FileHandle& file, std::uint64_t pos, ByteSpan bytes, const std::filesystem::path& path,
                          IoCounters* counters) {
  std::size_t begin = 0;  // of what is still to be written
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = at + std::min(bytes.size() - at, kBlockBytes - static_cast<std::size_t>((pos + at) % kBlockBytes));
    if (is_zero(bytes.subspan(at, end - at))) {
      BDELTA_TRY(write_fully(file, pos + begin, bytes.subspan(begin, at - begin), path, counters));
      begin = end;
    }
    at = end;
  }
  return write_fully(file, pos + begin, bytes.subspan(begin), path, counters);
}

}  // namespace bdelta::io
