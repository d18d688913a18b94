// Predicted patches: they rebuild NEW through every reader and sink, don't depend on threads, are much smaller for
// programs that were linked anew, and no larger for files where prediction does not help.
#include <set>

#include "apply/predicted_copies.hpp"
#include "exe/image_extents.hpp"
#include "format/native/layout.hpp"
#include "support/exe_craft_more.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test::prediction_test {
namespace {

constexpr int kLevel = 6;

const ProgramPair& large_pair() {
  static const ProgramPair pair = program_pair(1, 30'000);
  return pair;
}

CreateOptions without_prediction(int level) {
  CreateOptions options = create_options(level);
  options.predict = false;
  return options;
}

bool is_predicted(const Bytes& patch) { return has_feature(patch, native::kFeaturePrediction); }

TEST(Prediction, RebuildsThroughEverySinkAndThreadCount) {
  const ProgramPair& pair = large_pair();
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(kLevel, PatchFormat::kBdt2, 3));
  ASSERT_OK(patch);
  EXPECT_TRUE(is_predicted(*patch));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);
}

class PredictionLevels : public ::testing::TestWithParam<int> {};

TEST_P(PredictionLevels, AnyThreadCountGivesTheSamePatch) {
  const ProgramPair& pair = large_pair();
  (void)expect_same_patch_by_any_threads(pair.old_version, pair.new_version, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Levels, PredictionLevels, ::testing::Values(kLevel, 9, kUltraLevel));

// Long enough that what is learnt of it is learnt by several threads at once.
TEST(Prediction, OfALongProgramDependsOnNoThreadCount) {
  const ProgramPair pair = program_pair(9, 70'000);
  EXPECT_GT(pair.new_version.size(), std::size_t{5} << 19);
  EXPECT_TRUE(is_predicted(expect_same_patch_by_any_threads(pair.old_version, pair.new_version, 3)));
}

TEST(Prediction, MakesPatchesOfRelinkedProgramsMuchSmaller) {
  const ProgramPair& pair = large_pair();
  const auto with = make_patch(pair.old_version, pair.new_version, create_options(kLevel));
  const auto without = make_patch(pair.old_version, pair.new_version, without_prediction(kLevel));
  ASSERT_OK(with);
  ASSERT_OK(without);
  EXPECT_FALSE(is_predicted(*without));
  EXPECT_LT(with->size() * 2, without->size());
}

// Programs at any place of a file, in another order, with other things between them.
TEST(Prediction, FindsProgramsInsideOfFiles) {
  Bytes source = wordy_bytes(5001, 3);
  Bytes target = wordy_bytes(7777, 3);
  const ProgramPair first = program_pair(5, 4000);
  const ProgramPair second = program_pair(6, 3000);
  append(source, first.old_version);
  append(source, random_bytes(1234, 4));
  append(source, second.old_version);
  append(target, second.new_version);
  append(target, first.new_version);
  append(target, wordy_bytes(333, 5));
  const auto with = make_patch(source, target, create_options(kLevel));
  const auto without = make_patch(source, target, without_prediction(kLevel));
  ASSERT_OK(with);
  ASSERT_OK(without);
  EXPECT_LT(with->size() * 10, without->size() * 8);
  expect_rebuilt(source, *with, target);
}

// What stands beside a program tells nothing of how its covers are to be chosen.
TEST(Prediction, TextBesideAProgramLeavesItsCoversAlone) {
  const ProgramPair& program = large_pair();
  const Bytes text = wordy_bytes(4'000'000, 3);
  Bytes source = program.old_version, target = program.new_version;
  append(source, text);
  append(target, text);
  const auto alone = make_patch(program.old_version, program.new_version, create_options(kLevel));
  const auto beside = make_patch(source, target, create_options(kLevel));
  ASSERT_OK(alone);
  ASSERT_OK(beside);
  EXPECT_NEAR(static_cast<double>(alone->size()), static_cast<double>(beside->size()), 150);
}

// NEW has the same program often: copies of NEW, which there are none of with prediction, tell it once.
TEST(Prediction, GivesWayToCopiesOfNewThatSaveMore) {
  const ProgramPair program = program_pair(7, 100);
  Bytes target;
  for (int i = 0; i < 10; ++i) append(target, program.new_version);
  for (const int level : {3, kLevel, 9}) {
    const auto with = make_patch(program.old_version, target, create_options(level));
    const auto without = make_patch(program.old_version, target, without_prediction(level));
    ASSERT_OK(with);
    ASSERT_OK(without);
    // At level 9 the model of misses, which goes with prediction and not with copies of NEW, saves still more.
    EXPECT_TRUE(level == 9 ? with->size() < without->size() : same_bytes(*without, *with)) << "level " << level;
    expect_rebuilt(program.old_version, *with, target);
  }
}

// Bytes that come and go at random leave code that nothing was linked of.
TEST(Prediction, ProgramsChangedAtRandomAreTakenAsPlainData) {
  const Bytes source = program_pair(10, 30'000).old_version;
  Random random(10);
  Bytes target;
  for (std::size_t from = 0; from < source.size();) {
    const std::size_t length = std::min(static_cast<std::size_t>(random.between(1, 400)), source.size() - from);
    append(target, ByteSpan(source).subspan(from, length));
    append(target, random_bytes(static_cast<std::size_t>(random.below(4)), from));
    from += length + static_cast<std::size_t>(random.below(4));
  }
  for (const int level : {3, kLevel}) {
    const auto with = make_patch(source, target, create_options(level));
    const auto without = make_patch(source, target, without_prediction(level));
    ASSERT_OK(with);
    ASSERT_OK(without);
    EXPECT_LE(with->size(), without->size() + 20) << "level " << level;
  }
}

// Bytes that steps of prediction have gone through.
std::uint64_t looked_at_bytes(const Report& report) {
  std::uint64_t bytes = 0;
  for (const Phase& phase : report.phases) bytes += phase.name == "predict" ? phase.bytes : 0;
  return bytes;
}

// The same far apart: fields are mostly right as they stand. That is seen by a look or two, and prediction takes many.
TEST(Prediction, IsNotTriedWhereEditsAreNoLinkers) {
  const Bytes source = program_pair(11, 60'000).old_version;
  for (const std::size_t distance : {900u, 9'000u}) {
    const Bytes target = edited(source, random_edits(source.size() / distance, source.size(), 24, distance));
    for (const int level : {3, kLevel, 9}) {
      const auto with = make_reported(source, target, create_options(level));
      const auto without = make_patch(source, target, without_prediction(level));
      ASSERT_OK(with);
      ASSERT_OK(without);
      EXPECT_LT(looked_at_bytes(with->report), 2 * (source.size() + target.size())) << "level " << level << ", each " << distance;
      EXPECT_TRUE(same_bytes(*without, with->bytes)) << "level " << level << ", an edit each " << distance;
      expect_rebuilt(source, with->bytes, target);
    }
  }
}

// A higher level is no larger, but for what a header may differ by. What each level does is tried on other kinds of files.
TEST(Levels, AreNoLargerThanTheOnesBelow) {
  const ProgramPair program = program_pair(12, 8'000);
  const Bytes text = wordy_bytes(400'000, 13);
  const Bytes noise = random_bytes(300'000, 14);
  const std::pair<Bytes, Bytes> pairs[] = {
      {program.old_version, program.new_version},
      {program.old_version, edited(program.old_version, random_edits(400, program.old_version.size(), 24, 15))},
      {text, edited(text, random_edits(60, text.size(), 3000, 16))},
      {noise, edited(noise, random_edits(200, noise.size(), 200, 17))}};
  for (const auto& [source, target] : pairs) {
    std::size_t below = ~std::size_t{0} / 2;
    for (int level = kMinLevel; level <= kUltraLevel; ++level) {
      const auto patch = make_patch(source, target, create_options(level));
      ASSERT_OK(patch);
      EXPECT_LE(patch->size(), below + below / 200 + 64) << "level " << level << ", NEW of " << target.size() << " bytes";
      below = patch->size();
    }
  }
}

TEST(Prediction, ProgramsThatShareNothingCostNothing) {
  const Bytes source = program_pair(7, 2000).old_version;
  const Bytes target = program_pair(8, 2500).new_version;
  for (const int level : {kLevel, 9}) {
    const auto with = make_patch(source, target, create_options(level));
    const auto without = make_patch(source, target, without_prediction(level));
    ASSERT_OK(with);
    ASSERT_OK(without);
    EXPECT_LE(with->size(), without->size() + without->size() / 100);
    expect_rebuilt(source, *with, target);
  }
}

TEST(Prediction, FilesWithoutProgramsAreUntouched) {
  const Bytes source = wordy_bytes(300'000, 9);
  const Bytes target = edited(source, {{Edit::kMove, 5000, 700, 120'000, 0}});
  const auto with = make_patch(source, target, create_options(kLevel));
  const auto without = make_patch(source, target, without_prediction(kLevel));
  ASSERT_OK(with);
  ASSERT_OK(without);
  EXPECT_TRUE(same_bytes(*without, *with));
}

// Programs one behind the other, of which those change that `changes` says.
ProgramPair archive_of(std::size_t count, std::size_t function_count, const std::set<std::uint32_t>& changes) {
  ProgramPair archive;
  for (std::uint32_t i = 0; i < count; ++i) {
    const ProgramPair program = program_pair(100 + i, function_count);
    append(archive.old_version, program.old_version);
    append(archive.new_version, changes.count(i) != 0 ? program.new_version : program.old_version);
  }
  return archive;
}

// The programs of OLD that a patch is about.
std::set<std::uint32_t> chosen_by(const Bytes& patch, ByteSpan source) {
  const std::vector<exe::Image> all = exe::find_images(source);
  const PredictionPlan plan = plan_of(patch);
  const auto places = exe::parse_image_extents(plan.images, source.size(), all.size());
  EXPECT_OK(places);
  std::set<std::uint32_t> numbers;
  for (std::uint32_t i = 0; places && i < all.size(); ++i) {
    for (const exe::ImageExtent& place : places->all) {
      if (place.pos == all[i].file_pos && place.size_bytes == all[i].size_bytes) numbers.insert(i);
    }
  }
  return numbers;
}

TEST(Prediction, IsAboutThoseProgramsOfAnArchiveThatChanged) {
  const std::set<std::uint32_t> changes = {3, 11};
  const ProgramPair archive = archive_of(20, 300, changes);
  const Bytes patch = expect_same_patch_by_any_threads(archive.old_version, archive.new_version, kLevel);
  EXPECT_EQ(changes, chosen_by(patch, archive.old_version));
  const auto without = make_patch(archive.old_version, archive.new_version, without_prediction(kLevel));
  ASSERT_OK(without);
  EXPECT_LT(patch.size() * 3, without->size() * 2);
  expect_rebuilt_everywhere(archive.old_version, patch, archive.new_version);
}

// More than numbers of a byte tell apart.
TEST(Prediction, IsAboutHundredsOfPrograms) {
  std::set<std::uint32_t> changes;
  for (std::uint32_t i = 10; i < 290; ++i) changes.insert(i);
  const ProgramPair archive = archive_of(300, 60, changes);
  const auto patch = make_patch(archive.old_version, archive.new_version, create_options(3));
  ASSERT_OK(patch);
  EXPECT_EQ(changes, chosen_by(*patch, archive.old_version));
  expect_rebuilt(archive.old_version, *patch, archive.new_version);
}

// A small program behind much text, in which nearly all changes are.
TEST(Prediction, NotWhereHardlyAnyChangeLiesInPrograms) {
  const ProgramPair program = program_pair(12, 60);
  ProgramPair text;
  text.old_version = wordy_bytes(4'000'000, 13);
  text.new_version = edited(text.old_version, random_edits(60, 4'000'000, 40'000, 14));
  for (const bool with_text : {true, false}) {
    Bytes source = with_text ? text.old_version : Bytes();
    Bytes target = with_text ? text.new_version : Bytes();
    append(source, program.old_version);
    append(target, program.new_version);
    const auto patch = make_patch(source, target, create_options(kLevel));
    ASSERT_OK(patch);
    EXPECT_EQ(!with_text, is_predicted(*patch));
    expect_rebuilt(source, *patch, target);
  }
}

// 32-bit ARM, loaded where it was linked for: functions by number, of constants and two calls each, without those whose
// number divides by `left_out`; then words of no meaning that happen to be addresses.
Bytes program_with_words(unsigned left_out, std::size_t word_count) {
  constexpr std::size_t kCode = 0x100, kFunctionWords = 12, kNumbers = 3000;
  const auto start_of = [&](std::size_t number) { return kCode + 4 * kFunctionWords * (number - number / left_out); };
  const std::size_t words = start_of(kNumbers);
  CraftedBytes out;
  out.grow_to(words + 4 * word_count);
  ElfHeaders headers(out, false, 40, 2);
  out.put16(16, 2);
  headers.segment(1, 5, kCode, words - kCode);
  headers.segment(1, 6, words, 4 * word_count);
  for (std::size_t number = 0; number < kNumbers; ++number) {
    for (std::size_t i = 0; i < kFunctionWords && number % left_out != 0; ++i) {
      const std::size_t at = start_of(number) + 4 * i;
      const std::size_t to = start_of((number * 7 + i) % kNumbers);
      out.put32(at, i % 6 == 2 ? 0xEB000000 | ((to - at - 8) / 4 & 0xffffff) : 0xE3000000 | number * 2654435761u >> 16);
    }
  }
  Random random(15);
  for (std::size_t i = 0; i < word_count; ++i) out.put32(words + 4 * i, kElfBase + random.below(100'000));
  return out.take();
}

// What is taken for pointers and moves with nothing is left alone; it neither hides where calls lead nor keeps them from
// being predicted.
TEST(Prediction, KindsThatDontBehaveLikeAddressesAreLeftOut) {
  const Bytes source = program_with_words(17, 30'000);
  const Bytes target = program_with_words(23, 30'000);
  for (const int level : {3, kLevel}) {
    const auto with = make_patch(source, target, create_options(level));
    const auto without = make_patch(source, target, without_prediction(level));
    ASSERT_OK(with);
    ASSERT_OK(without);
    EXPECT_LT(with->size() * 3, without->size() * 2) << "level " << level;
    expect_rebuilt(source, *with, target);
  }
}

TEST(Prediction, NeedsALimitThatLeavesRoomForBothFiles) {
  ProgramPair pair = program_pair(10, 500);
  append_ballast(pair.old_version, pair.new_version);
  CreateOptions options = create_options(kLevel);
  const auto free = make_patch(pair.old_version, pair.new_version, options);
  options.memory_limit_bytes = std::uint64_t{64} << 20;
  const auto scarce = make_patch(pair.old_version, pair.new_version, options);
  options.memory_limit_bytes = std::uint64_t{300} << 20;
  const auto ample = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(free);
  ASSERT_OK(scarce);
  ASSERT_OK(ample);
  EXPECT_FALSE(is_predicted(*scarce));
  EXPECT_TRUE(is_predicted(*ample));
  EXPECT_TRUE(same_bytes(*free, *ample));
}

// Text in front of a program and behind it; some of it is new in both places.
TEST(Prediction, IsOfProgramsAlone) {
  const ProgramPair& pair = large_pair();
  const Bytes before = wordy_bytes(9'000'000, 31), behind = wordy_bytes(9'000'000, 32);
  const Bytes fresh = random_bytes(100'000, 33);
  Bytes source = before, target = before;
  append(target, fresh);
  append(source, pair.old_version);
  append(target, pair.new_version);
  append(source, behind);
  append(target, behind);
  append(target, fresh);
  const Bytes patch = expect_same_patch_by_any_threads(source, target, kLevel);
  EXPECT_TRUE(has_feature(patch, native::kFeaturePrediction));
  const auto program = make_patch(pair.old_version, pair.new_version, create_options(kLevel));
  ASSERT_OK(program);
  EXPECT_LT(patch.size(), program->size() + fresh.size() + fresh.size() / 8);
  const std::uint64_t begin = before.size() + fresh.size(), end = begin + pair.new_version.size();
  for (const Cover& cover : plan_of(patch).covers) {
    EXPECT_GE(cover.target_pos, begin);
    EXPECT_LE(cover.target_end(), end);
  }
  expect_rebuilt(source, patch, target);
}

TEST(Prediction, ApplyingKeepsToItsMemoryLimit) {
  const ProgramPair& pair = large_pair();
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(kLevel));
  ASSERT_OK(patch);
  ApplyOptions options;
  options.memory_limit_bytes = info_of(*patch).decoder_memory_bytes - 1;
  EXPECT_FAILS(ErrorCode::kMemoryLimit, apply_patch(pair.old_version, *patch, Sink::kPositioned, options));
}

// Without a view, so that what is needed has to be read.
class WatchedReader final : public RandomReader {
 public:
  explicit WatchedReader(ByteSpan bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override {
    most_ = std::max(most_, pos + out.size());
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(pos), out.size(), out.begin());
    return {};
  }
  [[nodiscard]] std::uint64_t most() const noexcept { return most_; }

 private:
  ByteSpan bytes_;
  std::uint64_t most_ = 0;
};

TEST(Prediction, ApplyingReadsNothingButThePrograms) {
  const ProgramPair& pair = large_pair();
  const auto made = make_patch(pair.old_version, pair.new_version, create_options(kLevel));
  ASSERT_OK(made);
  Bytes source = pair.old_version;
  append(source, wordy_bytes(2'000'000, 3));
  const PredictionPlan plan = plan_of(*made);
  PatchInfo info;
  info.target_size = pair.new_version.size();
  info.decoder_memory_bytes = info_of(*made).decoder_memory_bytes;
  WorkerPool pool(1);
  WatchedReader reader(source);
  EXPECT_OK(PredictedCopies::make(reader, plan, info, pair.old_version.size(), pool));
  EXPECT_EQ(pair.old_version.size(), reader.most());
  EXPECT_FAILS(ErrorCode::kMemoryLimit, PredictedCopies::make(reader, plan, info, pair.old_version.size() - 1, pool));
}

}  // namespace
}  // namespace bdelta::test::prediction_test
