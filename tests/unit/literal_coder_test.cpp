// The coder of literals: every run comes back, whatever the source and the code are, and nothing is read out of bounds.
#include <algorithm>
#include <memory>
#include <span>

#include <gtest/gtest.h>

#include "hash/xxh3.hpp"
#include "model/literal_model.hpp"
#include "model/range_coder.hpp"
#include "support/generate.hpp"

namespace bdelta::test::literal_coder_test {
namespace {

// A code in pieces of `piece` bytes.
class CodePieces final : public CodeFeed {
 public:
  CodePieces(ByteSpan code, std::size_t piece) : code_(code), piece_(piece) {}
  ByteSpan more() override {
    const ByteSpan next = code_.first(std::min(piece_, code_.size()));
    code_ = code_.subspan(next.size());
    return next;
  }

 private:
  ByteSpan code_;
  const std::size_t piece_;
};

// Insists on reads inside the source; from some read on they fail.
class StrictSource final : public RandomReader {
 public:
  explicit StrictSource(ByteSpan bytes, std::uint64_t sound_reads = ~std::uint64_t{0})
      : bytes_(bytes), sound_reads_(sound_reads) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override {
    EXPECT_LT(pos, bytes_.size());
    EXPECT_LE(out.size(), bytes_.size() - std::min<std::uint64_t>(pos, bytes_.size()));
    EXPECT_FALSE(out.empty());
    if (read_count_++ >= sound_reads_) return Error{ErrorCode::kReadFailed, "as the test asked for"};
    read_bytes_ += out.size();
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(pos), out.size(), out.begin());
    return {};
  }
  [[nodiscard]] std::uint64_t read_bytes() const { return read_bytes_; }
  [[nodiscard]] std::uint64_t read_count() const { return read_count_; }

 private:
  const ByteSpan bytes_;
  const std::uint64_t sound_reads_;
  std::uint64_t read_count_ = 0;
  std::uint64_t read_bytes_ = 0;
};

// The model as lane_models.hpp uses it, without the copies between the runs.
Result<Bytes> pack_literals(ByteSpan literals, std::span<const LiteralRun> runs, RandomReader& source) {
  RangeEncoder encoder;
  const auto model = std::make_unique<mix::LiteralModel>(source);
  for (const LiteralRun& run : runs) {
    BDELTA_TRY(model->begin(run));
    for (const std::uint8_t byte : literals.first(static_cast<std::size_t>(run.length))) model->code(encoder, byte);
    literals = literals.subspan(static_cast<std::size_t>(run.length));
  }
  return encoder.finish();
}

class LiteralUnpacker {
 public:
  LiteralUnpacker(CodeFeed& feed, RandomReader& source)
      : decoder_(feed), model_(std::make_unique<mix::LiteralModel>(source)) {}

  Status unpack(const LiteralRun& run, MutableByteSpan out) {
    if (!begun_) decoder_.begin();
    begun_ = true;
    BDELTA_TRY(model_->begin(run));
    for (std::uint8_t& byte : out) byte = model_->code(decoder_, 0);
    return {};
  }

  [[nodiscard]] bool ends_well() const noexcept { return decoder_.left() == 0 && (!begun_ || decoder_.ends_well()); }

 private:
  RangeDecoder decoder_;
  bool begun_ = false;
  std::unique_ptr<mix::LiteralModel> model_;
};

// A target of which some runs are literal, and where its copies come from.
struct Story {
  Bytes source;
  Bytes target;
  std::vector<LiteralRun> runs;

  [[nodiscard]] ByteSpan of(const LiteralRun& run) const {
    return ByteSpan(target).subspan(static_cast<std::size_t>(run.target_pos), static_cast<std::size_t>(run.length));
  }
  [[nodiscard]] Bytes literals() const {
    Bytes bytes;
    for (const LiteralRun& run : runs) {
      append(bytes, of(run));
    }
    return bytes;
  }
};

void set_before(LiteralRun& run, const Bytes& target) {
  for (std::size_t i = 0; i < run.before.size() && i < run.target_pos; ++i) {
    run.before[run.before.size() - 1 - i] = target[static_cast<std::size_t>(run.target_pos) - 1 - i];
  }
}

// Every `every` bytes of source a piece of `inserted`.
Story insertions(Bytes source, const Bytes& inserted, std::size_t every, std::size_t longest, std::uint64_t seed) {
  Story story;
  Random random(seed);
  std::size_t at = 0, used = 0;
  while (used < inserted.size()) {
    const auto copied = static_cast<std::size_t>(std::min<std::uint64_t>(random.below(2 * every), source.size() - at));
    append(story.target, ByteSpan(source).subspan(at, copied));
    at += copied;
    LiteralRun run;
    run.length = std::min<std::uint64_t>(random.below(longest), inserted.size() - used);
    run.target_pos = story.target.size();
    run.source_before = random.below(20) == 0 ? kNoSource : at;
    if (random.below(50) == 0) at = random.below(source.size() + 1);
    run.source_after = random.below(20) == 0 ? kNoSource : at;
    set_before(run, story.target);
    append(story.target, ByteSpan(inserted).subspan(used, static_cast<std::size_t>(run.length)));
    used += static_cast<std::size_t>(run.length);
    story.runs.push_back(run);
  }
  story.source = std::move(source);
  return story;
}

Bytes pack(const Story& story) {
  StrictSource source(story.source);
  auto packed = pack_literals(story.literals(), story.runs, source);
  EXPECT_TRUE(packed);
  return std::move(packed).value();
}

void expect_back(const Story& story, ByteSpan code, std::size_t piece) {
  StrictSource source(story.source);
  CodePieces feed(code, piece);
  LiteralUnpacker unpacker(feed, source);
  Bytes out;
  for (std::size_t i = 0; i < story.runs.size(); ++i) {
    const LiteralRun& run = story.runs[i];
    out.assign(static_cast<std::size_t>(run.length), 0xee);
    ASSERT_TRUE(unpacker.unpack(run, out));
    ASSERT_TRUE(std::equal(out.begin(), out.end(), story.of(run).begin())) << i;
  }
  EXPECT_TRUE(unpacker.ends_well());
}

void expect_round_trip(const Story& story) {
  const Bytes code = pack(story);
  expect_back(story, code, 1);
  expect_back(story, code, 1000);
}

// Numbers of 4 bytes that rise by small steps, as tables of programs hold them.
Bytes table_bytes(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  Bytes bytes;
  std::uint32_t value = 0x10000;
  while (bytes.size() < size) append_le(bytes, value += static_cast<std::uint32_t>(random.below(64)) * 4);
  bytes.resize(size);
  return bytes;
}

TEST(LiteralCoder, TextComesBack) {
  expect_round_trip(insertions(wordy_bytes(200000, 1), wordy_bytes(8000, 2), 400, 60, 3));
}

TEST(LiteralCoder, TablesComeBack) {
  expect_round_trip(insertions(table_bytes(300000, 1), table_bytes(8000, 2), 1000, 300, 3));
}

TEST(LiteralCoder, RandomBytesComeBackAndTakeHardlyMoreThanTheyAre) {
  const Story story = insertions(random_bytes(50000, 1), random_bytes(40000, 2), 100, 500, 3);
  expect_round_trip(story);
  EXPECT_LT(pack(story).size(), 40000u * 106 / 100);
}

TEST(LiteralCoder, NothingTakesNothing) {
  Story story;
  EXPECT_TRUE(pack(story).empty());
  expect_round_trip(story);
  story.source = wordy_bytes(100, 1);
  story.runs.resize(3);  // of no bytes
  EXPECT_TRUE(pack(story).empty());
  expect_round_trip(story);
}

TEST(LiteralCoder, RunsWithoutSourceComeBack) {
  Story story = insertions(wordy_bytes(1, 1), wordy_bytes(5000, 2), 1, 1000, 3);
  story.source.clear();
  expect_round_trip(story);
}

// More literals than the history holds, so that its ring goes round.
TEST(LiteralCoder, OneVeryLongRunComesBack) {
  Story story;
  story.source = wordy_bytes(70000, 4);
  story.target = periodic_bytes(700000, 5000, 1);
  LiteralRun run;
  run.length = story.target.size();
  story.runs.push_back(run);
  const Bytes code = pack(story);
  expect_back(story, code, 4096);
  EXPECT_LT(code.size(), 14000u) << "it repeats itself";
}

// Both sides of the places where blocks and parts of the source meet.
TEST(LiteralCoder, AnyPlaceInTheSourceWillDo) {
  Story story;
  story.source = wordy_bytes(16384 * 3 + 5, 6);
  story.target = wordy_bytes(4000, 7);
  const std::uint64_t middles[] = {0, 4096, 16384, 32768, 49152, 49157, 1ull << 40, kNoSource - 4096, kNoSource - 1};
  for (const std::uint64_t middle : middles) {
    for (int step = -2; step <= 2; ++step) {
      LiteralRun run;
      run.target_pos = story.runs.size() * 20;
      run.length = 20;
      run.source_before = middle + static_cast<std::uint64_t>(step);
      run.source_after = middle - static_cast<std::uint64_t>(step);
      set_before(run, story.target);
      story.runs.push_back(run);
    }
  }
  expect_round_trip(story);
}

TEST(LiteralCoder, SourceNearbyHelps) {
  const Bytes source = wordy_bytes(300000, 1);
  // Words as they stand elsewhere in the source.
  const Story story = insertions(source, Bytes(source.begin() + 100000, source.begin() + 104000), 3000, 60, 3);
  Story alone = story;
  alone.source.clear();
  EXPECT_LT(pack(story).size() * 10, pack(alone).size() * 9);
}

TEST(LiteralCoder, BytesBeforeARunHelp) {
  const Bytes text = wordy_bytes(60000, 1);
  Story story;
  story.target = text;
  for (std::size_t at = 8; at + 4 < text.size(); at += 12) {
    LiteralRun run;
    run.target_pos = at;
    run.length = 4;
    set_before(run, text);
    story.runs.push_back(run);
  }
  Story blind = story;
  for (LiteralRun& run : blind.runs) run.before.fill(0);
  EXPECT_LT(pack(story).size() * 10, pack(blind).size() * 9);
}

TEST(LiteralCoder, CodeIsSmall) {
  const Story story = insertions(wordy_bytes(200000, 1), wordy_bytes(20000, 2), 400, 60, 3);
  EXPECT_LT(pack(story).size(), 20000u * 3 / 5);
}

TEST(LiteralCoder, SourceIsReadInProportionToTheLiterals) {
  Story story;
  story.source = wordy_bytes(std::size_t{8} << 20, 1);
  story.target = bytes_of("abcdefgh");
  Random random(1);
  for (int i = 0; i < 4000; ++i) {
    LiteralRun run;
    run.length = 1;
    run.source_before = random.below(story.source.size());
    run.source_after = random.below(story.source.size());
    story.runs.push_back(run);
  }
  StrictSource source(story.source);
  ASSERT_TRUE(pack_literals(story.literals(), story.runs, source));
  EXPECT_GT(source.read_bytes(), 0u);
  EXPECT_LE(source.read_bytes(), 4096u * 1024 + 16 * 4000);
}

TEST(LiteralCoder, AnyCodeIsDecodedToTheEnd) {
  const Story story = insertions(wordy_bytes(60000, 1), wordy_bytes(6000, 2), 300, 60, 3);
  const Bytes good = pack(story);
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Bytes code = seed < 4 ? random_bytes(seed * 1500, seed) : good;
    if (seed >= 4) code[static_cast<std::size_t>(seed * code.size() / 13)] ^= 0x55;
    StrictSource source(story.source);
    CodePieces feed(code, 512);
    LiteralUnpacker unpacker(feed, source);
    Bytes all;
    for (const LiteralRun& run : story.runs) {
      Bytes out(static_cast<std::size_t>(run.length));
      ASSERT_TRUE(unpacker.unpack(run, out));
      append(all, out);
    }
    EXPECT_NE(story.literals(), all) << seed;
  }
}

TEST(LiteralCoder, ACodeWithMoreBytesDoesNotEndWell) {
  const Story story = insertions(wordy_bytes(6000, 1), wordy_bytes(600, 2), 300, 60, 3);
  Bytes code = pack(story);
  code.push_back(1);
  StrictSource source(story.source);
  CodePieces feed(code, 512);
  LiteralUnpacker unpacker(feed, source);
  for (const LiteralRun& run : story.runs) {
    Bytes out(static_cast<std::size_t>(run.length));
    ASSERT_TRUE(unpacker.unpack(run, out));
  }
  EXPECT_FALSE(unpacker.ends_well());
}

TEST(LiteralCoder, ErrorsOfTheSourceComeThrough) {
  const Story story = insertions(wordy_bytes(200000, 1), wordy_bytes(6000, 2), 2000, 60, 3);
  const Bytes code = pack(story);
  for (const std::uint64_t sound_reads : {0u, 1u, 3u}) {
    StrictSource source(story.source, sound_reads);
    auto failed = pack_literals(story.literals(), story.runs, source);
    ASSERT_FALSE(failed);
    EXPECT_EQ(ErrorCode::kReadFailed, failed.error().code);
    StrictSource again(story.source, sound_reads);
    CodePieces feed(code, 512);
    LiteralUnpacker unpacker(feed, again);
    bool stopped = false;
    for (const LiteralRun& run : story.runs) {
      Bytes out(static_cast<std::size_t>(run.length));
      const Status status = unpacker.unpack(run, out);
      if (status) continue;
      EXPECT_EQ(ErrorCode::kReadFailed, status.error().code);
      stopped = true;
      break;
    }
    EXPECT_TRUE(stopped);
  }
}

// The code is part of a patch: any build gives these bytes. They change with the model only.
TEST(LiteralCoder, EveryBuildGivesTheSameCode) {
  const Story text = insertions(wordy_bytes(100000, 1), wordy_bytes(8000, 2), 400, 60, 3);
  const Story table = insertions(table_bytes(100000, 1), table_bytes(8000, 2), 1000, 300, 3);
  EXPECT_EQ(672167547u, xxh3_32(pack(text)));
  EXPECT_EQ(2295107820u, xxh3_32(pack(table)));
}

}  // namespace
}  // namespace bdelta::test::literal_coder_test
