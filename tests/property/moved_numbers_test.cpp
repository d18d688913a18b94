// Patches of kernel modules: smaller by their numbers, and the same NEW through every sink, cut and thread count.
#include "create/number_pass.hpp"
#include "format/native/layout.hpp"
#include "format/native/moved_number_record.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/kernel_modules.hpp"
#include "support/memory.hpp"
#include "support/memory_writer.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test::moved_numbers_test {
namespace {

bool moves_numbers(const Bytes& patch) { return has_record(patch, native::RecordTag::kMovedNumbers); }

MovedNumbers numbers_of(const ModulePair& pair) {
  WorkerPool pool(1);
  return learn_moved_numbers(pair.old_version, pair.new_version, pool);
}

class ModuleLevels : public ::testing::TestWithParam<int> {};

TEST_P(ModuleLevels, MoveNumbers) {
  const ModulePair pair = module_pair();
  CreateOptions options = create_options(GetParam(), PatchFormat::kBdt2, 2);
  const auto patch = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(patch);
  EXPECT_TRUE(moves_numbers(*patch));
  expect_rebuilt_everywhere(pair.old_version, *patch, pair.new_version);
  options.predict = false;
  const auto without = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(without);
  EXPECT_FALSE(moves_numbers(*without));
  EXPECT_LT(2 * patch->size(), without->size());
}

INSTANTIATE_TEST_SUITE_P(Levels, ModuleLevels, ::testing::Values(3, 6, 9, kUltraLevel));

TEST(Modules, FastLevelsMoveNothing) {
  const ModulePair pair = module_pair();
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(1));
  ASSERT_OK(patch);
  EXPECT_FALSE(moves_numbers(*patch));
}

// A patch has one or the other.
TEST(Modules, BesideProgramsKeepTheirNumbers) {
  ModulePair modules = module_pair();
  const ProgramPair programs = program_pair(1, 200);
  append(modules.old_version, programs.old_version);
  append(modules.new_version, programs.new_version);
  const auto patch = make_patch(modules.old_version, modules.new_version, create_options(3));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_feature(*patch, native::kFeaturePrediction));
  EXPECT_FALSE(moves_numbers(*patch));
}

TEST(Modules, WindowsOfAnySize) {
  const ModulePair pair = module_pair({12, 3});
  Craft craft;
  craft.moved_numbers = numbers_of(pair);
  ASSERT_FALSE(craft.moved_numbers.lists.empty());
  const Covers covers = covers_of(pair.old_version, pair.new_version);
  for (const std::uint64_t window_bytes : {100u, 701u, 5000u, 1u << 20}) {
    craft.window_bytes = window_bytes;
    craft.group_bytes = 3 * window_bytes + 1;
    craft.model = window_bytes > 1000;
    craft.modelled_literals = craft.modelled_misses = window_bytes == 5000;
    expect_rebuilt_everywhere(pair.old_version, craft_patch(pair.old_version, pair.new_version, covers, craft),
                              pair.new_version);
  }
}

// Exact copies are of OLD with its other numbers, too.
TEST(Modules, PlainWindowsHaveTheOtherNumbers) {
  ModuleShape shape;
  shape.own_changes = false;
  const ModulePair pair = module_pair(shape);
  Craft craft;
  craft.moved_numbers = numbers_of(pair);
  Bytes target = pair.old_version;
  move_numbers(target, craft.moved_numbers);
  craft.outlines = {{{0, 3001, true, 0}, {3001, target.size() - 3001, true, 0}}};
  const Bytes patch = craft_patch(pair.old_version, target, {{0, 0, target.size()}}, craft);
  expect_rebuilt_everywhere(pair.old_version, patch, target);
}

TEST(Modules, FromASourceWithoutAView) {
  const ModulePair pair = module_pair();
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(6));
  ASSERT_OK(patch);
  HiddenReader source(pair.old_version);
  io::MemorySequentialReader reader(*patch);
  Bytes made;
  MemoryWriter writer(made);
  EXPECT_OK(apply(source, reader, static_cast<SequentialWriter&>(writer), {}));
  EXPECT_TRUE(same_bytes(pair.new_version, made));
}

TEST(Modules, AnyThreadCountGivesTheSamePatch) {
  const ModulePair pair = module_pair({60, 4});
  for (const int level : {3, 6}) expect_same_patch_by_any_threads(pair.old_version, pair.new_version, level);
}

TEST(Modules, ThroughPush) {
  const ModulePair pair = module_pair({20, 5});
  CreateOptions options = create_options(6);
  options.group_digests = true;
  const auto patch = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(patch);
  EXPECT_TRUE(moves_numbers(*patch));
  expect_rebuilt_in_pieces(pair.old_version, *patch, pair.new_version);
}

TEST(Modules, TheRecordIsNotForPrediction) {
  const ModulePair pair = module_pair();
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(3));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kMovedNumbers), split.body[0]);
  split.header.required_features |= native::kFeaturePrediction;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, with_header(split.header, split.body)));
  split = split_patch(*patch);
  split.body[0] = static_cast<std::uint8_t>(native::RecordTag::kSubstitutions);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, with_header(split.header, split.body)));
  split = split_patch(*patch);
  split.header.decoder_memory_bytes = 1000;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, with_header(split.header, split.body)));
}

// A patch that would be right but for that.
TEST(Modules, TheRecordHasNoPlaceBesidePrediction) {
  const ModulePair pair = module_pair({12, 3});
  Craft craft;
  craft.covers_apart = true;
  const Covers covers = covers_of(pair.old_version, pair.new_version);
  expect_rebuilt_everywhere(pair.old_version, craft_patch(pair.old_version, pair.new_version, covers, craft), pair.new_version);
  craft.moved_numbers = numbers_of(pair);
  const Bytes patch = craft_patch(pair.old_version, pair.new_version, covers, craft);
  ASSERT_TRUE(moves_numbers(patch));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, patch));
}

// Said before a byte is written: OLD is the right one, but has no such lists.
TEST(Modules, ListsThatOldHasNotAreRefused) {
  const ModulePair pair = module_pair();
  Craft craft;
  craft.moved_numbers = numbers_of(pair);
  const Covers covers = covers_of(pair.old_version, pair.new_version);
  SplitPatch split = split_patch(craft_patch(pair.old_version, pair.new_version, covers, craft));
  MovedNumbers other = craft.moved_numbers;
  other.lists.back().header_pos += 4;
  Bytes body = native::encode_moved_numbers(other);
  append(body, ByteSpan(split.body).subspan(native::encode_moved_numbers(craft.moved_numbers).size()));
  const Bytes patch = with_header(split.header, body);
  for (const Sink sink : kAllSinks) EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.old_version, patch, sink));
  io::MemoryReader source(pair.old_version);
  io::MemorySequentialReader reader(patch);
  FailingWriter writer(0, ErrorCode::kNoSpace);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply(source, reader, static_cast<SequentialWriter&>(writer), {}));
}

}  // namespace
}  // namespace bdelta::test::moved_numbers_test
