// The parse against an exhaustive dynamic program, and what it promises on any input.
#include "match/parse.hpp"

#include <algorithm>

#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/sanitized.hpp"

namespace bdelta::test::parse_test {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 50;

std::int64_t switch_cost(const ParseCosts& costs, std::int64_t from, std::int64_t to) {
  if (from == to) return costs.resume;
  return std::abs(from - to) < kNearBytes ? costs.near_switch : costs.far_switch;
}

// What the parse believes a byte of a copy to cost.
std::int64_t byte_cost(const ParseCosts& costs, std::uint8_t source, std::uint8_t target, bool missed) {
  if (source == target) return missed ? costs.match_after_miss : costs.match;
  return (missed ? costs.next_miss : costs.first_miss) + costs.value[static_cast<std::uint8_t>(target - source)];
}

// The cost of covering the target so.
std::int64_t cost_of(ByteSpan source, ByteSpan target, const Covers& covers, const ParseCosts& costs) {
  std::int64_t cost = 0;
  std::int64_t diagonal = 0;
  std::uint64_t done = 0;
  bool in_copy = false;
  const auto literals = [&](std::uint64_t end) {
    if (end == done) return;
    cost += static_cast<std::int64_t>(end - done) * costs.literal + (in_copy ? costs.begin_literal : 0);
  };
  for (const Cover& cover : covers) {
    literals(cover.target_pos);
    cost += switch_cost(costs, diagonal, cover.diagonal());
    diagonal = cover.diagonal();
    bool missed = false;
    for (std::uint64_t i = 0; i < cover.length; ++i) {
      const std::uint8_t s = source[cover.source_pos + i];
      const std::uint8_t t = target[cover.target_pos + i];
      cost += byte_cost(costs, s, t, missed);
      missed = s != t;
    }
    done = cover.target_end();
    in_copy = true;
  }
  literals(target.size());
  return cost;
}

// The least cost of all ways there are: every diagonal at every byte, literals with the diagonal before them.
class Oracle {
 public:
  Oracle(ByteSpan source, ByteSpan target, const ParseCosts& costs) : source_(source), target_(target), costs_(costs) {}

  std::int64_t least_cost() {
    const std::size_t count = source_.size() + target_.size() + 1;  // diagonals -target to +source
    std::vector<std::int64_t> literal(count, kFar);
    std::vector<std::int64_t> fit(count, kFar);
    std::vector<std::int64_t> missed(count, kFar);
    literal[target_.size()] = 0;  // diagonal 0
    for (std::size_t pos = 0; pos < target_.size(); ++pos) {
      const std::vector<std::int64_t> begins = switched(literal, fit, missed);
      for (std::size_t d = 0; d < count; ++d) {
        const std::int64_t copied = std::min(fit[d], missed[d]);
        const std::int64_t at = static_cast<std::int64_t>(pos + d) - static_cast<std::int64_t>(target_.size());
        literal[d] = std::min(literal[d], copied + costs_.begin_literal) + costs_.literal;
        if (at < 0 || at >= static_cast<std::int64_t>(source_.size())) {
          fit[d] = missed[d] = kFar;
          continue;
        }
        const std::uint8_t s = source_[static_cast<std::size_t>(at)];
        const std::int64_t next = std::min(std::min(fit[d], begins[d]) + byte_cost(costs_, s, target_[pos], false),
                                           missed[d] + byte_cost(costs_, s, target_[pos], true));
        fit[d] = s == target_[pos] ? next : kFar;
        missed[d] = s == target_[pos] ? kFar : next;
      }
    }
    std::int64_t best = kFar;
    for (const auto* states : {&literal, &fit, &missed}) {
      best = std::min(best, *std::min_element(states->begin(), states->end()));
    }
    return best;
  }

 private:
  // The least cost of being on each diagonal by a change to it here.
  [[nodiscard]] std::vector<std::int64_t> switched(const std::vector<std::int64_t>& literal,
                                                   const std::vector<std::int64_t>& fit,
                                                   const std::vector<std::int64_t>& missed) const {
    const std::size_t count = literal.size();
    std::vector<std::int64_t> from(count);
    std::int64_t best = kFar;
    for (std::size_t d = 0; d < count; ++d) {
      from[d] = std::min({literal[d], fit[d], missed[d]});
      best = std::min(best, from[d]);
    }
    std::vector<std::int64_t> to(count, best + costs_.far_switch);
    for (std::size_t d = 0; d < count; ++d) {
      if (from[d] + costs_.near_switch >= best + costs_.far_switch) continue;
      const std::size_t begin = d - std::min<std::size_t>(d, kNearBytes - 1);
      const std::size_t end = std::min<std::size_t>(count, d + kNearBytes);
      for (std::size_t other = begin; other < end; ++other) {
        to[other] = std::min(to[other], from[d] + costs_.near_switch);
      }
      to[d] = std::min(to[d], from[d] + costs_.resume);
    }
    return to;
  }

  const ByteSpan source_;
  const ByteSpan target_;
  const ParseCosts& costs_;
};

Covers parsed(ByteSpan source, ByteSpan target, const Covers& seeds = {}, const ParseParams& params = {},
              unsigned threads = 1) {
  WorkerPool pool(threads);
  return parse_covers(source, target, seeds, params, {}, pool).front();
}

struct Excess {
  std::int64_t parse = 0;
  std::int64_t least = 0;
};

// Sums over pairs made by `make(round)`; every single parse is checked never to be cheaper than the oracle.
template <class Make>
Excess excess_over_oracle(int rounds, const Make& make) {
  Excess sum;
  for (int round = 0; round < rounds; ++round) {
    const auto [source, target] = make(round);
    const ParseParams params;
    const Covers covers = parsed(source, target);
    EXPECT_TRUE(covers_are_valid(covers, source.size(), target.size()));
    const ParseCosts costs = fit_costs(cover_changes(source, target, {}), params.costs.front());
    const std::int64_t least = Oracle(source, target, costs).least_cost();
    const std::int64_t cost = cost_of(source, target, covers, costs);
    EXPECT_GE(cost, least) << "round " << round;
    sum.parse += cost;
    sum.least += least;
  }
  return sum;
}

using Pair = std::pair<Bytes, Bytes>;

TEST(Parse, IsNearTheBestWayOnEditedWords) {
  const Excess excess = excess_over_oracle(12, [](int round) {
    const auto seed = static_cast<std::uint64_t>(round);
    const Bytes source = wordy_bytes(500, seed);
    return Pair(source, edited(source, random_edits(5, source.size(), 60, seed + 100)));
  });
  RecordProperty("excess_per_mille", static_cast<int>((excess.parse - excess.least) * 1000 / excess.least));
  EXPECT_LT(excess.parse, excess.least * 101 / 100);
}

TEST(Parse, IsNearTheBestWayOnEditedRandomBytes) {
  const Excess excess = excess_over_oracle(12, [](int round) {
    const auto seed = static_cast<std::uint64_t>(round);
    const Bytes source = random_bytes(500, seed);
    return Pair(source, edited(source, random_edits(6, source.size(), 60, seed + 200)));
  });
  RecordProperty("excess_per_mille", static_cast<int>((excess.parse - excess.least) * 1000 / excess.least));
  EXPECT_LT(excess.parse, excess.least * 101 / 100);
}

TEST(Parse, IsNearTheBestWayOnRecordsWithCounters) {
  const Excess excess = excess_over_oracle(8, [](int round) {
    Bytes source;
    Bytes target;
    for (std::uint8_t i = 0; i < 20; ++i) {
      const Bytes record = random_bytes(20, static_cast<std::uint64_t>(round * 100 + i));
      append(source, record);
      append(target, record);
      source.push_back(i);
      target.push_back(static_cast<std::uint8_t>(i + 3));
      if (i % 7 == 3) append(target, random_bytes(9, i));
    }
    return Pair(source, target);
  });
  RecordProperty("excess_per_mille", static_cast<int>((excess.parse - excess.least) * 1000 / excess.least));
  EXPECT_LT(excess.parse, excess.least * 101 / 100);
}

TEST(Parse, EndsOnAnyInput) {
  Random random(11);
  for (int round = 0; round < 40; ++round) {
    const auto size = static_cast<std::size_t>(random.between(0, 20'000));
    const auto period = 1 + static_cast<std::size_t>(random.below(40));
    const std::uint64_t seed = random.next();
    const Bytes source = round % 2 == 0 ? periodic_bytes(size, period, seed) : wordy_bytes(size, seed);
    const Bytes target = edited(source, random_edits(20, size, 300, random.next()));
    const Covers covers = parsed(source, target);
    ASSERT_TRUE(covers_are_valid(covers, source.size(), target.size())) << round;
  }
}

TEST(Parse, TakesEmptyAndTinyInputs) {
  const Bytes bytes = random_bytes(5, 1);
  EXPECT_TRUE(parsed({}, bytes).empty());
  EXPECT_TRUE(parsed(bytes, {}).empty());
  EXPECT_TRUE(covers_are_valid(parsed(bytes, bytes), 5, 5));
}

TEST(Parse, JoinsWhatChunksCut) {
  const Bytes source = random_bytes((17u << 20) + 123, 3);
  Bytes target = source;
  target[9u << 20] ^= 1;
  EXPECT_EQ(Covers({{0, 0, source.size()}}), parsed(source, target, {{0, 0, source.size()}}));
}

TEST(Parse, IsTheSameForAnyNumberOfThreads) {
  const Bytes source = wordy_bytes((kSanitized ? 10u : 20u) << 20, 4);
  const Bytes target = edited(source, random_edits(300, source.size(), 5000, 5));
  EXPECT_EQ(parsed(source, target, {}, {}, 1), parsed(source, target, {}, {}, 3));
}

TEST(Parse, FindsABlockThatNoSeedKnows) {
  const Bytes source = random_bytes(400'000, 6);
  Bytes target(source.begin() + 300'000, source.begin() + 300'200);
  append(target, random_bytes(50, 7));
  target.insert(target.end(), source.begin() + 1000, source.begin() + 1300);
  EXPECT_EQ(Covers({{300'000, 0, 200}, {1000, 250, 300}}), parsed(source, target));
}

TEST(Parse, FewerGramBlocksChangeNothing) {
  const Bytes source = wordy_bytes(2u << 20, 14);
  const Bytes target = edited(source, random_edits(100, source.size(), 5000, 15));
  WorkerPool pool(1);
  ParseScope scope;
  scope.gram_blocks = 2;
  EXPECT_EQ(parsed(source, target), parse_covers(source, target, {}, {}, {}, pool, scope).front());
}

TEST(Parse, BoundedAnchorsFindTheBlocksTooInTheRangesGiven) {
  const Bytes source = random_bytes(1'000'000, 16);
  Bytes target(source.begin() + 300'000, source.begin() + 300'200);
  append(target, random_bytes(50, 17));
  target.insert(target.end(), source.begin() + 800'000, source.begin() + 800'300);
  WorkerPool pool(1);
  ParseScope scope;
  scope.anchors.memory_bytes = 4u << 20;
  EXPECT_EQ(Covers({{300'000, 0, 200}, {800'000, 250, 300}}),
            parse_covers(source, target, {}, {}, {}, pool, scope).front());
  scope.anchors.ranges = {{700'000, 900'000}};
  EXPECT_EQ(Covers({{800'000, 250, 300}}), parse_covers(source, target, {}, {}, {}, pool, scope).front());
}

TEST(Parse, GivesNoMoreCoversThanAllowed) {
  const Bytes source = wordy_bytes(1u << 20, 18);
  const Bytes target = edited(source, random_edits(200, source.size(), 500, 19));
  WorkerPool pool(1);
  ParseScope scope;
  const std::size_t all = parse_covers(source, target, {}, {}, {}, pool, scope).front().size();
  scope.bytes_per_cover = scope.chunk_bytes / 20;
  const std::size_t some = parse_covers(source, target, {}, {}, {}, pool, scope).front().size();
  EXPECT_GT(all, 20u);
  EXPECT_LE(some, 20u);
  EXPECT_GT(some, 0u);
}

TEST(Parse, AnOrdinaryScaleForMissesChangesNothing) {
  const Bytes source = wordy_bytes(60'000, 31);
  Bytes target = source;
  Random random(32);
  for (std::uint8_t& byte : target) {
    if (random.below(20) == 0) byte = static_cast<std::uint8_t>(random.next());
  }
  target.erase(target.begin() + 20'000, target.begin() + 20'300);
  WorkerPool pool(1);
  const Bytes ordinary(target.size(), 16);
  const Bytes dear(target.size(), 64);
  const Covers plain = parse_covers(source, target, {}, ParseParams{}, {}, pool).front();
  EXPECT_EQ(plain, parse_covers(source, target, {}, ParseParams{}, ordinary, pool).front());
  EXPECT_NE(plain, parse_covers(source, target, {}, ParseParams{}, dear, pool).front());
}

TEST(Parse, CheapMissesKeepADiagonal) {
  // Every second of 200 bytes differs: too dear to copy, unless the caller says that misses cost next to nothing.
  const Bytes source = random_bytes(40'000, 8);
  Bytes target = source;
  for (std::size_t i = 20'000; i < 20'200; ++i) {
    if (i % 2 == 0) target[i] = static_cast<std::uint8_t>(target[i] + 17 + i % 31);
  }
  const Covers seeds = {{0, 0, 20'000}, {20'200, 20'200, source.size() - 20'200}};
  WorkerPool pool(1);
  const std::vector<std::uint8_t> cheap(target.size(), 1);
  EXPECT_EQ(Covers({{0, 0, source.size()}}), parse_covers(source, target, seeds, {}, cheap, pool).front());
  EXPECT_GT(parse_covers(source, target, seeds, {}, {}, pool).front().size(), 1u);
}

TEST(Parse, GivesASetOfCoversForEachOfTheCosts) {
  const Bytes source = wordy_bytes(50'000, 21);
  const Bytes target = edited(source, random_edits(60, source.size(), 300, 22));
  ParseParams params;
  ParseCosts cheap_literals;
  cheap_literals.literal = 40;
  params.costs = {ParseCosts(), cheap_literals};
  WorkerPool pool(1);
  const std::vector<Covers> sets = parse_covers(source, target, {}, params, {}, pool);
  ASSERT_EQ(2u, sets.size());
  EXPECT_EQ(parsed(source, target), sets[0]);
  EXPECT_NE(sets[0], sets[1]);
  EXPECT_TRUE(covers_are_valid(sets[1], source.size(), target.size()));
}

TEST(Parse, WhereLittleChangesOtherCostsCount) {
  const Bytes source = wordy_bytes(50'000, 21);
  Bytes target = edited(source, random_edits(60, source.size(), 300, 22));
  target.resize(source.size());
  const Covers seeds = {{0, 0, source.size()}};
  const std::uint64_t changed_bytes = cover_changes(source, target, seeds).changed_bytes();
  ParseCosts cheap_literals;
  cheap_literals.literal = 40;
  WorkerPool pool(1);
  const auto parsed_with = [&](ParseParams params) { return parse_covers(source, target, seeds, params, {}, pool); };
  ParseParams usual;
  ParseParams cheap;
  cheap.costs = {cheap_literals};
  ParseParams either;
  either.little_costs = cheap.costs;
  either.little_bytes = changed_bytes;
  EXPECT_NE(parsed_with(usual), parsed_with(cheap));
  EXPECT_EQ(parsed_with(cheap), parsed_with(either));
  either.little_bytes = changed_bytes - 1;
  EXPECT_EQ(parsed_with(usual), parsed_with(either));
  either.little_costs.push_back(ParseCosts());
  EXPECT_EQ(1u, parsed_with(either).size());
  either.little_bytes = changed_bytes;
  EXPECT_EQ(2u, parsed_with(either).size());
}

TEST(Parse, WhereTextChangesItsCostsCount) {
  const Bytes source = wordy_bytes(50'000, 21);
  const Bytes target = edited(source, random_edits(60, source.size(), 300, 22));
  ParseParams usual;
  ParseParams cheap;
  cheap.costs.front().literal = 40;
  ParseParams of_text = usual;
  of_text.text_costs = cheap.costs;
  WorkerPool pool(1);
  const auto parsed_with = [&](const Bytes& new_bytes, const ParseParams& params) {
    return parse_covers(source, new_bytes, {}, params, {}, pool);
  };
  EXPECT_NE(parsed_with(target, usual), parsed_with(target, cheap));
  EXPECT_EQ(parsed_with(target, cheap), parsed_with(target, of_text));
  of_text.little_costs = usual.costs;  // text goes first
  of_text.little_bytes = target.size();
  EXPECT_EQ(parsed_with(target, cheap), parsed_with(target, of_text));

  Bytes no_text = target;
  append(no_text, Bytes(target.size() / 20, 0));
  EXPECT_NE(parsed_with(no_text, usual), parsed_with(no_text, cheap));
  EXPECT_EQ(parsed_with(no_text, usual), parsed_with(no_text, of_text));
}

TEST(Parse, WhereCoversAreCheapASampleTellsWhetherMoreOfThemPay) {
  const Bytes source = wordy_bytes(50'000, 21);
  const Bytes target = edited(source, random_edits(60, source.size(), 300, 22));
  const ParseParams usual;
  ParseParams cheap;
  cheap.costs.front() = with_cheap_covers(cheap.costs.front());
  WorkerPool pool(1);
  const auto parsed_with = [&](const ParseParams& params, const CostChoice* choice) {
    return parse_covers(source, target, {}, params, {}, pool, {}, choice);
  };
  CostChoice choice;
  choice.sample_bytes = target.size();
  std::size_t best = 0;
  choice.best_of = [&](const std::vector<Covers>& sets, const ByteRanges&, const Covers&) {
    EXPECT_EQ(2u, sets.size());
    EXPECT_LT(sets[0].size(), sets[1].size());
    return std::vector<std::size_t>{best};
  };
  bool cheap_covers = true;
  choice.are_cheap = [&](const Covers&, const ParseCosts&) { return cheap_covers; };
  EXPECT_NE(parsed_with(usual, nullptr), parsed_with(cheap, nullptr));
  EXPECT_EQ(parsed_with(usual, nullptr), parsed_with(usual, &choice));
  best = 1;
  EXPECT_EQ(parsed_with(cheap, nullptr), parsed_with(usual, &choice));
  cheap_covers = false;
  EXPECT_EQ(parsed_with(usual, nullptr), parsed_with(usual, &choice)) << "nothing to choose from";
}

}  // namespace
}  // namespace bdelta::test::parse_test
