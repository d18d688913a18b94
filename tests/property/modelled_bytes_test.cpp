// Modelled bytes (--ultra, and -8 and -9 for few literals): NEW comes back whatever the pair, windows, groups and
// lanes; neither threads nor readers change a byte; and the codes are worth their time.
#include "base/byte_cursor.hpp"
#include "format/native/layout.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/memory_writer.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test::modelled_bytes_test {
namespace {

bool models_bytes(const Bytes& patch) { return has_feature(patch, native::kFeatureModelledLiterals | native::kFeatureModelledMisses); }

std::uint64_t features_of(const Bytes& patch) { return info_of(patch).required_features; }

struct Pair {
  Bytes source;
  Bytes target;
};

// Words with some edits, in which certain pairs of letters change the letter behind them.
Pair text_pair(std::size_t size, std::uint64_t seed) {
  Pair pair;
  pair.source = wordy_bytes(size, seed);
  const Bytes words = edited(pair.source, random_edits(size / 20'000 + 2, size, 200, seed + 1));
  pair.target = words;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if ((words[i - 2] * 31 + words[i - 1] * 7) % 61 == 3) ++pair.target[i];
  }
  return pair;
}

Craft small_craft(std::uint64_t lane_bytes) {
  Craft craft;
  craft.codec = {CodecId::kLzma, 6, 0};
  craft.modelled_literals = craft.modelled_misses = true;
  craft.lane_bytes = lane_bytes;
  return craft;
}

TEST(ModelledBytes, AnyWindowsGroupsAndLanesComeBack) {
  const Pair pair = text_pair(20'000, 1);
  const Covers covers = covers_of(pair.source, pair.target);
  int coded_count = 0;
  for (const std::uint64_t window_bytes : {300u, 1u << 20}) {
    for (const std::uint64_t group_bytes : {9000u, 1u << 20}) {
      for (const std::uint64_t lane_bytes : {0u, 1u << 30}) {
        for (const bool model : {false, true}) {
          Craft craft = small_craft(lane_bytes);
          craft.window_bytes = window_bytes;
          craft.group_bytes = group_bytes;
          craft.model = model;
          SCOPED_TRACE(::testing::Message() << window_bytes << ' ' << group_bytes << ' ' << lane_bytes << ' ' << model);
          const Bytes patch = craft_patch(pair.source, pair.target, covers, craft);
          coded_count += models_bytes(patch);
          expect_rebuilt_everywhere(pair.source, patch, pair.target);
        }
      }
    }
  }
  EXPECT_GE(coded_count, 13) << "of 16: few misses take less in the context coder";
}

TEST(ModelledBytes, PlainWindowsBetweenComeBack) {
  const Bytes source = wordy_bytes(20'000, 3);
  Bytes target(source.begin() + 2000, source.begin() + 9000);
  append(target, wordy_bytes(900, 4));
  append(target, ByteSpan(source).first(3000));
  for (std::size_t i = 7900; i < target.size(); i += 50) ++target[i];
  Craft craft = small_craft(0);
  craft.window_bytes = 256;
  craft.outlines = {{{0, 7000, true, 2000}, {7000, 300, false, 0}, {7300, target.size() - 7300, false, 0}}};
  const Covers covers = {{2000, 0, 7000}, {0, 7900, 3000}};
  const Bytes patch = craft_patch(source, target, covers, craft);
  EXPECT_TRUE(models_bytes(patch));
  expect_rebuilt_everywhere(source, patch, target);
}

TEST(ModelledBytes, OnlyLiteralsOrOnlyMissesComeBack) {
  const Bytes source = wordy_bytes(30'000, 5);
  Bytes grown = source;
  const Bytes words = wordy_bytes(4000, 6);
  grown.insert(grown.begin() + 9000, words.begin(), words.end());
  Bytes changed = source;
  for (std::size_t i = 5; i < changed.size(); i += 41) ++changed[i];
  for (const Bytes& target : {grown, changed}) {
    const Bytes patch = craft_patch(source, target, covers_of(source, target), small_craft(1 << 20));
    EXPECT_TRUE(models_bytes(patch));
    expect_rebuilt_everywhere(source, patch, target);
  }
}

TEST(ModelledLiterals, AnyWindowsAndGroupsComeBack) {
  Craft craft;
  craft.modelled_literals = true;
  for (const std::uint64_t window_bytes : {700u, 4096u, 1u << 20}) {
    for (const bool model : {false, true}) {
      craft.model = model;
      craft.window_bytes = window_bytes;
      craft.group_bytes = window_bytes * 5;
      const Bytes source = wordy_bytes(40'000, 5);
      Bytes target = edited(source, random_edits(30, source.size(), 200, window_bytes));
      const Bytes words = wordy_bytes(3000, 6);
      target.insert(target.begin() + 9000, words.begin(), words.end());
      const Bytes patch = craft_patch(source, target, covers_of(source, target), craft);
      EXPECT_EQ(native::kFeatureModelledLiterals, features_of(patch));
      expect_rebuilt_everywhere(source, patch, target);
    }
  }
}

// OLD knows the words of what is new.
Pair new_words(std::size_t new_bytes) {
  const Bytes text = wordy_bytes(120'000, 8);
  Pair pair{Bytes(text.begin(), text.begin() + 60'000), {}};
  pair.target = pair.source;
  pair.target.insert(pair.target.begin() + 30'000, text.end() - static_cast<std::ptrdiff_t>(new_bytes), text.end());
  return pair;
}

TEST(ModelledLiterals, LevelsEightAndNineTakeThemWhereTheyAreFew) {
  constexpr std::uint64_t kLight = native::kFeatureModelledLiterals;
  const Pair few = new_words(1500);
  for (int level = kMinLevel; level <= 9; ++level) {
    const auto patch = make_patch(few.source, few.target, create_options(level));
    ASSERT_OK(patch);
    EXPECT_EQ(level >= 8 ? kLight : 0, features_of(*patch)) << level;
  }
  Pair many = new_words(1500);
  append(many.target, random_bytes(150'000, 1));
  const auto patch = make_patch(many.source, many.target, create_options(9));
  ASSERT_OK(patch);
  EXPECT_FALSE(has_feature(*patch, native::kFeatureModelledLiterals));
}

TEST(ModelledLiterals, WhereMemoryIsScarceThereAreNone) {
  Pair pair = new_words(1500);
  append_ballast(pair.source, pair.target);
  CreateOptions options = create_options(9);
  options.memory_limit_bytes = std::uint64_t{64} << 20;
  const auto patch = make_patch(pair.source, pair.target, options);
  ASSERT_OK(patch);
  EXPECT_EQ(0u, features_of(*patch));
}

TEST(ModelledLiterals, NewTextTakesLessThanWithoutThem) {
  const Pair pair = new_words(1500);
  const auto without = make_patch(pair.source, pair.target, create_options(7));
  const auto with = make_patch(pair.source, pair.target, create_options(8));
  ASSERT_OK(without);
  ASSERT_OK(with);
  EXPECT_LT(with->size() * 10, without->size() * 9);
}

TEST(ModelledLiterals, NeedTheirFeature) {
  const Pair pair = new_words(1500);
  const auto patch = make_patch(pair.source, pair.target, create_options(9));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  ASSERT_EQ(native::kFeatureModelledLiterals, split.header.required_features);
  split.header.required_features = 0;
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, apply_patch(pair.source, with_header(split.header, split.body)));
}

TEST(ModelledBytes, NeitherThreadsNorReadersChangeThePatch) {
  const Pair pair = text_pair(150'000, 9);
  const auto one = make_patch(pair.source, pair.target, create_options(kUltraLevel, PatchFormat::kBdt2, 1));
  const auto three = make_patch(pair.source, pair.target, create_options(kUltraLevel, PatchFormat::kBdt2, 3));
  ASSERT_OK(one);
  ASSERT_OK(three);
  EXPECT_TRUE(same_bytes(*one, *three));
  HiddenReader source(pair.source);
  HiddenReader target(pair.target);
  Bytes hidden;
  MemoryWriter writer(hidden);
  ASSERT_OK(create(source, target, writer, create_options(kUltraLevel)));
  EXPECT_TRUE(same_bytes(*one, hidden));
  Bytes made;
  BytesWriter to(made);
  io::MemorySequentialReader patch(*one);
  ASSERT_OK(apply(source, patch, to, {}));
  EXPECT_TRUE(same_bytes(pair.target, made));
}

TEST(ModelledBytes, UnderALimitOfMemoryThePatchIsRight) {
  Pair pair = text_pair(1'000'000, 11);
  append_ballast(pair.source, pair.target);
  for (const std::uint64_t limit_bytes : {std::uint64_t{64} << 20, std::uint64_t{300} << 20}) {
    CreateOptions options = create_options(kUltraLevel);
    options.memory_limit_bytes = limit_bytes;
    const auto patch = make_patch(pair.source, pair.target, options);
    ASSERT_OK(patch);
    EXPECT_EQ(limit_bytes >> 20 >= 256, models_bytes(*patch));
    expect_rebuilt(pair.source, *patch, pair.target);
  }
}

TEST(ModelledBytes, MemoryIsDeclaredAndKeptTo) {
  const Pair pair = text_pair(100'000, 13);
  const auto patch = make_patch(pair.source, pair.target, create_options(kUltraLevel));
  ASSERT_OK(patch);
  const std::uint64_t declared = info_of(*patch).decoder_memory_bytes;
  EXPECT_GE(declared, std::uint64_t{1} << 20);
  ApplyOptions options;
  options.memory_limit_bytes = declared - 1;
  EXPECT_FAILS(ErrorCode::kMemoryLimit, apply_patch(pair.source, *patch, Sink::kPositioned, options));
  SplitPatch split = split_patch(*patch);
  split.header.decoder_memory_bytes = std::uint64_t{1} << 20;  // less than the models of a lane
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.source, with_header(split.header, split.body)));
}

TEST(ModelledBytes, NeedTheirFeature) {
  const Pair pair = text_pair(20'000, 15);
  const auto patch = make_patch(pair.source, pair.target, create_options(kUltraLevel));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  ASSERT_TRUE(models_bytes(*patch));
  const std::uint64_t honest = split.header.required_features;
  split.header.required_features = honest & ~(native::kFeatureModelledLiterals | native::kFeatureModelledMisses);
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, apply_patch(pair.source, with_header(split.header, split.body)));
  split.header.required_features = honest | std::uint64_t{1} << 63;
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, apply_patch(pair.source, with_header(split.header, split.body)));
}

// A patch of one group with modelled literals and misses, whose head can be bent: form, model byte, byte of
// the misses.
class BentHead {
 public:
  BentHead() : pair_(text_pair(20'000, 21)) {
    append(pair_.target, wordy_bytes(4000, 22));
    Craft craft = small_craft(1 << 20);
    craft.group_bytes = craft.window_bytes = 1 << 20;
    split_ = split_patch(craft_patch(pair_.source, pair_.target, covers_of(pair_.source, pair_.target), craft));
    ByteCursor cursor(ByteSpan(split_.body).subspan(1));
    for (int i = 0; i < 3; ++i) (void)cursor.varint();
    head_at_ = static_cast<std::size_t>(cursor.position() - split_.body.data());
  }

  [[nodiscard]] const Bytes& source() const { return pair_.source; }
  [[nodiscard]] unsigned at(std::size_t index) const { return split_.body[head_at_ + index]; }
  [[nodiscard]] Bytes with(std::size_t index, unsigned value, std::uint64_t more_features = 0) const {
    native::Header header = split_.header;
    header.required_features |= more_features;
    Bytes body = split_.body;
    body[head_at_ + index] = static_cast<std::uint8_t>(value);
    return with_header(header, body);
  }

 private:
  Pair pair_;
  SplitPatch split_;
  std::size_t head_at_ = 0;
};

TEST(ModelledBytes, ScopesThatLieAreRefused) {
  const BentHead head;
  ASSERT_EQ(0x04u, head.at(0));
  ASSERT_EQ(0x03u, head.at(1)) << "both are coded, in one lane";
  const auto applied = [&](std::size_t index, unsigned value) { return apply_patch(head.source(), head.with(index, value)); };
  ASSERT_OK(applied(1, 0x03));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, applied(1, 0));      // nothing is coded
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, applied(1, 0x07));   // lanes beyond the declared memory
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, applied(1, 0x0b));
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, applied(0, 0x0c));
}

TEST(ModelledBytes, ReservedModelsAreRefusedBeforeAByteOfNew) {
  const BentHead head;
  const auto expect_refused = [&](const Bytes& patch) {
    Bytes made;
    BytesWriter to(made);
    io::MemoryReader source(head.source());
    io::MemorySequentialReader reader(patch);
    EXPECT_FAILS(ErrorCode::kUnsupportedFeature, apply(source, reader, to, {}));
    EXPECT_EQ(0u, to.written());
  };
  for (const std::size_t model_at : {std::size_t{2}, std::size_t{3}}) {
    ASSERT_EQ(1u, head.at(model_at));
    for (const unsigned model : {0u, 2u, 255u}) expect_refused(head.with(model_at, model));
  }
  expect_refused(head.with(0, head.at(0), native::kFeatureSlowModels));
}

TEST(ModelledBytes, BothReportsCountTheSameBytes) {
  const Pair pair = text_pair(100'000, 19);
  const auto made = make_reported(pair.source, pair.target, create_options(kUltraLevel));
  ASSERT_OK(made);
  io::MemoryReader source(pair.source);
  io::MemorySequentialReader patch(made->bytes);
  const auto checked = check(source, patch, {});
  ASSERT_OK(checked);
  EXPECT_GT(made->report.residual_bytes, 0u);
  EXPECT_EQ(made->report.residual_bytes, checked->residual_bytes);
  EXPECT_EQ(made->report.literal_bytes, checked->literal_bytes);
}

TEST(ModelledBytes, CancellingEndsApplyingSoon) {
  const Pair pair = text_pair(150'000, 17);
  const auto patch = make_patch(pair.source, pair.target, create_options(kUltraLevel));
  ASSERT_OK(patch);
  for (const unsigned threads : {1u, 3u}) {
    ApplyOptions options;
    options.threads = threads;
    options.progress = [](std::uint64_t, std::uint64_t) { return false; };
    EXPECT_FAILS(ErrorCode::kCancelled, apply_patch(pair.source, *patch, Sink::kPositioned, options));
  }
}

}  // namespace
}  // namespace bdelta::test::modelled_bytes_test
