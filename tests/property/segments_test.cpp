// Small limits of memory: NEW in segments, OLD in parts. Whatever is lost in size, the patch is right, and it does not
// depend on the threads.
#include "create/budget.hpp"
#include "create/gathered_source.hpp"
#include "match/near_source.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::segments_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::size_t kSize = 24 << 20;  // several segments at 64 MiB, and more than fits half of it

struct Pair {
  Bytes source;
  Bytes target;
};

const Pair& moved_pair() {
  static const Pair pair = [] {
    Pair made;
    made.source = random_bytes(kSize, 1);
    made.target = edited(made.source, random_edits(200, kSize, 40'000, 2));
    // The last quarter comes first, so that much lies far from its place.
    const auto middle = made.target.begin() + static_cast<std::ptrdiff_t>(made.target.size() / 4 * 3);
    std::rotate(made.target.begin(), middle, made.target.end());
    return made;
  }();
  return pair;
}

Result<Bytes> make_limited(const Pair& pair, int level, std::uint64_t limit_bytes, bool views, unsigned threads,
                           PatchFormat format = PatchFormat::kBdt2) {
  CreateOptions options = create_options(level, format, threads);
  options.memory_limit_bytes = limit_bytes;
  Bytes patch;
  MemoryWriter writer(patch);
  HiddenReader hidden_source(pair.source);
  HiddenReader hidden_target(pair.target);
  io::MemoryReader source(pair.source);
  io::MemoryReader target(pair.target);
  auto report = views ? create(source, target, writer, options) : create(hidden_source, hidden_target, writer, options);
  if (!report) return std::move(report).error();
  EXPECT_TRUE(report->verified);
  EXPECT_EQ(pair.target.size(), report->covered_bytes + report->literal_bytes);
  return patch;
}

class Limited : public ::testing::TestWithParam<int> {};

TEST_P(Limited, PatchesRebuildForAnyThreads) {
  const Pair& pair = moved_pair();
  for (const bool views : {true, false}) {
    const auto patch = make_limited(pair, GetParam(), 48 * kMiB, views, 1);
    ASSERT_OK(patch);
    EXPECT_LT(patch->size(), pair.target.size() / 8) << "views: " << views;
    expect_rebuilt(pair.source, *patch, pair.target);
    const auto other = make_limited(pair, GetParam(), 48 * kMiB, views, 3);
    ASSERT_OK(other);
    EXPECT_TRUE(same_bytes(*patch, *other));
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Limited, ::testing::Values(1, 3, 6));

TEST(Segments, ReportProgressThatNeverFalls) {
  const Pair& pair = moved_pair();
  for (const PatchFormat format : {PatchFormat::kBdt2, PatchFormat::kBdt1}) {
    CreateOptions options = create_options(3, format, 2);
    options.memory_limit_bytes = 48 * kMiB;
    std::uint64_t told = 0;
    bool fell = false;
    options.progress = [&](std::uint64_t done, std::uint64_t) {
      fell = fell || done < told;
      told = done;
      return true;
    };
    Bytes patch;
    MemoryWriter writer(patch);
    HiddenReader source(pair.source);
    HiddenReader target(pair.target);
    ASSERT_OK(create(source, target, writer, options));
    EXPECT_FALSE(fell);
    EXPECT_EQ(pair.target.size(), told);
  }
}

TEST(Segments, KeepToTheLimitOfThePatch) {
  const Pair& pair = moved_pair();
  for (const PatchFormat format : {PatchFormat::kBdt2, PatchFormat::kBdt1}) {
    CreateOptions options = create_options(1, format, 1);
    options.memory_limit_bytes = 48 * kMiB;
    options.max_patch_ratio = 0.001;
    Bytes patch;
    MemoryWriter writer(patch);
    HiddenReader source(pair.source);
    HiddenReader target(pair.target);
    EXPECT_FAILS(ErrorCode::kPatchTooLarge, create(source, target, writer, options));
    EXPECT_TRUE(patch.empty());
  }
}

TEST(Segments, OfTheOldFormatRebuildToo) {
  const Pair& pair = moved_pair();
  const auto patch = make_limited(pair, 1, 48 * kMiB, false, 2, PatchFormat::kBdt1);
  ASSERT_OK(patch);
  EXPECT_LT(patch->size(), pair.target.size() / 8);
  expect_rebuilt(pair.source, *patch, pair.target);
}

TEST(Segments, AnExactCopyOverTheirBordersStaysOneWindow) {
  Pair pair;
  pair.source = random_bytes(kSize, 3);
  pair.target = pair.source;
  pair.target[kSize / 2 + 5] ^= 1;
  const auto patch = make_limited(pair, 1, 48 * kMiB, true, 1);
  ASSERT_OK(patch);
  EXPECT_LT(patch->size(), 200u);
}

// What the report says of a limit that would do is true.
TEST(Segments, TellWhatALimitLeavesOutAndWhichWouldDo) {
  const Pair& pair = moved_pair();
  io::MemoryReader source(pair.source);
  io::MemoryReader target(pair.target);
  const auto make = [&](std::uint64_t limit_bytes, Bytes& patch) {
    CreateOptions options = create_options(3, PatchFormat::kBdt2, 1);
    options.memory_limit_bytes = limit_bytes;
    MemoryWriter writer(patch);
    return create(source, target, writer, options);
  };
  Bytes scarce, enough, free;
  const auto of_scarce = make(64 * kMiB, scarce);
  ASSERT_OK(of_scarce);
  std::vector<std::string> names;
  for (const LeftOut& work : of_scarce->left_out) names.push_back(work.name);
  EXPECT_EQ((std::vector<std::string>{"substitutions", "copies_of_new", "fills"}), names) << "there are no programs";
  const std::uint64_t needed_bytes = of_scarce->left_out.front().needed_bytes;
  EXPECT_GT(needed_bytes, 64 * kMiB);
  const auto of_enough = make(needed_bytes, enough);
  ASSERT_OK(of_enough);
  EXPECT_TRUE(of_enough->left_out.empty());
  ASSERT_OK(make(0, free));
  EXPECT_TRUE(same_bytes(free, enough));
}

TEST(Segments, WindowsOfEverySizeAndEmptyTargets) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{100'000}}) {
    Pair pair{random_bytes(size, 4), random_bytes(size / 2, 5)};
    for (const bool views : {true, false}) {
      const auto patch = make_limited(pair, 3, 64 * kMiB, views, 1);
      ASSERT_OK(patch);
      expect_rebuilt(pair.source, *patch, pair.target);
    }
  }
}

TEST(GatheredSource, PlacesCoversWhereTheBytesStand) {
  const Bytes source = random_bytes(8 << 20, 6);
  Bytes target;
  for (const std::size_t pos : {std::size_t{7'000'000}, std::size_t{100'000}, std::size_t{4'000'000}}) {
    append(target, ByteSpan(source).subspan(pos, 200'000));
  }
  BudgetRequest request;
  request.level = 1;
  request.limit_bytes = 48 * kMiB;
  request.source_size = request.target_size = std::uint64_t{1} << 30;
  auto budget = make_budget(request);
  ASSERT_OK(budget);
  budget->gathered_bytes = 2 << 20;
  WorkerPool pool(1);
  HiddenReader reader(source);
  GatheredSource gathered(reader, *budget, pool);
  FileHasher hasher(false);
  ASSERT_OK(gathered.survey(hasher));
  EXPECT_EQ(xxh3_128(source), hasher.finish().xxh3_128);
  ASSERT_OK(gathered.gather(target, 0, target.size()));
  EXPECT_LE(gathered.bytes().size(), budget->gathered_bytes);
  Matcher matcher(gathered.bytes(), budget->settings.match, budget->match, pool);
  const Covers covers = gathered.place(matcher.find(target, gathered.diagonals()).front());
  ASSERT_TRUE(covers_are_valid(covers, source.size(), target.size()));
  std::uint64_t covered = 0;
  for (const Cover& cover : covers) {
    covered += cover.length;
    ASSERT_TRUE(same_bytes(gathered.pieces().span(cover.source_pos, cover.length),
                           ByteSpan(source).subspan(cover.source_pos, cover.length)));
  }
  EXPECT_GT(covered, target.size() * 9 / 10);
}

TEST(NearSource, TakesTheBlocksThatHoldMostAndNoMore) {
  const Covers covers = {{50 * kMiB, 0, 700'000}, {3 * kMiB + 500'000, 700'000, 100}, {10, 700'100, 900'000}};
  const auto all = near_source(covers, 100 * kMiB, 100 * kMiB);
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(0u, all.front().begin);
  EXPECT_EQ(51 * kMiB, all.back().end);
  const auto best = near_source(covers, 100 * kMiB, kMiB - 1);
  ASSERT_EQ(1u, best.size());
  EXPECT_EQ(0u, best[0].begin);
  EXPECT_EQ(kMiB, best[0].end);
  EXPECT_EQ(1u, near_source({}, 100, kMiB).size());
}

}  // namespace
}  // namespace bdelta::test::segments_test
