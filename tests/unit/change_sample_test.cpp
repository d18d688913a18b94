// Samples of what changes, and the parse that goes on with the costs that do best there.
#include "match/change_sample.hpp"

#include <algorithm>

#include "base/deciding/parse.hpp"
#include "match/parse.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::change_sample_test {
namespace {

ParseParams with_costs(std::size_t count) {
  ParseParams params;
  params.costs.resize(count);
  return params;
}

// Of three costs, each with its covers of samples where the files differ, the second is told to be the best.
TEST(Parse, GoesOnWithTheCostsThatAreChosenByASample) {
  const Bytes source = wordy_bytes(1'000'000, 21);
  const Bytes target = edited(source, random_edits(400, source.size(), 300, 22));
  ParseParams params = with_costs(3);
  params.costs[1].literal = 40;
  params.costs[2].far_switch = 9000;
  for (const unsigned threads : {1u, 3u}) {
    WorkerPool pool(threads);
    std::size_t calls = 0;
    CostChoice choice;
    choice.sample_bytes = target.size() / 4;
    choice.best_of = [&](const std::vector<Covers>& sets, const ByteRanges& sample,
                         const Covers& seeds) -> std::vector<std::size_t> {
      ++calls;
      EXPECT_EQ(Covers({{0, 0, 1000}}), seeds);
      EXPECT_EQ(3u, sets.size());
      EXPECT_GE(choice.sample_bytes, total_bytes(sample));
      for (const Covers& covers : sets) {
        EXPECT_TRUE(covers_are_valid(covers, source.size(), target.size()));
        for (const Cover& cover : covers) {
          const auto holds = [&](const ByteRange& r) { return r.begin <= cover.target_pos && cover.target_end() <= r.end; };
          EXPECT_TRUE(std::any_of(sample.begin(), sample.end(), holds));
        }
      }
      return {1};
    };
    const std::vector<Covers> found = parse_covers(source, target, {{0, 0, 1000}}, params, {}, pool, {}, &choice);
    EXPECT_EQ(1u, calls);
    ASSERT_EQ(1u, found.size());
    ParseParams alone = with_costs(1);
    alone.costs[0] = params.costs[1];
    EXPECT_EQ(parse_covers(source, target, {{0, 0, 1000}}, alone, {}, pool).front(), found.front());
  }
}

TEST(Parse, NeedsNoSampleWhereNothingChanges) {
  const Bytes same = random_bytes(200'000, 23);
  const ParseParams params = with_costs(2);
  WorkerPool pool(1);
  CostChoice choice;
  choice.sample_bytes = same.size();
  choice.best_of = [](const std::vector<Covers>&, const ByteRanges&, const Covers&) -> std::vector<std::size_t> {
    ADD_FAILURE();
    return {0};
  };
  EXPECT_EQ(std::vector<Covers>({{{0, 0, same.size()}}}),
            parse_covers(same, same, {{0, 0, same.size()}}, params, {}, pool, {}, &choice));
}

// A pair whose seeds leave all 200'000 bytes to be changed.
struct ChosenParse {
  Bytes source = wordy_bytes(200'000, 26);
  Bytes target = edited(source, random_edits(300, source.size(), 300, 27));
  std::size_t calls = 0;
  std::vector<std::size_t> best = {0};
  CostChoice choice;

  ChosenParse() {
    choice.sample_bytes = target.size();
    choice.best_of = [this](const std::vector<Covers>&, const ByteRanges&, const Covers&) {
      ++calls;
      return best;
    };
  }
  std::vector<Covers> parse(std::size_t cost_count) {
    WorkerPool pool(1);
    return parse_covers(source, target, {}, with_costs(cost_count), {}, pool, {}, &choice);
  }
};

TEST(Parse, WhereFewBytesChangeGoesOnWithAllCosts) {
  ChosenParse pair;
  pair.choice.least_changed_bytes = pair.target.size() + 1;
  EXPECT_EQ(3u, pair.parse(3).size());
  EXPECT_EQ(0u, pair.calls);
  pair.choice.least_changed_bytes = pair.target.size();
  EXPECT_EQ(1u, pair.parse(3).size());
  EXPECT_EQ(1u, pair.calls);
}

TEST(Parse, OfOneSetOfCostsAsksOnlyIfTold) {
  ChosenParse pair;
  EXPECT_EQ(1u, pair.parse(1).size());
  EXPECT_EQ(0u, pair.calls);
  pair.choice.of_one = true;
  EXPECT_EQ(1u, pair.parse(1).size());
  EXPECT_EQ(1u, pair.calls);
}

TEST(Parse, EndsWithTheSampleWhereNoCoversAreWanted) {
  ChosenParse pair;
  pair.best = {};
  EXPECT_TRUE(pair.parse(2).empty());
  EXPECT_EQ(1u, pair.calls);
}

TEST(SampleChanges, TakesAllPlacesOfFewChanges) {
  const Bytes source = random_bytes(4'000'000, 24);
  Bytes target = source;
  target[100] ^= 1;
  target[3'000'000] ^= 1;
  target[3'999'999] ^= 1;
  WorkerPool pool(2);
  const ByteRanges sample = sample_changes(source, target, {{0, 0, source.size()}}, source.size(), pool);
  ASSERT_EQ(3u, sample.size());
  const std::size_t places[] = {100, 3'000'000, 3'999'999};
  for (std::size_t i = 0; i < sample.size(); ++i) {
    EXPECT_LE(sample[i].begin, places[i]);
    EXPECT_GT(sample[i].end, places[i]);
  }
}

TEST(SampleChanges, TakesFewOfManyFromAllOverTheTarget) {
  const Bytes source = random_bytes(4'000'000, 25);
  Bytes target = source;
  for (std::size_t i = 0; i < target.size(); i += 3) target[i] ^= 1;
  WorkerPool pool(2);
  const Covers covers = {{0, 0, 1'500'000}, {2'500'000, 2'500'000, 1'500'000}};  // the rest counts as changed, too
  const ByteRanges sample = sample_changes(source, target, covers, source.size(), pool);
  std::uint64_t free_bytes = 0;
  for (const ByteRange& range : sample) {
    if (range.begin >= 1'500'000 && range.end <= 2'500'000) free_bytes += range.end - range.begin;
  }
  EXPECT_GT(free_bytes, 0u);
  EXPECT_LT(total_bytes(sample), source.size() / 12);
  EXPECT_GT(total_bytes(sample), source.size() / 24);
  EXPECT_LT(sample.front().begin, 500'000u);
  EXPECT_GT(sample.back().end, 3'500'000u);
  const std::uint64_t little = 200'000;
  EXPECT_LE(total_bytes(sample_changes(source, target, covers, little, pool)), little);
}

TEST(SampleChanges, TakesMoreWhereLittleChanges) {
  const Bytes source = random_bytes(8'000'000, 28);
  Bytes target = source;
  for (std::size_t i = 0; i < target.size(); i += 10'000) target[i] ^= 1;
  WorkerPool pool(2);
  constexpr std::uint64_t kBytes = 1'000'000;
  const std::uint64_t taken = total_bytes(sample_changes(source, target, {{0, 0, source.size()}}, kBytes, pool));
  EXPECT_GT(taken, kBytes + kBytes / 2);
  EXPECT_LE(taken, 2 * kBytes);
}

// Few stretches have most of what changes. In the mean a sample has its share of that: it is not one that happens to lack it.
TEST(SampleChanges, HasItsShareOfWhatChanges) {
  constexpr std::uint64_t kStretches = 200, kUsual = 16;
  const Bytes zeros(kStretches * kSampleStretchBytes);
  WorkerPool pool(1);
  double share_sum = 0;
  constexpr unsigned kSeeds = 60;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    Covers covers;
    std::vector<std::uint64_t> changed;
    std::uint64_t total_bytes = 0;
    for (std::uint64_t i = 0; i < kStretches; ++i) {
      changed.push_back(random.below(10) == 0 ? kSampleStretchBytes : kUsual);
      total_bytes += changed.back();
      const std::uint64_t pos = i * kSampleStretchBytes + changed.back();
      if (changed.back() == kUsual) covers.push_back({pos, pos, kSampleStretchBytes - kUsual});
    }
    std::uint64_t sampled_bytes = 0, sampled_count = 0;
    for (const ByteRange& range : sample_changes(zeros, zeros, covers, zeros.size() / 8, pool)) {
      sampled_bytes += changed[static_cast<std::size_t>(range.begin / kSampleStretchBytes)];
      ++sampled_count;
    }
    ASSERT_LT(0u, sampled_count);
    share_sum += static_cast<double>(sampled_bytes * kStretches) / static_cast<double>(sampled_count * total_bytes);
  }
  EXPECT_LT(0.9, share_sum / kSeeds);
  EXPECT_GT(1.1, share_sum / kSeeds);
}

}  // namespace
}  // namespace bdelta::test::change_sample_test
