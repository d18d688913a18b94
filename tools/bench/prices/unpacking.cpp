// Streams of archives: unpacking one, making it again, and looking in what it holds for text that is missing.
#include <zlib.h>

#include <algorithm>

#include "apply/view_store.hpp"
#include "base/deciding/prices.hpp"
#include "create/missing_text.hpp"
#include "create/rebuilding_price.hpp"
#include "prices.hpp"
#include "support/generate.hpp"
#include "support/rebuild.hpp"
#include "view/deflate/analyse.hpp"
#include "view/deflate/inflate.hpp"

namespace bdelta::bench {
namespace {

constexpr std::size_t kRawBytes = std::size_t{8} << 20;
constexpr unsigned kViewTexts = 8;  // that a view has: it is larger than what a cache holds

// Lines of few forms, some of them indented, with names of many: as in sources, what is searched for has been there often.
Bytes lines_of_code(std::size_t size) {
  constexpr std::size_t kForms = 64, kNames = 2000, kMostParts = 5;
  test::Random random(1);
  std::vector<Bytes> parts(kForms * kMostParts), names(kNames);
  for (Bytes& part : parts) part = test::wordy_bytes(static_cast<std::size_t>(random.between(3, 16)), random.next());
  for (Bytes& name : names) {
    for (std::uint64_t letter = random.between(3, 11); letter > 0; --letter) name.push_back(static_cast<std::uint8_t>('a' + random.below(26)));
  }
  Bytes bytes;
  while (bytes.size() < size) {
    const auto form = static_cast<std::size_t>(random.below(random.between(1, kForms)));
    bytes.insert(bytes.end(), 2 * (form % 4), ' ');
    for (std::size_t part = 0; part < 2 + form % (kMostParts - 1); ++part) {
      append(bytes, parts[form * kMostParts + part]);
      append(bytes, names[static_cast<std::size_t>(random.below(random.between(1, kNames)))]);
    }
    bytes.push_back('\n');
  }
  bytes.resize(size);
  return bytes;
}

Bytes packed_by_zlib(ByteSpan raw, int level, int strategy = Z_DEFAULT_STRATEGY) {
  z_stream zlib{};
  expect(deflateInit2(&zlib, level, Z_DEFLATED, -15, 8, strategy) == Z_OK, "zlib");
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

// Without tokens of OLD. The stream is of an encoder of that class.
double rebuilding_ns(ByteSpan raw, ByteSpan packed, std::size_t of_class) {
  deflate::Analyser analyser;
  const auto analysis = analyser.analyse(packed);
  expect(analysis && rebuilding_class(analysis->recipe.parameters) == of_class, "a recipe");
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
  const auto keep = [&] {
    ViewStore store(kViewTexts * raw.size(), {});
    for (std::uint64_t i = 0; i < kViewTexts; ++i) expect(static_cast<bool>(store.add(raw)), "a view");
  };
  const Bytes other = test::wordy_bytes(kRawBytes / 8, 2);
  const auto look = [&] {
    MissingText missing({}, other, {});
    (void)missing.take(raw);
  };
  const auto bytes = static_cast<double>(raw.size());
  const double unpack_ns = least_ns(unpack);
  prices.push_back({"kViewKiBNs", static_cast<double>(kViewKiBNs), least_ns(keep) * 1024 / (kViewTexts * bytes)});
  prices.push_back({"kUnpackNs", static_cast<double>(kUnpackNs), unpack_ns / bytes});
  const Bytes lines = lines_of_code(kRawBytes);
  const Bytes of_class[] = {packed_by_zlib(lines, 6, Z_HUFFMAN_ONLY), packed_by_zlib(lines, 3), packed_by_zlib(lines, 6),
                            packed_by_zlib(lines, 9)};
  for (std::size_t i = 0; i < std::size(of_class); ++i) {
    prices.push_back({"kRebuiltNs[" + std::to_string(i) + "]", static_cast<double>(kRebuiltNs[i]),
                      rebuilding_ns(lines, of_class[i], i) / bytes});
  }
  prices.push_back({"kLookNs", static_cast<double>(kLookNs), (unpack_ns + least_ns(look)) / bytes});
}

}  // namespace bdelta::bench
