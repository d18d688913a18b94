// Streams of archives: unpacking one, making it again, and looking in what it holds for text that is missing.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

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
constexpr std::size_t kSearchedBytes = std::size_t{2} << 20;
constexpr std::size_t kMemberBytes = std::size_t{8} << 10;  // of an archive of classes: no ranks are made
constexpr std::size_t kShortMemberBytes = std::size_t{1} << 10;

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

// This program: machine code, constants and names, as libraries in archives have them.
Bytes own_program(const char* path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  Bytes bytes((std::istreambuf_iterator<char>(file)), {});
  expect(bytes.size() > kMemberBytes, "the program's own file");
  bytes.resize(std::min(bytes.size(), most));
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

// What making streams again takes for each byte of their text, without tokens of OLD: bytes, tokens of each row, candidates, streams.
constexpr std::size_t kRows = 7;
struct Rebuilt {
  std::array<double, kRows> counts;  // of each byte, as rows have them
  double ns;
};

// piece_bytes: of the text, that are a stream of their own.
Rebuilt rebuilt(ByteSpan raw, int level, std::size_t piece_bytes, int strategy = Z_DEFAULT_STRATEGY) {
  deflate::Analyser analyser;
  std::vector<Bytes> packed;
  std::vector<deflate::Analysis> analyses;
  Rebuilt made{{1.0 / 1024}, 0};
  for (std::size_t at = 0; at < raw.size(); at += piece_bytes) {
    const ByteSpan piece = raw.subspan(at, std::min(piece_bytes, raw.size() - at));
    packed.push_back(packed_by_zlib(piece, level, strategy));
    auto analysis = analyser.analyse(packed.back());
    expect(static_cast<bool>(analysis), "a recipe");
    const std::size_t row = token_row(analysis->recipe.parameters, piece.size());
    made.counts[1 + row] += static_cast<double>(analysis->stream.tokens.size()) / static_cast<double>(raw.size());
    made.counts[row == 2 ? 5 : 4] += static_cast<double>(analysis->looked_at) / 1024 / static_cast<double>(raw.size());
    made.counts[6] += 1 / static_cast<double>(raw.size());
    analyses.push_back(std::move(*analysis));
  }
  made.ns = least_ns([&] {
    for (std::size_t i = 0; i < packed.size(); ++i) {
      const auto again = test::rebuild(analyser.matchers(), analyses[i].recipe, analyses[i].stream.raw(), packed[i].size());
      expect(again && std::equal(again->begin(), again->end(), packed[i].begin(), packed[i].end()), "a stream made again");
    }
  }) / static_cast<double>(raw.size());
  return made;
}

// The rows whose sum is nearest to all of them, by squares of the ratio.
void add_search(Prices& prices, const std::vector<Rebuilt>& all) {
  std::array<std::array<double, kRows + 1>, kRows> equations{};
  for (const Rebuilt& one : all) {
    std::array<double, kRows + 1> terms;
    for (std::size_t i = 0; i < kRows; ++i) terms[i] = one.counts[i] / one.ns;
    terms[kRows] = 1;
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j <= kRows; ++j) equations[i][j] += terms[i] * terms[j];
    }
  }
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t row = 0; row < kRows; ++row) {
      const double factor = equations[row][i] / equations[i][i];
      for (std::size_t j = 0; j <= kRows && row != i; ++j) equations[row][j] -= factor * equations[i][j];
    }
  }
  const std::array<std::pair<const char*, std::uint64_t>, kRows> rows = {{{"kSearchedKiBNs", kSearchedKiBNs},
                                                                          {"kTokenNs[0]", kTokenNs[0]},
                                                                          {"kTokenNs[1]", kTokenNs[1]},
                                                                          {"kTokenNs[2]", kTokenNs[2]},
                                                                          {"kCandidatesNs[0]", kCandidatesNs[0]},
                                                                          {"kCandidatesNs[1]", kCandidatesNs[1]},
                                                                          {"kMadeStreamNs", kMadeStreamNs}}};
  for (std::size_t i = 0; i < kRows; ++i) {
    prices.push_back({rows[i].first, static_cast<double>(rows[i].second), equations[i][kRows] / equations[i][i]});
  }
}

// In streams of so many bytes of text.
double unpacking_ns(ByteSpan raw, std::size_t piece_bytes) {
  std::vector<Bytes> packed;
  for (std::size_t at = 0; at < raw.size(); at += piece_bytes) packed.push_back(packed_by_zlib(raw.subspan(at, std::min(piece_bytes, raw.size() - at)), 6));
  deflate::InflateOptions options;
  options.keep_tokens = false;
  return least_ns([&] {
    for (const Bytes& stream : packed) expect(static_cast<bool>(deflate::inflate(stream, options)), "a stream");
  });
}

}  // namespace

void measure_unpacking(const char* path, Prices& prices) {
  const Bytes raw = test::wordy_bytes(kRawBytes, 1), program = own_program(path, kSearchedBytes);
  view::ViewPlans plans(1);
  plans[0].source_view_bytes = raw.size();
  const auto keep = [&] {
    ViewStore store(plans, 0, {});
    return static_cast<bool>(store.add(raw));
  };
  const Bytes other = test::wordy_bytes(kRawBytes / 8, 2);
  const auto look = [&] {
    MissingText missing({}, other, {});
    (void)missing.take(raw);
  };
  const auto bytes = static_cast<double>(raw.size());
  const double unpack_ns = unpacking_ns(program, program.size()), short_count = static_cast<double>(program.size() / kShortMemberBytes);
  prices.push_back({"kViewKiBNs", static_cast<double>(kViewKiBNs), least_cold_ns(keep) * 1024 / bytes});
  prices.push_back({"kUnpackNs", static_cast<double>(kUnpackNs), unpack_ns / static_cast<double>(program.size())});
  prices.push_back({"kUnpackStreamNs", static_cast<double>(kUnpackStreamNs), (unpacking_ns(program, kShortMemberBytes) - unpack_ns) / short_count});
  const Bytes lines = lines_of_code(kSearchedBytes);
  prices.push_back({"kUnsearchedByteNs", static_cast<double>(kUnsearchedByteNs), rebuilt(lines, 6, kSearchedBytes, Z_HUFFMAN_ONLY).ns});
  const Bytes rows = rows_of_tables(kSearchedBytes);
  const Bytes copies = pages(kSearchedBytes);
  std::vector<Rebuilt> all;
  for (const ByteSpan text : {ByteSpan(lines), ByteSpan(rows), ByteSpan(program), ByteSpan(copies)}) {
    for (const int level : {1, 6, 9}) all.push_back(rebuilt(text, level, kSearchedBytes));
  }
  for (const ByteSpan text : {ByteSpan(rows), ByteSpan(program)}) {
    for (const int level : {4, 6, 9}) all.push_back(rebuilt(text, level, kMemberBytes));
    for (const int level : {6, 9}) all.push_back(rebuilt(text, level, kShortMemberBytes));
  }
  add_search(prices, all);
  prices.push_back({"kLookNs", static_cast<double>(kLookNs), unpack_ns / static_cast<double>(program.size()) + least_ns(look) / bytes});
}

}  // namespace bdelta::bench
