// Streams of archives: unpacking one, making it again, and looking in what it holds for text that is missing.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "apply/view_store.hpp"
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

// Rows of numbers that have much in common, where an encoder has many candidates.
Bytes rows_of_tables(std::size_t size) {
  test::Random random(1);
  Bytes bytes;
  for (std::uint64_t number = 0x1000; bytes.size() < size; number += random.between(1, 9)) {
    const std::string row = "    (" + std::to_string(number) + ", " + std::to_string(number + random.below(4)) + "),\n";
    bytes.insert(bytes.end(), row.begin(), row.end());
  }
  bytes.resize(size);
  return bytes;
}

// As in a program: few operations, with operands of one byte or four. It has more tokens than text.
Bytes instructions(std::size_t size) {
  test::Random random(1);
  Bytes bytes;
  while (bytes.size() < size) {
    const auto operation = static_cast<std::uint8_t>(random.below(random.between(1, 48)));
    bytes.push_back(operation);
    bytes.push_back(static_cast<std::uint8_t>(random.below(random.between(1, 64))));
    if (operation % 4 == 0) append_le(bytes, static_cast<std::uint32_t>(random.below(random.between(1, 1 << 16))));
  }
  bytes.resize(size);
  return bytes;
}

// A page again and again, with a byte changed here and there: tokens are long.
Bytes pages(std::size_t size) {
  constexpr std::size_t kPageBytes = 16 << 10, kApart = 96;
  const Bytes page = test::wordy_bytes(kPageBytes, 1);
  test::Random random(1);
  Bytes bytes;
  while (bytes.size() < size) {
    append(bytes, page);
    for (std::size_t at = bytes.size() - kPageBytes; at < bytes.size(); at += 1 + static_cast<std::size_t>(random.below(2 * kApart))) bytes[at] = '#';
  }
  bytes.resize(size);
  return bytes;
}

// What making a stream again takes for each byte of its text, without tokens of OLD.
struct Rebuilt {
  double tokens;
  double candidates;
  double ns;
};

Rebuilt rebuilt(ByteSpan raw, int level, int strategy = Z_DEFAULT_STRATEGY) {
  const Bytes packed = packed_by_zlib(raw, level, strategy);
  deflate::Analyser analyser;
  const auto analysis = analyser.analyse(packed);
  expect(static_cast<bool>(analysis), "a recipe");
  const double ns = least_ns([&] {
    const auto made = test::rebuild(analyser.matchers(), analysis->recipe, raw, packed.size());
    expect(made && std::equal(made->begin(), made->end(), packed.begin(), packed.end()), "a stream made again");
  });
  const auto bytes = static_cast<double>(raw.size());
  return {static_cast<double>(analysis->stream.tokens.size()) / bytes, static_cast<double>(analysis->looked_at) / bytes, ns / bytes};
}

// The three rows whose sum is nearest to all of them, by squares of the ratio.
void add_search(Prices& prices, const std::vector<Rebuilt>& all) {
  std::array<std::array<double, 4>, 3> equations{};
  for (const Rebuilt& one : all) {
    const std::array<double, 4> terms = {1 / one.ns, one.tokens / one.ns, one.candidates / one.ns, 1};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 4; ++j) equations[i][j] += terms[i] * terms[j];
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t row = 0; row < 3; ++row) {
      const double factor = equations[row][i] / equations[i][i];
      for (std::size_t j = 0; j < 4 && row != i; ++j) equations[row][j] -= factor * equations[i][j];
    }
  }
  const std::array<std::pair<const char*, std::uint64_t>, 3> rows = {
      {{"kSearchedByteNs", kSearchedByteNs}, {"kTokenNs", kTokenNs}, {"kCandidateNs", kCandidateNs}}};
  for (std::size_t i = 0; i < 3; ++i) {
    prices.push_back({rows[i].first, static_cast<double>(rows[i].second), equations[i][3] / equations[i][i]});
  }
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
  prices.push_back({"kUnsearchedByteNs", static_cast<double>(kUnsearchedByteNs), rebuilt(lines, 6, Z_HUFFMAN_ONLY).ns});
  const Bytes rows = rows_of_tables(kRawBytes);
  const Bytes program = instructions(kRawBytes), copies = pages(kRawBytes);
  add_search(prices, {rebuilt(lines, 1), rebuilt(lines, 6), rebuilt(lines, 9), rebuilt(rows, 6), rebuilt(rows, 9), rebuilt(program, 1),
                      rebuilt(program, 6), rebuilt(program, 9), rebuilt(copies, 1), rebuilt(copies, 6), rebuilt(copies, 9)});
  prices.push_back({"kLookNs", static_cast<double>(kLookNs), (unpack_ns + least_ns(look)) / bytes});
}

}  // namespace bdelta::bench
