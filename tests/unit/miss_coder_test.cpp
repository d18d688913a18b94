// The model of missed bytes: every copy comes back, whatever changed in it and whatever the code is.
#include <memory>

#include <gtest/gtest.h>

#include "model/modelled_scope.hpp"
#include "model/miss_model.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/whole_code.hpp"

namespace bdelta::test::miss_coder_test {
namespace {

constexpr std::uint64_t kFirstPos = 100;

// Copied bytes and what becomes of them, in copies of these lengths; what is left is one more.
struct Story {
  Bytes copied;
  Bytes target;
  std::vector<std::size_t> lengths;
};

// Each copy of the story, from the bytes in `bytes` on.
template <class Coder>
void go_through(mix::MissModel& model, Coder& coder, const Story& story, Bytes& bytes) {
  std::size_t at = 0;
  for (std::size_t i = 0; at < bytes.size(); ++i) {
    const std::size_t left = bytes.size() - at;
    const std::size_t length = i < story.lengths.size() ? std::min(story.lengths[i], left) : left;
    const std::uint8_t* target = Coder::kDecoding ? nullptr : story.target.data() + at;
    model.code(coder, kFirstPos + at, MutableByteSpan(bytes).subspan(at, length), target, nullptr);
    at += length;
  }
}

Bytes pack(const Story& story, unsigned log = kMinMissLog) {
  const auto model = std::make_unique<mix::MissModel>(log);
  RangeEncoder encoder;
  Bytes bytes = story.copied;
  go_through(*model, encoder, story, bytes);
  EXPECT_TRUE(same_bytes(story.target, bytes)) << "packing makes the target, too";
  return encoder.finish();
}

struct Unpacked {
  Bytes bytes;
  bool ends_well;
  std::uint64_t changed_count;
};

Unpacked unpack(ByteSpan code, const Story& story, unsigned log = kMinMissLog) {
  const auto model = std::make_unique<mix::MissModel>(log);
  WholeCode feed(code);
  RangeDecoder decoder(feed);
  decoder.begin();
  Bytes bytes = story.copied;
  go_through(*model, decoder, story, bytes);
  return {bytes, decoder.left() == 0 && decoder.ends_well(), model->changed_count()};
}

std::uint64_t count_changes(const Story& story) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < story.copied.size(); ++i) count += story.copied[i] != story.target[i];
  return count;
}

// Words in which what follows certain pairs changes, and some bytes change by chance.
Story bent_words(std::size_t size, std::uint64_t seed) {
  Story story{wordy_bytes(size, seed), {}, {1, 2, 3, 4, 5, 700, 1, 1, 3000}};
  story.target = story.copied;
  Random random(seed);
  for (std::size_t i = 2; i < size; ++i) {
    if ((story.copied[i - 2] * 31 + story.copied[i - 1] * 7) % 61 == 3) ++story.target[i];
    if (random.below(500) == 0) story.target[i] = static_cast<std::uint8_t>(random.below(256));
  }
  return story;
}

// Of bytes of sixteen values certain pairs change the byte behind them.
Story bent_nibbles(std::size_t size) {
  Story story{random_bytes(size, 3), {}, {}};
  for (std::uint8_t& byte : story.copied) byte &= 15;
  story.target = story.copied;
  for (std::size_t i = 2; i < size; ++i) {
    if ((story.copied[i - 2] * 31 + story.copied[i - 1] * 7) % 61 == 3) ++story.target[i];
  }
  return story;
}

// Records of one length with a number at the same place, each grown by the same.
Story records(std::size_t count) {
  Story story{random_bytes(count * 24, 5), {}, {}};
  story.target = story.copied;
  for (std::size_t i = 6; i < story.target.size(); i += 24) story.target[i] = static_cast<std::uint8_t>(story.target[i] + 3);
  return story;
}

Story all_changed(std::size_t size) {
  Story story{wordy_bytes(size, 6), random_bytes(size, 7), {9, 9, 9}};
  return story;
}

std::vector<Story> stories() {
  std::vector<Story> all = {bent_words(20'000, 1), records(500), all_changed(3000),
                            {wordy_bytes(5000, 8), wordy_bytes(5000, 8), {}}, {{7}, {9}, {}}, {{7}, {7}, {}}, {{}, {}, {}}};
  Story short_copies = bent_words(2000, 9);
  short_copies.lengths.assign(2000, 1);
  all.push_back(short_copies);
  return all;
}

TEST(MissCoder, EveryCopyComesBack) {
  for (const unsigned log : {kMinMissLog, kMinMissLog + 2, kMaxMissLog}) {
    for (const Story& story : stories()) {
      const auto unpacked = unpack(pack(story, log), story, log);
      EXPECT_TRUE(same_bytes(story.target, unpacked.bytes));
      EXPECT_TRUE(unpacked.ends_well);
      EXPECT_EQ(count_changes(story), unpacked.changed_count);
    }
  }
}

// What a changed code says is something, found in bounded time and memory; its end tells nearly always.
TEST(MissCoder, AnyCodeIsSomething) {
  const Story story = bent_words(6000, 11);
  const Bytes code = pack(story);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Bytes damaged = seed % 2 == 0 ? random_bytes(code.size(), seed) : code;
    damaged[static_cast<std::size_t>(seed) * 7 % damaged.size()] ^= 0x40;
    const auto unpacked = unpack(damaged, story);
    EXPECT_EQ(story.copied.size(), unpacked.bytes.size());
    EXPECT_FALSE(same_bytes(story.target, unpacked.bytes));
  }
}

TEST(MissCoder, WhatFollowsFromNeighboursTakesLittle) {
  const Story story = bent_nibbles(100'000);
  EXPECT_LT(pack(story, 16).size() * 4, count_changes(story));
  const Story regular = records(4000);
  EXPECT_LT(pack(regular).size() * 10, count_changes(regular));
}

struct Recorder {
  static constexpr bool kDecoding = false;
  std::vector<std::uint32_t> ones;
  unsigned bit(unsigned bit, std::uint32_t one) {
    ones.push_back(one);
    return bit;
  }
  void enter(StreamId) {}
};

// The example of MODELLED_BYTES.md.
TEST(MissCoder, EveryProbabilityIsAsSpecified) {
  mix::MissModel model(12);
  Recorder recorder;
  Bytes first = bytes_of("abcab"), second = bytes_of("xyzbxyzc");
  model.code(recorder, 100, first, bytes_of("afdab").data(), nullptr);
  model.code(recorder, 105, second, bytes_of("xyzfxyzd").data(), nullptr);
  EXPECT_EQ((std::vector<std::uint32_t>{
                27940, 32768, 32830, 32830, 32830, 32830, 32830, 32830, 32830,                //
                32768, 32768, 32768, 32768, 32768, 32705, 32705, 32768, 27689,                //
                32768, 32768, 32768, 32768, 32768, 32768, 32705, 32768, 38598, 27940,         //
                32768, 32830, 32830, 32830, 32830, 32830, 32830, 32830,                       //
                13461, 13106, 52650, 12530, 12220, 11922, 11696, 11501, 29570,                //
                32768, 32830, 32830, 32830, 32830, 32830, 32830, 32830,                       //
                32768, 50480, 32705, 32768, 32768, 32705, 32705, 32512}),
            recorder.ones);
  recorder.ones.clear();
  Bytes third, wanted;
  for (int i = 0; i < 30; ++i) {
    append(third, bytes_of("no. 1; "));
    append(wanted, bytes_of(i == 20 || i == 21 ? "no. 1; " : "no. 2; "));
  }
  for (Bytes* bytes : {&third, &wanted}) append(*bytes, bytes_of("and so on, without an end"));
  model.code(recorder, 113, third, wanted.data(), nullptr);
  std::uint32_t hash = 0x5bd1e995;
  for (const std::uint32_t one : recorder.ones) hash = mix::hash_join(hash, one);
  EXPECT_EQ(172u, recorder.ones.size());
  EXPECT_EQ(0x7f865345u, hash);
}

// Stretches shorter and longer than what a scan is worth.
void expect_cool_lengths(mix::ColdScan scan) {
  const Bytes copy = wordy_bytes(3000, 14);
  const mix::MissHeat heat(scan);
  const auto place_at = [&](std::size_t at) {
    mix::MissPlace place{0, 0x01020304};
    for (std::size_t i = 0; i < at; ++i) place.behind = place.behind << 8 | copy[i];
    for (std::size_t i = at; i < at + 4; ++i) place.ahead = place.ahead << 8 | (i < copy.size() ? copy[i] : 0u);
    return place;
  };
  for (const std::size_t hot : {700u, 1500u, 2999u}) heat.at(place_at(hot)).learn(true);
  // Each table alone knows of a place.
  std::size_t alone = 100;
  for (const auto entry : {&mix::MissHeat::Entries::pair, &mix::MissHeat::Entries::before,
                           &mix::MissHeat::Entries::triple, &mix::MissHeat::Entries::next}) {
    *(heat.at(place_at(alone)).*entry) = 60;
    *(heat.at(place_at(alone + 1)).*entry) = 59;
    alone += 501;
  }
  std::size_t longest = 0;
  for (const std::size_t most : {20u, 40u, 300u}) {
    std::uint32_t behind = 0x01020304;
    for (std::size_t at = 0; at < copy.size(); ++at) {
      std::size_t warm = at;
      while (warm < std::min(at + most, copy.size()) && !heat.at(place_at(warm)).warm()) ++warm;
      ASSERT_EQ(warm - at, heat.cool_length(copy, at, std::min(at + most, copy.size()), behind)) << at;
      behind = behind << 8 | copy[at];
      longest = std::max(longest, warm - at);
    }
  }
  EXPECT_LT(100u, longest);
}

TEST(MissHeat, CoolLengthEndsAtTheFirstWarmByte) { expect_cool_lengths(nullptr); }

TEST(MissHeat, CoolLengthIsTheSameByTheScanOfThisProcessor) { expect_cool_lengths(mix::best_cold_scan()); }

TEST(MissHeat, RisesFastAndFallsSlowly) {
  const mix::MissHeat heat;
  const mix::MissHeat::Entries entries = heat.at({0x41424344, 0x45});
  EXPECT_FALSE(entries.warm());
  entries.learn(false);
  EXPECT_EQ(0, *entries.pair);
  entries.learn(true);
  EXPECT_TRUE(entries.warm());
  int quiet = 0;
  for (; entries.warm(); ++quiet) entries.learn(false);
  EXPECT_EQ(2, quiet);
  for (int i = 0; i < 10; ++i) entries.learn(true);
  EXPECT_EQ(255, *entries.triple);
  EXPECT_EQ(63u, entries.heat_class());
}

}  // namespace
}  // namespace bdelta::test::miss_coder_test
