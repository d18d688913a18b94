#include "view/raw_streams.hpp"

#include <algorithm>

#include "hash/adler32.hpp"
#include "hash/crc32.hpp"
#include "view/gzip_head.hpp"
#include "view/stream_heads.hpp"
#include "view/zlib_head.hpp"

namespace bdelta::view {
namespace {

constexpr std::uint64_t kTrustedPackedBytes = 4096;  // what ends behind so many is no accident, whatever its checksum

bool is_in_chunk(ByteSpan bytes, std::size_t pos) noexcept {
  constexpr std::uint8_t kChunk[] = {'I', 'D', 'A', 'T'};
  return pos >= sizeof kChunk && std::equal(std::begin(kChunk), std::end(kChunk), bytes.begin() + static_cast<std::ptrdiff_t>(pos - sizeof kChunk));
}

// Of the head there; 0 if it is none.
std::uint64_t head_bytes_at(ByteSpan bytes, std::size_t pos) noexcept {
  if (bytes[pos] == kGzipMagic[0]) return gzip_head_bytes(bytes, pos);
  return is_in_chunk(bytes, pos) || bytes.size() - pos <= kZlibHeadBytes ? 0 : kZlibHeadBytes;
}

bool has_checksum(ByteSpan behind, std::uint32_t sum, bool is_gzip) noexcept {
  if (behind.size() < (is_gzip ? kGzipTrailerBytes : kZlibTrailerBytes)) return false;
  if (is_gzip) return load_le<std::uint32_t>(behind.data()) == sum;
  return behind[0] == sum >> 24 && behind[1] == (sum >> 16 & 0xff) && behind[2] == (sum >> 8 & 0xff) && behind[3] == (sum & 0xff);
}

}  // namespace

void RawStreamScan::allow(std::uint64_t bytes) noexcept { work_.allow(bytes); }

void RawStreamScan::count_work_of(const FoundStream& found) noexcept { work_.count({{found.packed_bytes, found.raw_bytes}, 0}); }

std::optional<FoundStream> RawStreamScan::stream_at(ByteSpan bytes, std::size_t pos, std::uint64_t most_raw_bytes) {
  const std::uint64_t head_bytes = head_bytes_at(bytes, pos);
  deflate::InflateWork work;
  if (head_bytes != 0) {
    const ByteSpan packed = bytes.subspan(pos + static_cast<std::size_t>(head_bytes));
    const bool is_gzip = bytes[pos] == kGzipMagic[0];
    std::uint32_t sum = is_gzip ? 0 : kAdler32Start;
    const auto add_to_sum = [&](ByteSpan text) -> Status {
      sum = is_gzip ? crc32(text, sum) : adler32(text, sum);
      return {};
    };
    const auto status = deflate::try_inflate(deflate::pieces_of(packed), most_raw_bytes, room_, add_to_sum, work);
    const std::uint64_t packed_bytes = work.sizes.packed_bytes;
    if (status && packed_bytes >= kLeastStreamBytes &&
        (packed_bytes >= kTrustedPackedBytes || has_checksum(packed.subspan(static_cast<std::size_t>(packed_bytes)), sum, is_gzip))) {
      return FoundStream{pos + head_bytes, packed_bytes, work.sizes.raw_bytes, {}};
    }
  }
  work_.count(work);
  return std::nullopt;
}

std::optional<FoundStream> RawStreamScan::next(ByteSpan bytes, std::uint64_t begin, std::uint64_t end, std::uint64_t most_raw_bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto stop = static_cast<std::size_t>(std::min<std::uint64_t>(end, bytes.size() - 1));
  for (auto pos = static_cast<std::size_t>(begin); pos < stop; ++pos) {
    pos += kHeadScan.find(bytes.data() + pos, stop - pos);
    if (pos == stop) break;
    if (work_.is_done()) {
      unscanned_.add(stop - pos);
      break;
    }
    if (auto found = stream_at(bytes, pos, most_raw_bytes)) return found;
  }
  return std::nullopt;
}

std::vector<FoundStream> RawStreamScan::find_all(ByteSpan bytes, std::uint64_t most_raw_bytes) {
  allow(bytes.size());
  std::vector<FoundStream> found;
  std::uint64_t pos = 0;
  while (found.size() < kMostStreams) {
    auto stream = next(bytes, pos, bytes.size(), most_raw_bytes);
    if (!stream) break;
    pos = stream->file_pos + stream->packed_bytes;
    most_raw_bytes -= stream->raw_bytes;
    found.push_back(std::move(*stream));
  }
  return found;
}

}  // namespace bdelta::view
