#include "deflate/zlib_stream.hpp"

#include <algorithm>

#include "support/expect.hpp"

namespace bdelta::test {
namespace {

constexpr std::size_t kOutBytes = 1 << 16;

// Gives zlib's last answer.
int run_deflate(z_stream& stream, ByteSpan raw, int flush, Bytes& packed) {
  Bytes input(raw.begin(), raw.end());
  Bytes out(kOutBytes);
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(input.size());
  int answer = Z_OK;
  do {
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    answer = ::deflate(&stream, flush);
    append(packed, ByteSpan(out).first(out.size() - stream.avail_out));
  } while (stream.avail_out == 0);
  return answer;
}

}  // namespace

Bytes zlib_deflate(ByteSpan raw, const ZlibSettings& settings) {
  z_stream stream{};
  EXPECT_EQ(Z_OK, deflateInit2(&stream, settings.level, Z_DEFLATED, -settings.window_bits, settings.memory, settings.strategy));
  Bytes packed;
  if (settings.flush != Z_NO_FLUSH) {
    while (raw.size() > settings.step_bytes) {
      run_deflate(stream, raw.first(settings.step_bytes), settings.flush, packed);
      raw = raw.subspan(settings.step_bytes);
    }
  }
  EXPECT_EQ(Z_STREAM_END, run_deflate(stream, raw, Z_FINISH, packed));
  deflateEnd(&stream);
  return packed;
}

std::optional<ZlibInflated> zlib_inflate(ByteSpan packed) {
  z_stream stream{};
  EXPECT_EQ(Z_OK, inflateInit2(&stream, -15));
  Bytes input(packed.begin(), packed.end());
  Bytes out(kOutBytes);
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(input.size());
  ZlibInflated result;
  int answer = Z_OK;
  while (answer == Z_OK) {
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(out.size());
    answer = ::inflate(&stream, Z_NO_FLUSH);
    append(result.raw, ByteSpan(out).first(out.size() - stream.avail_out));
  }
  result.packed_bytes = input.size() - stream.avail_in;
  inflateEnd(&stream);
  if (answer != Z_STREAM_END) return std::nullopt;
  return result;
}

}  // namespace bdelta::test
