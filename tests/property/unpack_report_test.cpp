// What the report of making says of NEW's streams: how many became what.
#include "deflate/round_trip.hpp"
#include "deflate/zlib_stream.hpp"
#include "property/view_pairs.hpp"

namespace bdelta::test::unpack_report_test {
namespace {

using namespace view_pairs;

UnpackReport report_of(const std::vector<ZipMember>& before, const std::vector<ZipMember>& after,
                       const CreateOptions& options = create_options(3)) {
  const Bytes old_file = zip_of(before), new_file = zip_of(after);
  const auto made = make_reported(old_file, new_file, options);
  EXPECT_OK(made);
  if (!made) return {};
  expect_rebuilt(old_file, made->bytes, new_file);
  return made->report.unpack;
}

void expect_streams(const UnpackReport::Streams& streams, std::uint64_t count, std::uint64_t bytes) {
  EXPECT_EQ(count, streams.count);
  EXPECT_EQ(bytes, streams.bytes);
}

// Of no encoder there is: what is to be said of it takes more than a quarter of it.
Bytes costly_stream() {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Bytes packed = odd_stream(seed);
    const auto analysis = deflate::Analyser().analyse(packed);
    EXPECT_OK(analysis);
    if (packed.size() > 1000 && deflate::recipe_cost_bytes(analysis->recipe, analysis->sizes()) > packed.size() / 4) return packed;
  }
  ADD_FAILURE() << "none is costly";
  return {};
}

std::uint64_t packed_bytes(const Bytes& content) { return zlib_deflate(content, {}).size(); }

TEST(UnpackReport, CountsByWhatBecameOfThem) {
  std::vector<ZipMember> before = members_of(4), after = before;
  after[0].content = changed(after[0].content);
  const Bytes odd = costly_stream();
  after[1] = {"odd", zlib_inflate(odd)->raw, 6};
  after[1].packed = odd;
  Bytes broken = zlib_deflate(text_of(9), {});
  broken.resize(broken.size() / 2);
  after.push_back({"broken", text_of(9), 6});
  after.back().packed = broken;
  after.push_back({"secret", text_of(10), 6});
  after.back().encrypted = true;
  const UnpackReport report = report_of(before, after);
  expect_streams(report.unpacked, 1, packed_bytes(after[0].content));
  expect_streams(report.same, 2, packed_bytes(before[2].content) + packed_bytes(before[3].content));
  expect_streams(report.costly, 1, odd.size());
  expect_streams(report.damaged, 1, broken.size());
  expect_streams(report.encrypted, 1, packed_bytes(text_of(10)));
  expect_streams(report.no_room, 0, 0);
  EXPECT_EQ(report.costly.bytes + report.damaged.bytes + report.encrypted.bytes, report.left_bytes());
}

TEST(UnpackReport, AtAnyCostNoneIsCostlyOrTheSame) {
  std::vector<ZipMember> before = members_of(3), after = before;
  after[0].content = changed(after[0].content);
  const Bytes odd = costly_stream();
  after[1] = {"odd", zlib_inflate(odd)->raw, 6};
  after[1].packed = odd;
  CreateOptions options = create_options(3);
  options.unpack = Unpack::kAll;
  const UnpackReport report = report_of(before, after, options);
  expect_streams(report.unpacked, 3, packed_bytes(after[0].content) + odd.size() + packed_bytes(after[2].content));
  expect_streams(report.same, 0, 0);
  expect_streams(report.costly, 0, 0);
  EXPECT_EQ(0u, report.left_bytes());
}

// That deflate finds again, and faster codecs pass over.
Bytes short_words() {
  constexpr std::size_t kWordBytes = 4;
  const Bytes words = random_bytes(1000 * kWordBytes, 1);
  Random random(2);
  Bytes bytes;
  while (bytes.size() < 200'000) {
    append(bytes, ByteSpan(words).subspan(kWordBytes * random.below(1000), kWordBytes));
    append(bytes, random_bytes(random.below(3), bytes.size()));
  }
  return bytes;
}

// What is all new takes no more bytes than without unpacking, though the fastest level packs worse than NEW's encoder.
TEST(UnpackReport, WhatOldHasNothingOf) {
  const std::vector<ZipMember> before = members_of(2);
  std::vector<ZipMember> after = before;
  after.push_back({"new", short_words(), 9});
  const UnpackReport report = report_of(before, after, create_options(1));
  expect_streams(report.unlike, 1, zlib_deflate(after[2].content, {.level = 9}).size());
  expect_streams(report.unpacked, 0, 0);
  EXPECT_EQ(2u, report.same.count);
  EXPECT_EQ(0u, report.left_bytes());
  const auto patch = make_patch(zip_of(before), zip_of(after), create_options(1));
  const auto packed = make_patch(zip_of(before), zip_of(after), packed_options(1));
  ASSERT_OK(patch);
  ASSERT_OK(packed);
  EXPECT_TRUE(same_bytes(*packed, *patch));
}

TEST(UnpackReport, NoRoomOrNothingAsked) {
  std::vector<ZipMember> after = {{"zeros", Bytes(20 * kMiB), 6}};
  CreateOptions options = create_options(3);
  options.memory_limit_bytes = 64 * kMiB;
  const UnpackReport report = report_of(members_of(1), after, options);
  expect_streams(report.unpacked, 0, 0);
  expect_streams(report.no_room, 1, packed_bytes(after[0].content));
  EXPECT_EQ(report.no_room.bytes, report.left_bytes());
  const UnpackReport packed = report_of(members_of(1), members_of(2), packed_options(3));
  expect_streams(packed.unpacked, 0, 0);
  EXPECT_EQ(0u, packed.left_bytes());
}

}  // namespace
}  // namespace bdelta::test::unpack_report_test
