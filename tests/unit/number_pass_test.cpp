// Thresholds of numbers, learned from two versions of lists: told where they help, and always as an applier can read them.
#include "create/number_pass.hpp"

#include "apply/moved_source.hpp"
#include "format/native/moved_number_record.hpp"
#include "support/generate.hpp"
#include "support/kernel_modules.hpp"
#include "support/memory.hpp"
#include "support/plain_record.hpp"

namespace bdelta::test::number_pass_test {
namespace {

// The source as an applier would copy it, and how many bytes then differ.
std::size_t differing_after(const ModulePair& pair, const MovedNumbers& numbers) {
  Bytes source = pair.old_version;
  move_numbers(source, numbers);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < source.size(); ++i) differing += source[i] != pair.new_version[i];
  return differing;
}

TEST(NumberPass, TellsAllNumbersWhereModulesListTheSame) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    ModuleShape shape;
    shape.seed = seed;
    shape.own_changes = false;
    shape.bits64 = seed != 2;
    const ModulePair pair = module_pair(shape);
    ASSERT_EQ(pair.old_version.size(), pair.new_version.size());
    const std::size_t before = differing_after(pair, {});
    WorkerPool pool(2);
    const MovedNumbers numbers = learn_moved_numbers(pair.old_version, pair.new_version, pool);
    EXPECT_EQ(shape.module_count, numbers.lists.size());
    EXPECT_GE(40u, numbers.threshold_count());
    EXPECT_GT(before / 50, differing_after(pair, numbers)) << seed;  // numbers that few name stay
  }
}

TEST(NumberPass, ListsThatChangedHaveTheirOwnThresholds) {
  const ModulePair pair = module_pair();
  WorkerPool pool(2);
  const MovedNumbers numbers = learn_moved_numbers(pair.old_version, pair.new_version, pool);
  ASSERT_EQ(40u, numbers.lists.size());
  for (std::size_t i = 0; i < numbers.lists.size(); ++i) {
    EXPECT_EQ(i % 5 == 2, numbers.lists[i].own.count() != 0) << i;
  }
  EXPECT_OK(check_moved_numbers(numbers, pair.old_version.size()));
}

TEST(NumberPass, MovesNothingWhereNothingIsGained) {
  const ModulePair pair = module_pair();
  const Bytes other = random_bytes(50'000, 1);
  ModuleShape small;
  small.module_count = 1;
  small.type_count = 5;
  const ModulePair little = module_pair(small);
  WorkerPool pool(1);
  for (const auto& [source, target] : {std::pair{pair.old_version, pair.old_version}, {pair.old_version, other},
                                       {other, pair.new_version}, {Bytes(), pair.new_version}, {pair.old_version, Bytes()},
                                       {little.old_version, little.new_version}}) {
    EXPECT_EQ(MovedNumbers(), learn_moved_numbers(source, target, pool));
  }
}

Bytes pointers(std::initializer_list<std::pair<std::uint32_t, unsigned>> counts) {
  Bytes types;
  for (const auto& [number, count] : counts) {
    for (unsigned i = 0; i < count; ++i) append(types, words({0, 2u << 24, number}));
  }
  return types;
}

// As with the modules of two kernels in one archive: the thresholds are in order, whichever outcome they follow.
TEST(NumberPass, ANumberMayHaveBecomeTwo) {
  const Bytes source = module_of(pointers({{90, 9}, {102, 150}, {102, 50}, {200, 40}}), {});
  const Bytes target = module_of(pointers({{90, 9}, {105, 150}, {5000, 50}, {203, 40}}), {});
  WorkerPool pool(1);
  const MovedNumbers numbers = learn_moved_numbers(source, target, pool);
  EXPECT_OK(check_moved_numbers(numbers, source.size()));
  EXPECT_EQ((Thresholds{{102, 3}}), numbers.common.types);
}

// More thresholds than a record may have.
TEST(NumberPass, MovesNothingThatNoRecordHolds) {
  Bytes source, target;
  Random random(1);
  for (std::uint32_t i = 1; i <= 110'000; ++i) {
    append(source, pointers({{i, 6}}));
    append(target, pointers({{static_cast<std::uint32_t>(random.next()), 6}}));
  }
  WorkerPool pool(2);
  EXPECT_EQ(MovedNumbers(), learn_moved_numbers(module_of(source, {}), module_of(target, {}), pool));
}

TEST(NumberPass, EndsWhenTheWatchSaysSo) {
  const ModulePair pair = module_pair();
  const Watch::Callback none;
  Watch watch(none, 0, 1e-9);
  WorkerPool pool(1, nullptr, &watch);
  EXPECT_THROW((void)learn_moved_numbers(pair.old_version, pair.new_version, pool), Interrupted);
}

// Whatever the files are: the record is read as it was written, and an applier copies from what the encoder saw.
TEST(NumberPass, WhatIsLearnedCanBeApplied) {
  unsigned learned = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    ModuleShape shape;
    shape.seed = seed;
    shape.module_count = 6;
    shape.bits64 = seed % 2 == 0;
    ModulePair pair = module_pair(shape);
    for (Bytes* file : {&pair.old_version, &pair.new_version}) {
      for (std::uint64_t i = random.below(40); i > 0; --i) {
        (*file)[static_cast<std::size_t>(random.below(file->size()))] = static_cast<std::uint8_t>(random.next());
      }
      // A header and some types at another place than they were, perhaps inside of others.
      const auto from = static_cast<std::size_t>(random.below(file->size() - 600));
      const auto to = static_cast<std::size_t>(random.below(file->size() - 600));
      std::copy_n(file->begin() + static_cast<std::ptrdiff_t>(from), random.below(600), file->begin() + static_cast<std::ptrdiff_t>(to));
    }
    WorkerPool pool(2);
    const MovedNumbers numbers = learn_moved_numbers(pair.old_version, pair.new_version, pool);
    if (numbers.lists.empty()) continue;
    ++learned;
    const Bytes record = native::encode_moved_numbers(numbers);
    const auto read = read_body_of(record, 0, std::uint64_t{1} << 30, [&](io::TypedReader& patch, native::Header header) {
      header.source_size = pair.old_version.size();
      return native::read_moved_numbers(patch, header);
    });
    ASSERT_OK(read);
    EXPECT_EQ(numbers, *read);
    io::MemoryReader reader(pair.old_version);
    const auto source = MovedSource::make(reader, *read, nullptr);
    ASSERT_OK(source);
    Bytes copied(pair.old_version.size());
    EXPECT_OK((*source)->read_at(0, copied));
    move_numbers(pair.old_version, numbers);
    EXPECT_TRUE(same_bytes(pair.old_version, copied)) << seed;
  }
  EXPECT_LT(100u, learned);
}

}  // namespace
}  // namespace bdelta::test::number_pass_test
