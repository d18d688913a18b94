// The account of memory: what is promised for every size and level, and what depends on what.
#include "create/budget.hpp"

#include "support/memory.hpp"

namespace bdelta::test::budget_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

BudgetRequest request(int level, std::uint64_t limit_bytes, std::uint64_t size, bool view = true) {
  BudgetRequest wanted;
  wanted.level = level;
  wanted.limit_bytes = limit_bytes;
  wanted.source_size = wanted.target_size = size;
  wanted.source_view = wanted.target_view = view;
  return wanted;
}

TEST(Budget, SixtyFourMebibytesAlwaysDo) {
  for (int level = kMinLevel; level <= kUltraLevel; ++level) {
    for (std::uint64_t size = 1; size < kMaxFileBytes; size *= 8) {
      for (const bool view : {true, false}) {
        const auto budget = make_budget(request(level, 64 * kMiB, size, view));
        ASSERT_OK(budget);
        EXPECT_LE(budget->needed_bytes, 64 * kMiB) << "level " << level << ", " << size << " bytes";
        EXPECT_GE(budget->settings.coding.window_bytes, std::uint64_t{1} << 18);
        EXPECT_LE(budget->match.index_bytes + budget->survey_bytes + budget->gathered_bytes, 64 * kMiB);
      }
    }
  }
}

// What is held already counts, and a figure that is named does.
TEST(Budget, CountsWhatIsHeldAlready) {
  for (int level = kMinLevel; level <= kUltraLevel; ++level) {
    for (const std::uint64_t held_bytes : {kMiB, 20 * kMiB, 60 * kMiB, 300 * kMiB}) {
      BudgetRequest wanted = request(level, 64 * kMiB, 300 * kMiB, false);
      wanted.held_bytes = held_bytes;
      auto budget = make_budget(wanted);
      if (!budget) {
        EXPECT_FAILS(ErrorCode::kMemoryLimit, budget);
        EXPECT_GT(budget.error().needed_bytes, wanted.limit_bytes);
        wanted.limit_bytes = budget.error().needed_bytes;
        budget = make_budget(wanted);
      }
      ASSERT_OK(budget) << "level " << level << ", " << held_bytes << " bytes held";
      EXPECT_GT(budget->needed_bytes, held_bytes);
      EXPECT_LE(budget->needed_bytes, wanted.limit_bytes);
      if (held_bytes <= kMiB) {
        EXPECT_EQ(64 * kMiB, wanted.limit_bytes) << "level " << level;
      }
    }
  }
}

// There is memory for one parse, and at level 1 for none of the context coder.
TEST(Budget, AScarceLimitHasOneSetOfCostsOfEachKind) {
  for (int level = kMinLevel; level <= kUltraLevel; ++level) {
    const auto budget = make_budget(request(level, 64 * kMiB, 300 * kMiB));
    ASSERT_OK(budget);
    const ParseParams& params = budget->settings.match.parse_params;
    for (const auto* sets : {&params.costs, &params.little_costs, &params.text_costs}) EXPECT_LE(sets->size(), 1u) << level;
    EXPECT_TRUE(params.dense_costs.empty()) << level;
  }
  EXPECT_TRUE(level_settings(1).coding.model);
  const auto least = make_budget(request(1, 42 * kMiB, 300 * kMiB));
  ASSERT_OK(least);
  EXPECT_FALSE(least->settings.coding.model);
}

// Two versions of a program of which an eighth has changed: 1.25 times the estimate leaves room for all work.
TEST(Budget, AQuarterAboveTheEstimateLeavesNothingOut) {
  for (int level = kMinLevel; level <= kUltraLevel; ++level) {
    for (const std::uint64_t size : {std::uint64_t{300'000}, 10 * kMiB, 100 * kMiB, 1500 * kMiB}) {
      const auto free = make_budget(request(level, 0, size));
      ASSERT_OK(free);
      const Likeness likeness{size / 8, level_settings(level).predict, 0};
      const auto similar = ample_budget(request(level, free->needed_bytes / 4 * 5, size), likeness);
      EXPECT_TRUE(similar) << "level " << level << ", " << size << " bytes";
    }
  }
}

TEST(Budget, WithoutALimitTheLevelIsUntouched) {
  for (const int level : {1, 3, 6}) {
    const auto budget = make_budget(request(level, 0, 300 * kMiB));
    ASSERT_OK(budget);
    EXPECT_EQ(level_settings(level).match.sample_shift, budget->settings.match.sample_shift);
    EXPECT_EQ(level_settings(level).coding.window_bytes, budget->settings.coding.window_bytes);
    EXPECT_EQ(level_settings(level).group_bytes, budget->outline_bytes);
    EXPECT_EQ(0u, budget->match.index_bytes);
    EXPECT_EQ(0u, budget->match.anchor_bytes);
    EXPECT_EQ(ParseScope().gram_blocks, budget->match.gram_blocks);
    EXPECT_FALSE(budget->match.near_only);
    EXPECT_GE(budget->segment_bytes, 300 * kMiB);
  }
}

TEST(Budget, LessMemoryMeansASparserIndexAndSmallerGroups) {
  const auto much = make_budget(request(3, 1024 * kMiB, 10'000 * kMiB));
  const auto little = make_budget(request(3, 64 * kMiB, 10'000 * kMiB));
  ASSERT_OK(much);
  ASSERT_OK(little);
  EXPECT_GT(little->settings.match.sample_shift, much->settings.match.sample_shift);
  EXPECT_LT(little->segment_bytes, much->segment_bytes);
  EXPECT_LT(little->draft_bytes, much->draft_bytes);
  EXPECT_LT(little->settings.coding.literals.max_window_log, much->settings.coding.literals.max_window_log);
}

TEST(Budget, AnAmpleLimitLeavesTheLevelUntouched) {
  for (int level = kMinLevel; level <= kUltraLevel; ++level) {
    const auto free = make_budget(request(level, 0, 30 * kMiB));
    BudgetRequest wanted = request(level, 1024 * kMiB, 30 * kMiB);
    wanted.threads = 16;
    const auto ample = make_budget(wanted);
    ASSERT_OK(free);
    ASSERT_OK(ample);
    EXPECT_TRUE(ample->ample);
    EXPECT_LE(ample->needed_bytes, 1024 * kMiB);
    EXPECT_EQ(free->settings.choice_bytes, ample->settings.choice_bytes);
    EXPECT_EQ(free->settings.coding.window_bytes, ample->settings.coding.window_bytes);
    EXPECT_EQ(free->settings.coding.model_misses, ample->settings.coding.model_misses);
    EXPECT_EQ(free->settings.match.parse_params.costs.size(), ample->settings.match.parse_params.costs.size());
    EXPECT_EQ(free->segment_bytes, ample->segment_bytes);
    EXPECT_EQ(free->match.index_bytes, ample->match.index_bytes);
    EXPECT_FALSE(make_budget(request(level, 64 * kMiB, 30 * kMiB))->ample);
    EXPECT_FALSE(make_budget(request(level, 1024 * kMiB, 1000 * kMiB))->ample);
  }
}

// Where sizes alone would not do, how much differs may.
TEST(Budget, FilesThatHardlyDifferNeedLess) {
  const Likeness alike{2 * kMiB, false}, programs{2 * kMiB, true}, strange{60 * kMiB, false};
  for (const int level : {3, 6, 9}) {
    const auto free = make_budget(request(level, 0, 60 * kMiB));
    ASSERT_OK(free);
    const auto least_for = [&](const Likeness& likeness) {
      std::uint64_t limit = 64 * kMiB;
      while (!ample_budget(request(level, limit, 60 * kMiB), likeness)) limit += kMiB;
      return limit;
    };
    std::uint64_t least_for_any = 64 * kMiB;
    while (!make_budget(request(level, least_for_any, 60 * kMiB))->ample) least_for_any += kMiB;
    EXPECT_LT(least_for({}), least_for(alike)) << level;
    EXPECT_EQ(least_for(alike) + 120 * kMiB, least_for(programs)) << level;
    EXPECT_GT(least_for_any, least_for(programs)) << level;
    EXPECT_GT(least_for(strange), least_for(programs)) << level;
    EXPECT_EQ(least_for(alike) + 60 * kMiB, least_for({2 * kMiB, false, 10 * kMiB})) << level;

    BudgetRequest wanted = request(level, least_for(alike), 60 * kMiB);
    wanted.threads = 16;
    const auto similar = ample_budget(wanted, alike);
    ASSERT_TRUE(similar.has_value());
    EXPECT_TRUE(similar->ample);
    EXPECT_EQ(1u, similar->threads);
    EXPECT_LE(similar->needed_bytes, wanted.limit_bytes);
    EXPECT_EQ(free->settings.coding.model_misses, similar->settings.coding.model_misses);
    EXPECT_EQ(free->settings.match.parse_params.costs.size(), similar->settings.match.parse_params.costs.size());
    EXPECT_EQ(free->segment_bytes, similar->segment_bytes);
    EXPECT_EQ(free->draft_bytes, similar->draft_bytes);
    wanted.limit_bytes *= 2;
    EXPECT_LT(1u, ample_budget(wanted, alike)->threads);
    wanted.source_view = wanted.target_view = false;
    wanted.limit_bytes = least_for(alike) + 119 * kMiB;
    EXPECT_FALSE(ample_budget(wanted, alike).has_value());
  }
  EXPECT_FALSE(ample_budget(request(3, 64 * kMiB, 60 * kMiB), Likeness()).has_value());
  EXPECT_FALSE(ample_budget(request(3, 0, 1025 * kMiB), Likeness()).has_value());
  EXPECT_FALSE(ample_budget(request(3, 1'000'000 * kMiB, 4096 * kMiB), Likeness()).has_value());
}

// A patch has one plan of prediction and one set of substitutions, so what makes them must see all of NEW at once.
TEST(Budget, WhatLooksAtBothFilesHasOneSegment) {
  for (const std::uint64_t limit : {std::uint64_t{0}, 64 * kMiB, 1024 * kMiB, 1'000'000 * kMiB}) {
    for (const std::uint64_t size : {kMiB, 1025 * kMiB, 4095 * kMiB, 4096 * kMiB, 10'000 * kMiB}) {
      for (const int level : {1, 3, 6, 9, 10}) {
        const auto budget = make_budget(request(level, limit, size));
        ASSERT_OK(budget);
        if (budget->ample) {
          EXPECT_GE(budget->segment_bytes, size);
        }
        if (limit == 0) {
          EXPECT_EQ(size <= 4095 * kMiB, budget->ample);
        }
      }
    }
  }
}

class BudgetOfLevel : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Levels, BudgetOfLevel, ::testing::Values(1, 3, 6, 9));

TEST_P(BudgetOfLevel, ThreadsDecideOnlyWhatLeavesThePatchAlone) {
  for (const std::uint64_t limit : {64 * kMiB, 512 * kMiB, 4096 * kMiB}) {
    BudgetRequest wanted = request(GetParam(), limit, 1000 * kMiB, false);
    const auto one = make_budget(wanted);
    wanted.threads = 16;
    const auto many = make_budget(wanted);
    ASSERT_OK(one);
    ASSERT_OK(many);
    EXPECT_LE(many->needed_bytes, limit);
    EXPECT_GE(many->threads, one->threads);
    EXPECT_EQ(one->segment_bytes, many->segment_bytes);
    EXPECT_EQ(one->outline_bytes, many->outline_bytes);
    EXPECT_EQ(one->draft_bytes, many->draft_bytes);
    EXPECT_EQ(one->gathered_bytes, many->gathered_bytes);
    EXPECT_EQ(one->survey_shift, many->survey_shift);
    EXPECT_EQ(one->match.index_bytes, many->match.index_bytes);
    EXPECT_EQ(one->match.anchor_bytes, many->match.anchor_bytes);
    EXPECT_EQ(one->match.chunk_bytes, many->match.chunk_bytes);
    EXPECT_EQ(one->settings.match.sample_shift, many->settings.match.sample_shift);
    EXPECT_EQ(one->settings.coding.window_bytes, many->settings.coding.window_bytes);
  }
}

TEST(Budget, InputsThatFitHalfTheLimitAreLoaded) {
  EXPECT_TRUE(make_budget(request(3, 512 * kMiB, 100 * kMiB, false))->source_whole);
  const auto parts = make_budget(request(3, 512 * kMiB, 300 * kMiB, false));
  ASSERT_OK(parts);
  EXPECT_FALSE(parts->source_whole);
  EXPECT_FALSE(parts->target_whole);
  EXPECT_GT(parts->gathered_bytes, 0u);
}

TEST(Budget, TheFigureOfARefusalDoes) {
  for (int level = kMinLevel; level <= kUltraLevel; ++level) {
    for (std::uint64_t size = 1000; size < kMaxFileBytes; size *= 40) {
      for (const bool view : {true, false}) {
        for (const std::uint64_t limit : {kMiB, 20 * kMiB, 30 * kMiB}) {
          const auto refused = make_budget(request(level, limit, size, view));
          if (refused) continue;
          EXPECT_FAILS(ErrorCode::kMemoryLimit, refused);
          const std::uint64_t figure = refused.error().needed_bytes;
          EXPECT_GT(figure, limit);
          EXPECT_EQ(0u, figure % kMiB) << "it can be typed in short";
          EXPECT_NE(std::string::npos, refused.error().detail.find("at least " + std::to_string(figure) + " bytes"));
          EXPECT_OK(make_budget(request(level, figure, size, view)));
        }
      }
    }
  }
  EXPECT_FALSE(make_budget(request(6, kMiB, 1000)));
}

TEST(EstimateMemory, StaysWithinALimitAndGrowsWithout) {
  CreateOptions options;
  options.files.mode = IoMode::kMmap;
  const auto small = estimate_memory(10'000'000, 10'000'000, options);
  const auto large = estimate_memory(300'000'000, 300'000'000, options);
  ASSERT_OK(small);
  ASSERT_OK(large);
  EXPECT_LT(*small, *large);
  options.files.mode = IoMode::kStdio;
  EXPECT_GT(*estimate_memory(300'000'000, 300'000'000, options), 600'000'000u) << "both are loaded";
  options.memory_limit_bytes = 64 * kMiB;
  EXPECT_LE(*estimate_memory(300'000'000, 300'000'000, options), 64 * kMiB);
  options.level = kUltraLevel + 1;
  EXPECT_FAILS(ErrorCode::kUsage, estimate_memory(1, 1, options));
}

}  // namespace
}  // namespace bdelta::test::budget_test
