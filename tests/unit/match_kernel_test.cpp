// The kernels of the matcher against plain forms of themselves: comparison, sampling, extension, tables.
#include "match/anchor_table.hpp"
#include "match/extend.hpp"
#include "match/sample_hash.hpp"
#include "match/source_index.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::match_kernel_test {
namespace {

// `like` with some of its bytes changed, so that masks are neither full nor empty.
Bytes sprinkled(Bytes like, std::uint64_t one_in, std::uint64_t seed) {
  Random random(seed);
  for (std::uint8_t& byte : like) {
    if (random.below(one_in) == 0) byte = static_cast<std::uint8_t>(byte + random.between(1, 255));
  }
  return like;
}

TEST(MismatchMask, EqualsScalarAtEveryAlignment) {
  const Bytes a = random_bytes(256, 1);
  for (const std::uint64_t one_in : {1u, 2u, 7u, 40u, 1000u}) {
    const Bytes b = sprinkled(a, one_in, one_in);
    for (std::size_t i = 0; i < 64; ++i) {
      for (std::size_t j = 0; j < 64; ++j) {
        ASSERT_EQ(mismatch_mask_scalar(a.data() + i, b.data() + j), mismatch_mask(a.data() + i, b.data() + j));
      }
      ASSERT_EQ(mismatch_mask_scalar(a.data() + i, b.data() + i), mismatch_mask(a.data() + i, b.data() + i));
    }
  }
}

TEST(MismatchMask, EverySingleByte) {
  const Bytes a = random_bytes(64, 2);
  EXPECT_EQ(0u, mismatch_mask(a.data(), a.data()));
  for (std::size_t i = 0; i < 64; ++i) {
    Bytes b = a;
    b[i] ^= 0x80;
    EXPECT_EQ(std::uint64_t{1} << i, mismatch_mask(a.data(), b.data()));
  }
}

#if defined(BDELTA_HAVE_AVX2)
TEST(SampleScan, Avx2EqualsScalar) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
  const Bytes bytes = random_bytes(9000, 3);
  for (const unsigned shift : {1u, 2u, 5u, 7u, 12u}) {
    const auto threshold = static_cast<std::uint32_t>((std::uint64_t{1} << 32) >> shift);
    for (std::uint32_t count = 0; count < 70; ++count) {
      for (std::size_t at = 0; at < 33; ++at) {
        // The bytes that may be read are all there are: AddressSanitizer sees one too many.
        const Bytes exact(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                          bytes.begin() + static_cast<std::ptrdiff_t>(at + count + 7));
        std::vector<std::uint32_t> plain;
        std::vector<std::uint32_t> fast;
        scan_samples_scalar(exact.data(), count, threshold, plain);
        scan_samples_avx2(exact.data(), count, threshold, fast);
        ASSERT_EQ(plain, fast) << "shift " << shift << " count " << count << " at " << at;
      }
    }
    std::vector<std::uint32_t> plain;
    std::vector<std::uint32_t> fast;
    scan_samples_scalar(bytes.data(), 8000, threshold, plain);
    scan_samples_avx2(bytes.data(), 8000, threshold, fast);
    EXPECT_EQ(plain, fast);
    EXPECT_FALSE(plain.empty() && shift < 8);
  }
}

// Half of the positions are samples, so that eight of them make every pattern there is.
TEST(SampleScan, Avx2TakesEveryPatternOfSamples) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
  const Bytes bytes = random_bytes(60'000, 12);
  std::vector<std::uint32_t> plain;
  std::vector<std::uint32_t> fast;
  scan_samples_scalar(bytes.data(), 59'000, 1u << 31, plain);
  scan_samples_avx2(bytes.data(), 59'000, 1u << 31, fast);
  EXPECT_EQ(plain, fast);
  std::vector<bool> seen(256);
  for (std::size_t i = 0; i + 8 <= 59'000; i += 8) {
    unsigned pattern = 0;
    for (unsigned lane = 0; lane < 8; ++lane) {
      pattern |= static_cast<unsigned>(sample_hash(bytes.data() + i + lane) < 1u << 31) << lane;
    }
    seen[pattern] = true;
  }
  EXPECT_EQ(256, std::count(seen.begin(), seen.end(), true));
}

TEST(SampleScan, Avx2TakesRunsInWhichAllAreSamples) {
  if (!__builtin_cpu_supports("avx2")) GTEST_SKIP() << "this processor has no AVX2";
  Bytes run;
  for (unsigned value = 1; run.empty() && value < 256; ++value) {
    const Bytes eight(8, static_cast<std::uint8_t>(value));
    if (sample_hash(eight.data()) < 1u << 31) run.assign(9000, static_cast<std::uint8_t>(value));
  }
  ASSERT_FALSE(run.empty());
  std::vector<std::uint32_t> positions = {7, 7};
  scan_samples_avx2(run.data(), 8991, 1u << 31, positions);
  ASSERT_EQ(8993u, positions.size()) << "the positions stand behind what was there";
  EXPECT_EQ(7u, positions[1]);
  for (std::uint32_t i = 0; i < 8991; ++i) ASSERT_EQ(i, positions[i + 2]);
}
#endif

TEST(SampleScan, SamplesOfALargerShiftAreASubset) {
  const Bytes bytes = random_bytes(50'000, 4);
  std::vector<std::uint32_t> dense;
  std::vector<std::uint32_t> sparse;
  scan_samples_scalar(bytes.data(), 49'000, 1u << 27, dense);
  scan_samples_scalar(bytes.data(), 49'000, 1u << 25, sparse);
  EXPECT_TRUE(std::includes(dense.begin(), dense.end(), sparse.begin(), sparse.end()));
}

TEST(SampleScan, ZerosAreNoSamples) {
  const Bytes zeros(64);
  EXPECT_GE(sample_hash(zeros.data()), 1u << 31);
}

// The rule of extend.hpp, byte by byte, with the walk ended only where a run of unequal bytes ends.
Extension plain_extension(const Bytes& unequal, std::uint64_t limit, const ExtendCosts& costs) {
  Extension best;
  std::int64_t score = 0;
  for (std::uint64_t i = 0; i < limit; ++i) {
    score += unequal[static_cast<std::size_t>(i)] ? -costs.penalty : 1;
    if (score > best.score) best = {i + 1, score};
    if (score < best.score - costs.x_drop) break;
  }
  return best;
}

class Extend : public ::testing::TestWithParam<ExtendCosts> {};

TEST_P(Extend, EqualsThePlainRuleBothWays) {
  Random random(11);
  for (int round = 0; round < 400; ++round) {
    const auto size = static_cast<std::size_t>(random.between(0, 700));
    const Bytes source = random_bytes(size, random.next());
    // From nearly equal to nearly strange, with a change of density on the way.
    Bytes target = sprinkled(source, random.between(1, 60), random.next());
    const auto quiet = static_cast<std::size_t>(random.below(size + 1));
    std::copy(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(quiet), target.begin());
    Bytes forward;
    Bytes backward;
    for (std::size_t i = 0; i < size; ++i) {
      forward.push_back(source[i] != target[i]);
      backward.push_back(source[size - 1 - i] != target[size - 1 - i]);
    }
    const Extension ahead = extend_forward(source.data(), target.data(), size, GetParam());
    const Extension ahead_plain = plain_extension(forward, size, GetParam());
    ASSERT_EQ(ahead_plain.length, ahead.length);
    ASSERT_EQ(ahead_plain.score, ahead.score);
    const Extension back = extend_backward(source.data() + size, target.data() + size, size, GetParam());
    const Extension back_plain = plain_extension(backward, size, GetParam());
    ASSERT_EQ(back_plain.length, back.length);
    ASSERT_EQ(back_plain.score, back.score);
  }
}

INSTANTIATE_TEST_SUITE_P(Costs, Extend, ::testing::Values(ExtendCosts{3, 64}, ExtendCosts{1, 32}, ExtendCosts{2, 8}));

TEST(ExtendEdges, NothingToWalk) {
  const Bytes one = {7};
  EXPECT_EQ(0u, extend_forward(one.data(), one.data(), 0, {3, 64}).length);
  EXPECT_EQ(0u, extend_backward(one.data() + 1, one.data() + 1, 0, {3, 64}).length);
  EXPECT_EQ(1u, extend_forward(one.data(), one.data(), 1, {3, 64}).length);
}

TEST(SourceIndex, FindsWhatItSampled) {
  const Bytes source = random_bytes(300'000, 5);
  WorkerPool pool(1);
  SourceIndex index;
  index.build(source, 6, pool);
  std::vector<std::uint32_t> samples;
  scan_samples_scalar(source.data(), static_cast<std::uint32_t>(source.size() - kAnchorSpan + 1), index.threshold(),
                      samples);
  ASSERT_GT(samples.size(), 3000u);
  std::size_t found = 0;
  for (const std::uint32_t pos : samples) {
    bool here = false;
    index.lookup(anchor_hash(source.data() + pos), [&](std::uint64_t candidate) { here |= candidate == pos; });
    found += here;
  }
  EXPECT_GE(found * 100, samples.size() * 85) << "few anchors may fall out of full buckets";
}

TEST(SourceIndex, IsTheSameForAnyNumberOfThreads) {
  const Bytes source = random_bytes(std::size_t{13} << 20, 6);
  std::vector<std::uint32_t> samples;
  std::vector<std::vector<std::uint64_t>> answers;
  for (const unsigned threads : {1u, 2u, 7u}) {
    WorkerPool pool(threads);
    SourceIndex index;
    index.build(source, 9, pool);
    if (samples.empty()) {
      scan_samples_scalar(source.data(), static_cast<std::uint32_t>(source.size() - kAnchorSpan), index.threshold(),
                          samples);
    }
    std::vector<std::uint64_t> answer;
    for (const std::uint32_t pos : samples) {
      index.lookup(anchor_hash(source.data() + pos), [&](std::uint64_t candidate) { answer.push_back(candidate); });
      answer.push_back(~std::uint64_t{0});
    }
    answers.push_back(std::move(answer));
  }
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(answers[0], answers[2]);
}

TEST(SourceIndex, SmallSourcesGiveAnEmptyOrAHarmlessIndex) {
  WorkerPool pool(1);
  for (const std::size_t size : {0u, 1u, 31u, 32u, 33u}) {
    const Bytes source = random_bytes(size, size);
    SourceIndex index;
    index.build(source, 1, pool);
    index.lookup(0x1234567890abcdefull, [&](std::uint64_t pos) { EXPECT_LE(pos + kAnchorSpan, size); });
  }
}

// A target of noise with pieces of the source that are too short for the index; as many as say that the noise passes
// the filter hardly ever, whatever its size. Gaps of 64 KiB and 2 MiB: filters on both sides of the limit.
// A place on each side of each border between the stretches that the table is filled from, and the last one of all.
TEST(AnchorTable, NamesPlacesInAllOfTheSource) {
  constexpr std::size_t kStretch = std::size_t{1} << 19;
  const Bytes source = random_bytes(3 * kStretch + 3000, 16);
  // A target that nothing covers fails everywhere; what it holds is then what the table has to know.
  for (const std::size_t middle : {std::size_t{2000}, kStretch, 2 * kStretch, 3 * kStretch, source.size() - 2000}) {
    const auto begin = source.begin() + static_cast<std::ptrdiff_t>(middle - 2000);
    const Bytes target(begin, begin + 4000);
    WorkerPool pool(1);
    AnchorTable anchors;
    anchors.build(source, target, {}, 2, pool);
    std::size_t found = 0;
    for (std::size_t i = 0; i + AnchorTable::kKeyBytes <= target.size(); ++i) {
      anchors.lookup(target.data() + i, [&](std::uint64_t pos) { found += pos == middle - 2000 + i; });
    }
    EXPECT_GT(found, 4000u / 20) << middle;
  }
}

}  // namespace
}  // namespace bdelta::test::match_kernel_test
