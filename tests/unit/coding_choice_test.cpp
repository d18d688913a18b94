// What is estimated and coded to compare ways of making a patch: the bytes are those of the patch, and estimates of use.
#include "format/native/modelled_choice.hpp"
#include "format/native/size_estimate.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test::coding_choice_test {
namespace {

constexpr CodecSettings kLzma{CodecId::kLzma, 6, 0};

struct Pair {
  Bytes source;
  Bytes target;
};

Pair wordy_pair() {
  Pair pair{wordy_bytes(200'000, 1), {}};
  pair.target = edited(pair.source, random_edits(60, pair.source.size(), 3000, 2));
  for (std::size_t i = 7; i < pair.target.size(); i += 37) pair.target[i] ^= 4;
  return pair;
}

TEST(CodedGroups, AreWrittenAsThoseThatAreAdded) {
  const Pair pair = wordy_pair();
  const Covers covers = covers_of(pair.source, pair.target);
  for (const bool covers_apart : {false, true}) {
    for (const bool misses : {false, true}) {
      Craft craft;
      craft.codec = kLzma;
      craft.model = craft.modelled_literals = true;
      craft.modelled_misses = misses;
      craft.covers_apart = covers_apart;
      const Bytes added = craft_patch(pair.source, pair.target, covers, craft);
      craft.coded_first = true;
      EXPECT_TRUE(same_bytes(added, craft_patch(pair.source, pair.target, covers, craft)));
    }
  }
}

std::vector<GroupDraft> drafts_of(const Pair& pair, const Covers& covers) {
  std::vector<GroupDraft> drafts;
  drafts.push_back(encode_group(pair.source, pair.target, covers, {{0, pair.target.size(), false, 0}}, 1 << 20));
  return drafts;
}

// Where they are many, fast levels would spend more time on them than on all else.
TEST(ContextCoder, IsTriedWhereNumbersAreFewBesideTheTarget) {
  Pair pair{random_bytes(2'000'000, 5), {}};
  pair.target = edited(pair.source, random_edits(150, pair.source.size(), 40, 6));
  const Covers covers = covers_of(pair.source, pair.target);
  const auto written_bytes = [&](bool model, std::uint64_t target_share) {
    WorkerPool pool(1);
    io::Spool body;
    native::WriterSettings settings{kQuickCodec, kQuickCodec, kQuickCodec, model};
    settings.model_target_share = target_share;
    native::Writer writer(settings, body, pool);
    std::vector<GroupDraft> drafts = drafts_of(pair, covers);
    EXPECT_OK(writer.add_groups(drafts));
    return body.size();
  };
  const std::uint64_t packed_bytes = written_bytes(true, 0);
  const std::uint64_t coded_bytes = written_bytes(false, 0);
  EXPECT_LT(packed_bytes + 20, coded_bytes);
  EXPECT_EQ(packed_bytes, written_bytes(true, 1024));
  EXPECT_EQ(coded_bytes, written_bytes(true, 100'000));
}

TEST(SizeEstimate, IsTheSizeWhereTheCodecIsTheSame) {
  const Pair pair = wordy_pair();
  WorkerPool pool(2);
  io::Spool body;
  native::Writer writer({kQuickCodec, kQuickCodec, kQuickCodec}, body, pool);
  std::vector<GroupDraft> drafts = drafts_of(pair, covers_of(pair.source, pair.target));
  const auto estimate = native::estimate_groups(drafts, writer.settings(), native::Estimate::kLikely, pool);
  ASSERT_OK(estimate);
  ASSERT_OK(writer.add_groups(drafts));
  std::uint64_t coded_bytes = 0;
  for (const std::uint64_t bytes : writer.totals().coded) coded_bytes += bytes;
  EXPECT_EQ(coded_bytes, *estimate);
}

// Copies alone: the context coder may leave much less of their numbers than the quick codec does.
TEST(SizeEstimate, ThatIsLowIsNoMoreThanWhatIsWritten) {
  Pair pair{random_bytes(400'000, 5), {}};
  Covers covers;
  Random random(6);
  for (std::uint64_t pos = 0; pos < 300'000; pos += 60) {
    const std::uint64_t from = random.below(300'000);
    append(pair.target, ByteSpan(pair.source).subspan(from, 60));
    covers.push_back({from, pos, 60});
  }
  WorkerPool pool(1);
  io::Spool body;
  native::Writer writer({kLzma, kLzma, kLzma, true}, body, pool);
  std::vector<GroupDraft> drafts = drafts_of(pair, covers);
  const auto low = native::estimate_groups(drafts, writer.settings(), native::Estimate::kLow, pool);
  ASSERT_OK(low);
  ASSERT_OK(writer.add_groups(drafts));
  std::uint64_t coded_bytes = 0;
  for (const std::uint64_t bytes : writer.totals().coded) coded_bytes += bytes;
  EXPECT_LE(*low, coded_bytes);
}

// A kilobyte of words takes zstd less than LZMA, many of them more.
TEST(CodedGroups, HaveFewLiteralsByTheCodecThatMakesLessOfThem) {
  const Bytes source = random_bytes(5'000, 4);
  constexpr CodecSettings kZstd{CodecId::kZstd, 15, 0};
  const auto literals_by = [&](const CodecSettings& codec, std::size_t count) {
    WorkerPool pool(1);
    io::Spool body;
    native::Writer writer({codec, codec, codec}, body, pool);
    std::vector<GroupDraft> drafts = drafts_of({source, wordy_bytes(count, 5)}, {});
    EXPECT_OK(writer.add_groups(drafts));
    return writer.totals().coded[kLiterals];
  };
  EXPECT_EQ(literals_by(kZstd, 1'400), literals_by(kLzma, 1'400));
  EXPECT_GT(literals_by(kZstd, 60'000), literals_by(kLzma, 60'000));
}

// Misses that take a while to decode must be able to save what that time is worth.
TEST(ModelledMisses, HaveNoChanceWhereTheyTakeMoreThanTheyCanSave) {
  const Pair pair = wordy_pair();
  WorkerPool pool(1);
  const auto may_take = [&](std::uint64_t apply_byte_ns) {
    native::WriterSettings settings{kLzma, kLzma, kLzma, true, 0, apply_byte_ns};
    settings.model_literals = settings.model_misses = true;
    const std::vector<GroupDraft> drafts = drafts_of(pair, covers_of(pair.source, pair.target));
    const auto may = native::may_take_modelled_misses(drafts, settings, pool.watch());
    EXPECT_OK(may);
    return may && *may;
  };
  EXPECT_TRUE(may_take(0)) << "whatever it takes";
  EXPECT_TRUE(may_take(50'000));
  EXPECT_FALSE(may_take(50));
}

// Beside a model of misses, literals count for less. An even estimate counts them as those of windows that copy
// the target, which have no such model.
TEST(SizeEstimate, ThatIsEvenCountsLiteralsAsBesideCopiesOfTheTarget) {
  const Pair pair = wordy_pair();
  WorkerPool pool(1);
  native::WriterSettings settings{kLzma, kLzma, kLzma, true, 0, 50'000};
  settings.model_literals = settings.model_misses = true;
  const auto estimate = [&](const std::vector<GroupDraft>& drafts, native::Estimate kind) {
    return native::estimate_groups(drafts, settings, kind, pool);
  };
  std::vector<GroupDraft> drafts = drafts_of(pair, covers_of(pair.source, pair.target));
  ASSERT_TRUE(native::tries_modelled_misses(drafts, settings));
  const auto likely = estimate(drafts, native::Estimate::kLikely);
  const auto even = estimate(drafts, native::Estimate::kEven);
  ASSERT_OK(likely);
  ASSERT_OK(even);
  for (WindowRecord& window : drafts.front().windows) window.modelled = false;
  ASSERT_FALSE(native::tries_modelled_misses(drafts, settings));
  const auto copying = estimate(drafts, native::Estimate::kLikely);
  const auto copying_even = estimate(drafts, native::Estimate::kEven);
  ASSERT_OK(copying);
  ASSERT_OK(copying_even);
  EXPECT_LT(*likely, *even);
  EXPECT_EQ(*copying_even, *copying);
}

// Bytes of the body of one group, all by LZMA but what goes through the context coder.
std::uint64_t body_bytes(const Pair& pair, bool model, std::uint64_t model_values, std::uint64_t apply_byte_ns) {
  WorkerPool pool(1);
  io::Spool body;
  native::Writer writer({kLzma, kLzma, kLzma, model, model_values, apply_byte_ns}, body, pool);
  std::vector<GroupDraft> drafts = drafts_of(pair, {{0, 0, pair.target.size()}});
  EXPECT_OK(writer.add_groups(drafts));
  return body.size();
}

// Misses whose values come again and again far apart: LZMA finds that, the context coder doesn't.
TEST(QuickCodec, TakesNoStreamFromASlowOneThatIsAhead) {
  Pair pair{random_bytes(1'000'000, 1), {}};
  pair.target = pair.source;
  const Bytes values = random_bytes(20'000, 2);
  for (std::size_t i = 0; i < 200'000; ++i) {
    std::uint8_t& byte = pair.target[5 * i];
    byte = static_cast<std::uint8_t>(byte + (values[i % values.size()] | 1));
  }
  constexpr std::uint64_t kAll = 1'000'000;
  EXPECT_LE(body_bytes(pair, true, kAll, 0), body_bytes(pair, false, kAll, 0));
}

TEST(PriceOfPacking, WhatDecodesTooSlowlyForItsBytesStaysInItsCodec) {
  Pair pair{random_bytes(1'000'000, 1), {}};
  pair.target = pair.source;
  Random random(2);
  for (std::size_t i = 0; i < pair.target.size(); i += 3 + random.below(4) * random.below(10)) pair.target[i] ^= 1;
  const std::uint64_t in_codecs = body_bytes(pair, false, 0, 0);
  const std::uint64_t packed = body_bytes(pair, true, 0, 0);
  ASSERT_LT(packed + 500, in_codecs) << "there is something to choose";
  EXPECT_LT(packed + 500, body_bytes(pair, true, 0, 1)) << "a nanosecond for a byte: the gaps stay";
  EXPECT_EQ(packed, body_bytes(pair, true, 0, 1'000'000)) << "a millisecond for a byte: all that is smaller";
}

// Where is told by neighbours, what by nothing.
Pair told_pair(std::size_t size) {
  Pair pair{random_bytes(size, 3), {}};
  for (std::uint8_t& byte : pair.source) byte &= 15;
  pair.target = pair.source;
  Random random(4);
  for (std::size_t i = 2; i < pair.source.size(); ++i) {
    const bool changes = (pair.source[i - 2] * 31 + pair.source[i - 1] * 7) % 17 == 3;
    if (changes) pair.target[i] = static_cast<std::uint8_t>(random.below(256));
  }
  return pair;
}

// apply_byte_ns: that a saved byte may take, of misses and of numbers.
std::uint64_t group_bytes(const Pair& pair, const Covers& covers, bool models, std::uint64_t apply_byte_ns) {
  WorkerPool pool(1);
  io::Spool body;
  native::WriterSettings settings{kLzma, kLzma, kLzma, true, 8 << 20, apply_byte_ns};
  settings.model_literals = settings.model_misses = models;
  native::Writer writer(settings, body, pool);
  io::MemoryReader source(pair.source), target(pair.target);
  writer.set_inputs({&source, &target, {}, nullptr});
  std::vector<GroupDraft> drafts = drafts_of(pair, covers);
  EXPECT_OK(writer.add_groups(drafts));
  return body.size();
}

// Whatever a saved byte may cost, slow codecs are not left out for a model that is not taken then.
TEST(PriceOfModelledMisses, NeverMakesAGroupLargerThanWithoutThem) {
  const Pair pair = told_pair(400'000);
  const Covers covers = {{0, 0, pair.target.size()}};
  EXPECT_LT(group_bytes(pair, covers, true, 0) * 4, group_bytes(pair, covers, false, 0) * 3) << "there is something to save";
  for (std::uint64_t ns = 400; ns < 3000; ns += ns / 16) {
    EXPECT_LE(group_bytes(pair, covers, true, ns), group_bytes(pair, covers, false, ns)) << ns;
  }
}

// Some 23,000 changes in 400,000 bytes: 47 ms, of which 10 are free.
TEST(PriceOfModelledMisses, IsTheTimeThatTheyTake) {
  const Pair pair = told_pair(400'000);
  const Covers covers = {{0, 0, pair.target.size()}};
  const std::uint64_t saved = group_bytes(pair, covers, false, 0) - group_bytes(pair, covers, true, 0);
  const std::uint64_t fair_ns = 37'000'000 / saved;
  EXPECT_EQ(group_bytes(pair, covers, true, fair_ns / 2), group_bytes(pair, covers, false, fair_ns / 2));
  EXPECT_EQ(group_bytes(pair, covers, true, fair_ns * 2), group_bytes(pair, covers, true, 0));
}

TEST(PriceOfModelledMisses, RisesWithTheLevel) {
  const Pair pair = told_pair(400'000);
  const auto seven = make_patch(pair.source, pair.target, create_options(7));
  const auto nine = make_patch(pair.source, pair.target, create_options(9));
  ASSERT_OK(seven);
  ASSERT_OK(nine);
  EXPECT_LT(nine->size() * 10, seven->size() * 9);
  expect_rebuilt(pair.source, *nine, pair.target);
}

// More than one set of costs, of which a sample chooses; the same bytes for any number of threads.
TEST(Choice, OfLargeTargetsIsMadeByASample) {
  Pair pair{random_bytes(17 << 20, 5), {}};
  const Bytes text = wordy_bytes(200'000, 6);
  std::copy(text.begin(), text.end(), pair.source.begin() + 9'000'000);
  pair.target = edited(pair.source, random_edits(150, pair.source.size(), 200, 7));
  for (std::size_t i = 9'000'000; i < 9'200'000; i += 37) pair.target[i] ^= 4;
  CreateOptions options = create_options(9);
  const auto patch = make_patch(pair.source, pair.target, options);
  ASSERT_OK(patch);
  options.threads = 3;
  const auto by_three = make_patch(pair.source, pair.target, options);
  ASSERT_OK(by_three);
  EXPECT_TRUE(same_bytes(*patch, *by_three));
  expect_rebuilt(pair.source, *patch, pair.target);
}

// Programs beside much that is new: prediction is in doubt, and a sample tells that it is the better way.
TEST(Choice, OfClearPredictionIsMadeByASample) {
  const ProgramPair programs = program_pair(9, 50'000);
  Pair pair{programs.old_version, programs.new_version};
  append(pair.target, random_bytes(2'000'000, 8));
  CreateOptions options = create_options(3);
  const auto patch = make_patch(pair.source, pair.target, options);
  ASSERT_OK(patch);
  expect_rebuilt(pair.source, *patch, pair.target);
  options.threads = 3;
  const auto by_three = make_patch(pair.source, pair.target, options);
  ASSERT_OK(by_three);
  EXPECT_TRUE(same_bytes(*patch, *by_three));
  options.predict = false;
  const auto plain = make_patch(pair.source, pair.target, options);
  ASSERT_OK(plain);
  EXPECT_LT(patch->size() + 100'000, plain->size());
}

// What is written was coded for comparing it, and is reported like anything else.
TEST(Choice, ReportsWhatItWrote) {
  const Pair pair = wordy_pair();
  for (const int level : {6, 9, kUltraLevel}) {
    SCOPED_TRACE(level);
    const auto made = make_reported(pair.source, pair.target, create_options(level));
    ASSERT_OK(made);
    const Report& report = made->report;
    const auto raw_bytes = [&](const std::string& name) -> std::uint64_t {
      for (const StreamReport& stream : report.streams) {
        if (stream.name == name) return stream.raw_bytes;
      }
      return 0;
    };
    EXPECT_EQ(report.residual_bytes, raw_bytes("residual_values"));
    EXPECT_EQ(report.literal_bytes, raw_bytes("literals"));
    EXPECT_EQ(pair.target.size(), report.covered_bytes + report.literal_bytes);
    std::uint64_t coded_bytes = 0;
    for (const StreamReport& stream : report.streams) coded_bytes += stream.coded_bytes;
    EXPECT_LT(coded_bytes, report.patch_bytes);
    EXPECT_GT(coded_bytes, report.patch_bytes / 2);
    EXPECT_GT(report.window_count, 0u);
  }
}

}  // namespace
}  // namespace bdelta::test::coding_choice_test
