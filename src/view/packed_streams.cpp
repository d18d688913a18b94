#include "view/packed_streams.hpp"

#include <array>

#include "view/gzip_head.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::view {

std::uint64_t view_bytes_of(std::uint64_t file_bytes, const PackedStreams& streams) noexcept {
  std::uint64_t bytes = file_bytes;
  for (const PackedStream& stream : streams) bytes = bytes - stream.packed_bytes + stream.raw_bytes;
  return bytes;
}

std::uint64_t likely_stream_pos(ByteSpan file, std::uint64_t end) noexcept {
  constexpr std::array<std::uint64_t, 5> kDescriptorBytes = {0, 12, 16, 20, 24};
  for (const std::uint64_t behind : kDescriptorBytes) {
    if (const std::uint64_t data_pos = zip_data_pos(file, end + behind); data_pos != 0) return data_pos;
  }
  for (const std::uint64_t behind : {std::uint64_t{0}, kGzipTrailerBytes}) {
    if (const std::uint64_t bytes = gzip_head_bytes(file, end + behind); bytes != 0) return end + behind + bytes;
  }
  return end;
}

}  // namespace bdelta::view
