// Streams of real producers: which of them need no corrections, and how much the others cost.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>

#include "deflate/round_trip.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/tar.hpp"
#include "view/deflate/inflate.hpp"

namespace bdelta::test::vectors_test {
namespace {

Bytes text_of_vectors() {
  Bytes text = wordy_bytes(14'000, 58);
  append(text, periodic_bytes(2000, 700, 58));
  append(text, random_bytes(1000, 58));
  append(text, wordy_bytes(7000, 59));
  return text;
}

// Of several pieces, where an encoder makes such.
Bytes long_text_of_vectors() {
  Bytes text = periodic_bytes(140'000, 9000, 60);
  append(text, text_of_vectors());
  append(text, periodic_bytes(70'000, 200, 61));
  append(text, text_of_vectors());
  return text;
}

// Of so few values that strangers meet in the buckets of a hash.
Bytes crowded_text_of_vectors() {
  Bytes text = random_bytes(66'000, 62);
  for (std::uint8_t& byte : text) byte &= 0xe0;
  append(text, wordy_bytes(4000, 63));
  return text;
}

// Files that begin alike, of sizes that rise.
Bytes tar_of_vectors() {
  std::vector<TarFile> files;
  for (unsigned i = 0; i < 16; ++i) files.push_back({"folder/file-" + std::to_string(i), 1'600'000'000, wordy_bytes(i * i * 130, 64 + i % 3)});
  return tar_of(files);
}

enum class Text { kShort, kLong, kCrowded, kTar };

Bytes make_text(Text text) {
  switch (text) {
    case Text::kShort: return text_of_vectors();
    case Text::kLong: return long_text_of_vectors();
    case Text::kCrowded: return crowded_text_of_vectors();
    default: return tar_of_vectors();
  }
}

struct Vector {
  const char* name;
  std::size_t most_recipe_bytes;
  bool exact;             // no token has to be corrected
  Text text = Text::kShort;
};

class Vectors : public ::testing::TestWithParam<Vector> {};

TEST_P(Vectors, ComeBack) {
  std::ifstream file(std::string(BDELTA_TESTDATA "/deflate/") + GetParam().name + ".deflate", std::ios::binary);
  const Bytes packed{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(packed.empty());
  const auto stream = deflate::inflate(packed);
  ASSERT_OK(stream);
  EXPECT_TRUE(same_bytes(make_text(GetParam().text), stream->raw()));
  const RoundTrip trip = round_trip(packed);
  EXPECT_EQ(GetParam().exact, trip.misses == 0);
  EXPECT_LE(trip.recipe_bytes, GetParam().most_recipe_bytes);
}

constexpr Vector kVectors[] = {{"gzip-1", 12, true},      {"gzip-6", 4, true},        {"node-1", 12, true},
                               {"node-6", 8, true}, {"node16-1", 12, true, Text::kCrowded}, {"node16-6", 12, true, Text::kCrowded},       {"java-1", 12, true},       {"zlib-ng-3", 14, true},
                               {"zlib-ng-5", 14, true},   {"zlib-ng-7", 14, true},    {"zlib-ng-9", 18, true},
                               {"zlib-rs-6", 14, true},      {"zlib-rs-6-tar", 14, true, Text::kTar},   {"zlib-rs-9", 18, true},    {"zlib-ng-1", 250, false},
                               {"go-1", 14, true},        {"go-2", 16, true},         {"go-5", 16, true},
                               {"go-6", 14, true},        {"go-huffman", 14, true},   {"go-1-flushed", 56, true},
                               {"go-6-flushed", 54, true}, {"go127-5", 5, true, Text::kLong}, {"go127-6", 6, true, Text::kLong},
                               {"klauspost-5-flushed", 11, true}, {"klauspost117-6", 6, true, Text::kLong}, {"pgzip", 16, true, Text::kLong},
                               {"libdeflate-6", 450, false},
                               {"7zip", 800, false},      {"libdeflate-12", 550, false}, {"zopfli", 600, false}};
INSTANTIATE_TEST_SUITE_P(Producers, Vectors, ::testing::ValuesIn(kVectors), [](const auto& vector) {
  std::string name = vector.param.name;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace bdelta::test::vectors_test
