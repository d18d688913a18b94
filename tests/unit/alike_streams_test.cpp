// Which streams stay packed because the other file has them, and which are kept beside their text.
#include "create/alike_streams.hpp"

#include "base/deciding/archives.hpp"
#include "create/missing_text.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"

namespace bdelta::test::alike_streams_test {
namespace {

constexpr std::size_t kStreamBytes = 100, kHeadBytes = 10;

using Names = std::vector<std::string>;

// Streams of one file, each with a head, by name and by what they hold.
struct Listed {
  Bytes file;
  FoundStreams streams;

  void add(const std::string& name, std::uint64_t content) {
    file.resize(file.size() + kHeadBytes);
    streams.push_back({file.size(), kStreamBytes, 2 * kStreamBytes, name});
    append(file, random_bytes(kStreamBytes, content));
  }
};

Names names_of(const FoundStreams& streams) {
  Names all;
  for (const view::FoundStream& stream : streams) all.push_back(stream.name);
  return all;
}

struct Choice {
  Names unpacked;
  Names of_target;
  view::KeptRanges kept;
};

Choice choose(const Listed& source, Listed target, const WantedTexts& wanted = {}) {
  UnpackReport::Streams same;
  const AlikeStreams alike(source.file, source.streams, target.file, target.streams, same);
  EXPECT_EQ(same.count * kStreamBytes, same.bytes);
  const ChosenStreams chosen = alike.choose(source.file, source.streams, wanted);
  return {names_of(chosen.unpacked), names_of(target.streams), chosen.kept};
}

WantedTexts wanted(std::uint64_t content) { return {false, {xxh3_128(random_bytes(kStreamBytes, content))}}; }

void expect_range(const view::KeptRange& range, std::uint64_t first, std::uint64_t count) {
  EXPECT_EQ(first * (kHeadBytes + kStreamBytes), range.file_pos);
  EXPECT_EQ(count * (kHeadBytes + kStreamBytes), range.bytes);
}

TEST(AlikeStreams, AllStayPackedHoweverManyThereAre) {
  Listed source, target;
  for (int i = 0; i < 50; ++i) {
    source.add("same" + std::to_string(i), 1);
    target.add("same" + std::to_string(i), 1);
  }
  source.add("changed", 2);
  target.add("changed", 3);
  const Choice choice = choose(source, target);
  EXPECT_EQ(Names{"changed"}, choice.unpacked);
  EXPECT_EQ(Names{"changed"}, choice.of_target);
  EXPECT_TRUE(choice.kept.empty());
}

TEST(AlikeStreams, ButForThoseThatChangeUnderTheirName) {
  Listed source, target;
  source.add("a", 1);
  source.add("b", 1);
  target.add("a", 1);
  target.add("b", 2);
  const Choice choice = choose(source, target);
  EXPECT_EQ(Names{"b"}, choice.unpacked);
  EXPECT_EQ(Names{"b"}, choice.of_target);
  EXPECT_TRUE(choice.kept.empty());
}

TEST(AlikeStreams, OneIsKeptWhereAllAreUnpackedAndNewHasIt) {
  Listed source, target;
  source.add("first", 3);
  source.add("a", 1);
  target.add("a", 2);
  target.add("moved", 1);
  const Choice choice = choose(source, target);
  EXPECT_EQ((Names{"first", "a"}), choice.unpacked);
  EXPECT_EQ(Names{"a"}, choice.of_target);
  ASSERT_EQ(1u, choice.kept.size());
  expect_range(choice.kept[0], 1, 1);
}

TEST(AlikeStreams, NothingIsLeftOutThatTheOtherFileHasNot) {
  Listed source, target;
  source.add("gone", 1);
  target.add("come", 2);
  const Choice choice = choose(source, target);
  EXPECT_EQ(Names{"gone"}, choice.unpacked);
  EXPECT_EQ(Names{"come"}, choice.of_target);
  EXPECT_TRUE(choice.kept.empty());
}

TEST(AlikeStreams, WhatIsWantedIsUnpackedAndKept) {
  Listed source, target;
  for (std::uint64_t i = 0; i < 6; ++i) {
    source.add("file" + std::to_string(i), i);
    target.add("file" + std::to_string(i), i);
  }
  target.add("new", 77);
  EXPECT_EQ(Names{}, choose(source, target).unpacked);
  const Choice one = choose(source, target, wanted(3));
  EXPECT_EQ(Names{"file3"}, one.unpacked);
  EXPECT_EQ(Names{"new"}, one.of_target);
  ASSERT_EQ(1u, one.kept.size());
  expect_range(one.kept[0], 3, 1);
  WantedTexts three = wanted(1);
  three.of.insert(xxh3_128(random_bytes(kStreamBytes, 4)));
  three.of.insert(xxh3_128(random_bytes(kStreamBytes, 5)));
  const Choice joined = choose(source, target, three);
  EXPECT_EQ((Names{"file1", "file4", "file5"}), joined.unpacked);
  ASSERT_EQ(2u, joined.kept.size());
  expect_range(joined.kept[0], 1, 1);
  expect_range(joined.kept[1], 4, 2);
  const Choice all = choose(source, target, {true});
  EXPECT_EQ(6u, all.unpacked.size());
  ASSERT_EQ(1u, all.kept.size());
  expect_range(all.kept[0], 0, 6);
}

// Another one that is alike stays packed, so nothing need be kept.
TEST(AlikeStreams, OfSeveralThatAreWantedOneIsUnpacked) {
  Listed source, target;
  source.add("a", 1);
  source.add("b", 1);
  target.add("a", 1);
  target.add("new", 2);
  const Choice choice = choose(source, target, wanted(1));
  EXPECT_EQ(Names{"a"}, choice.unpacked);
  EXPECT_TRUE(choice.kept.empty());
}

constexpr auto kNewBits = static_cast<double>(kNewByteBits);

TEST(MissingText, IsTakenOnce) {
  const Bytes known = random_bytes(100'000, 1), fresh = random_bytes(50'000, 2), other = random_bytes(50'000, 3);
  Bytes target = known;
  append(target, fresh);
  MissingText missing(known, target, {{0, 0, known.size()}});
  EXPECT_NEAR(50'000 * kNewBits, static_cast<double>(missing.bits()), 100);
  EXPECT_EQ(0u, missing.take(known));
  EXPECT_EQ(0u, missing.take(other));
  const std::uint64_t all = missing.bits();
  EXPECT_NEAR(static_cast<double>(all), static_cast<double>(missing.take(fresh)), 100);
  EXPECT_EQ(0u, missing.take(fresh));
  (void)missing.take(target);
  EXPECT_EQ(0u, missing.bits());
  EXPECT_EQ(0u, MissingText({}, Bytes(31), {}).bits());
}

// Fewer samples, that stand for more each.
TEST(MissingText, MayBeAll) {
  const Bytes target = random_bytes(2'000'000, 1);
  MissingText missing({}, target, {});
  EXPECT_NEAR(2'000'000 * kNewBits, static_cast<double>(missing.bits()), 1'000);
  EXPECT_NEAR(500'000 * kNewBits, static_cast<double>(missing.take(ByteSpan(target).subspan(700'000, 500'000))), 1'000);
}

TEST(MissingText, IsAlsoWhatChangesInCopies) {
  const Bytes source = random_bytes(100'000, 1);
  Bytes target = source;
  for (std::size_t pos = 500; pos < target.size(); pos += 1000) target[pos] ^= 1;
  MissingText missing(source, target, {{0, 0, source.size()}});
  EXPECT_NEAR(100.0 * kChangedByteBits, static_cast<double>(missing.bits()), 30.0);
  const std::uint64_t all = missing.bits();
  EXPECT_EQ(0u, missing.take(source));
  EXPECT_NEAR(static_cast<double>(all) / 2, static_cast<double>(missing.take(ByteSpan(target).first(50'000))), 12.0);
}

// Where some hundred bytes are all that a text has.
TEST(MissingText, IsToldInShortTexts) {
  const Bytes target = random_bytes(20'000, 1);
  MissingText missing({}, target, {});
  for (std::size_t pos = 0; pos < 20'000; pos += 1000) {
    const auto bits = static_cast<double>(missing.take(ByteSpan(target).subspan(pos, 150)));
    EXPECT_NEAR(130 * kNewBits, bits, 50 * kNewBits);
  }
}

}  // namespace
}  // namespace bdelta::test::alike_streams_test
