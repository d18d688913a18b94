// Streams of archives: unpacking one, making it again, and looking in what it holds for text that is missing.
#include <zlib.h>

#include <algorithm>

#include "base/deciding/prices.hpp"
#include "create/missing_text.hpp"
#include "prices.hpp"
#include "support/generate.hpp"
#include "support/rebuild.hpp"
#include "view/deflate/analyse.hpp"
#include "view/deflate/inflate.hpp"

namespace bdelta::bench {
namespace {

constexpr std::size_t kRawBytes = std::size_t{8} << 20;

Bytes packed_by_zlib(ByteSpan raw, int level) {
  z_stream zlib{};
  expect(deflateInit2(&zlib, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib");
  Bytes packed(deflateBound(&zlib, static_cast<uLong>(raw.size())));
  zlib.next_in = const_cast<Bytef*>(raw.data());
  zlib.avail_in = static_cast<uInt>(raw.size());
  zlib.next_out = packed.data();
  zlib.avail_out = static_cast<uInt>(packed.size());
  expect(::deflate(&zlib, Z_FINISH) == Z_STREAM_END, "zlib");
  packed.resize(zlib.total_out);
  deflateEnd(&zlib);
  return packed;
}

// Without tokens of OLD.
double rebuilding_ns(ByteSpan raw, ByteSpan packed) {
  deflate::Analyser analyser;
  const auto analysis = analyser.analyse(packed);
  expect(static_cast<bool>(analysis), "a recipe");
  return least_ns([&] {
    const auto made = test::rebuild(analyser.matchers(), analysis->recipe, raw, packed.size());
    expect(made && std::equal(made->begin(), made->end(), packed.begin(), packed.end()), "a stream made again");
  });
}

}  // namespace

void measure_unpacking(Prices& prices) {
  const Bytes raw = test::wordy_bytes(kRawBytes, 1);
  const Bytes packed = packed_by_zlib(raw, 6);
  deflate::InflateOptions options;
  options.keep_tokens = false;
  const auto unpack = [&] {
    const auto stream = deflate::inflate(packed, options);
    expect(stream && stream->raw().size() == raw.size(), "a stream");
  };
  const Bytes other = test::wordy_bytes(kRawBytes / 8, 2);
  const auto look = [&] {
    MissingText missing({}, other, {});
    (void)missing.take(raw);
  };
  const auto bytes = static_cast<double>(raw.size());
  const double unpack_ns = least_ns(unpack);
  prices.push_back({"kUnpackNs", static_cast<double>(kUnpackNs), unpack_ns / bytes});
  const double rebuilt_ns = (rebuilding_ns(raw, packed) + rebuilding_ns(raw, packed_by_zlib(raw, 9))) / 2;
  prices.push_back({"kRebuiltNs", static_cast<double>(kRebuiltNs), rebuilt_ns / bytes});
  prices.push_back({"kLookNs", static_cast<double>(kLookNs), (unpack_ns + least_ns(look)) / bytes});
}

}  // namespace bdelta::bench
