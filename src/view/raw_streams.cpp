#include "view/raw_streams.hpp"

#include <algorithm>

#include "hash/adler32.hpp"
#include "hash/crc32.hpp"
#include "view/deflate/inflate.hpp"
#include "view/gzip_head.hpp"
#include "view/zlib_head.hpp"

namespace bdelta::view {
namespace {

constexpr std::size_t kBlockBytes = 512;             // looked at at once
constexpr std::uint64_t kLeastPackedBytes = 64;      // a shorter stream saves nothing
constexpr std::uint64_t kTrustedPackedBytes = 4096;  // what ends behind so many is no accident, whatever its checksum

// The first two bytes of what is looked for. Bitwise operators throughout: a branch would keep loops from being vectorised.
constexpr std::uint8_t begins_head(std::uint8_t first, std::uint8_t second) noexcept {
  const unsigned f = first, s = second;
  const auto is = [](unsigned a, unsigned b) { return static_cast<unsigned>(a == b); };
  const unsigned zlib = is(f, 0x78) & (is(s, 0x01) | is(s, 0x5e) | is(s, 0x9c) | is(s, 0xda));
  return static_cast<std::uint8_t>(zlib | (is(f, 0x48) & is(s, 0x89)) | (is(f, kGzipMagic[0]) & is(s, kGzipMagic[1])));
}

// Asked of a block at once, in a loop that compilers turn into vector instructions.
bool any_begins_head(const std::uint8_t* block) noexcept {
  std::uint8_t any = 0;
  for (std::size_t i = 0; i < kBlockBytes; ++i) any = static_cast<std::uint8_t>(any | begins_head(block[i], block[i + 1]));
  return any != 0;
}

// The first position in [at, end) where such a pair stands, or `end`; reads one byte more.
std::size_t find_head(const std::uint8_t* bytes, std::size_t at, std::size_t end) noexcept {
  while (at < end) {
    const std::size_t length = std::min(kBlockBytes, end - at);
    if (length == kBlockBytes && !any_begins_head(bytes + at)) {
      at += kBlockBytes;
      continue;
    }
    for (const std::size_t stop = at + length; at < stop; ++at) {
      if (begins_head(bytes[at], bytes[at + 1]) != 0) return at;
    }
  }
  return end;
}

bool is_in_chunk(ByteSpan bytes, std::size_t pos) noexcept {
  constexpr std::uint8_t kChunk[] = {'I', 'D', 'A', 'T'};
  return pos >= sizeof kChunk && std::equal(std::begin(kChunk), std::end(kChunk), bytes.begin() + static_cast<std::ptrdiff_t>(pos - sizeof kChunk));
}

// Of the head there; 0 if it is none.
std::uint64_t head_bytes_at(ByteSpan bytes, std::size_t pos) noexcept {
  if (bytes[pos] == kGzipMagic[0]) return gzip_head_bytes(bytes, pos);
  return is_in_chunk(bytes, pos) || bytes.size() - pos <= kZlibHeadBytes ? 0 : kZlibHeadBytes;
}

bool has_checksum(ByteSpan behind, ByteSpan raw, bool is_gzip) noexcept {
  if (behind.size() < (is_gzip ? kGzipTrailerBytes : kZlibTrailerBytes)) return false;
  if (is_gzip) return load_le<std::uint32_t>(behind.data()) == crc32(raw);
  const std::uint32_t sum = adler32(raw);
  return behind[0] == sum >> 24 && behind[1] == (sum >> 16 & 0xff) && behind[2] == (sum >> 8 & 0xff) && behind[3] == (sum & 0xff);
}

std::optional<FoundStream> stream_at(ByteSpan bytes, std::size_t pos, std::uint64_t most_raw_bytes) {
  const std::uint64_t head_bytes = head_bytes_at(bytes, pos);
  if (head_bytes == 0) return std::nullopt;
  const ByteSpan packed = bytes.subspan(pos + static_cast<std::size_t>(head_bytes));
  deflate::InflateOptions options;
  options.most_raw_bytes = most_raw_bytes;
  options.keep_tokens = false;
  const auto stream = deflate::inflate(packed, options);
  if (!stream || stream->packed_bytes < kLeastPackedBytes) return std::nullopt;
  const ByteSpan behind = packed.subspan(static_cast<std::size_t>(stream->packed_bytes));
  const bool is_gzip = bytes[pos] == kGzipMagic[0];
  if (stream->packed_bytes < kTrustedPackedBytes && !has_checksum(behind, stream->raw(), is_gzip)) return std::nullopt;
  return FoundStream{pos + head_bytes, stream->packed_bytes, stream->raw().size(), {}};
}

}  // namespace

std::optional<FoundStream> next_raw_stream(ByteSpan bytes, std::uint64_t begin, std::uint64_t end, std::uint64_t most_raw_bytes) {
  if (bytes.empty()) return std::nullopt;
  const auto stop = static_cast<std::size_t>(std::min<std::uint64_t>(end, bytes.size() - 1));
  for (auto pos = static_cast<std::size_t>(begin); pos < stop; ++pos) {
    pos = find_head(bytes.data(), pos, stop);
    if (pos == stop) break;
    if (auto found = stream_at(bytes, pos, most_raw_bytes)) return found;
  }
  return std::nullopt;
}

std::vector<FoundStream> find_raw_streams(ByteSpan bytes, std::uint64_t most_raw_bytes) {
  std::vector<FoundStream> found;
  std::uint64_t pos = 0;
  while (found.size() < kMostStreams) {
    auto next = next_raw_stream(bytes, pos, bytes.size(), most_raw_bytes);
    if (!next) break;
    pos = next->file_pos + next->packed_bytes;
    most_raw_bytes -= next->raw_bytes;
    found.push_back(std::move(*next));
  }
  return found;
}

}  // namespace bdelta::view
