// create, then apply: NEW comes back whatever the pair.
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/sanitized.hpp"

namespace bdelta::test::round_trip_test {
namespace {

struct Way {
  int level;
  PatchFormat format;
};

std::string name_of(const ::testing::TestParamInfo<Way>& info) {
  return (info.param.format == PatchFormat::kBdt1 ? "Bdt1Level" : "Bdt2Level") + std::to_string(info.param.level);
}

class RoundTrip : public ::testing::TestWithParam<Way> {
 protected:
  [[nodiscard]] CreateOptions options() const { return create_options(GetParam().level, GetParam().format); }
  static constexpr int kRounds = 25;
};

TEST_P(RoundTrip, EditedRandomBytes) {
  Random random(1);
  for (int round = 0; round < kRounds; ++round) {
    const auto size = static_cast<std::size_t>(random.between(0, 60'000));
    const Bytes source = random_bytes(size, random.next());
    const Edits edits = random_edits(static_cast<std::size_t>(random.below(20)), size, 3000, random.next());
    SCOPED_TRACE(round);
    expect_round_trip(source, edited(source, edits), options());
  }
}

TEST_P(RoundTrip, EditedWords) {
  Random random(2);
  for (int round = 0; round < kRounds; ++round) {
    const auto size = static_cast<std::size_t>(random.between(0, 60'000));
    const Bytes source = wordy_bytes(size, random.next());
    const Edits edits = random_edits(static_cast<std::size_t>(random.below(40)), size, 500, random.next());
    SCOPED_TRACE(round);
    expect_round_trip(source, edited(source, edits), options());
  }
}

TEST_P(RoundTrip, EachKindOfEditAlone) {
  const Bytes source = wordy_bytes(40'000, 3);
  for (const Edit::Kind kind :
       {Edit::kInsert, Edit::kDelete, Edit::kOverwrite, Edit::kMove, Edit::kCopy, Edit::kRepeat}) {
    for (const std::size_t length : {1u, 2u, 13u, 300u, 20'000u}) {
      for (const std::size_t at : {0u, 1u, 19'999u, 40'000u}) {
        SCOPED_TRACE(::testing::Message() << "kind " << kind << " length " << length << " at " << at);
        expect_round_trip(source, edited(source, {{kind, at, length, 7000, length}}), options());
      }
    }
  }
}

TEST_P(RoundTrip, EmptyAndTiny) {
  const Bytes some = wordy_bytes(5000, 4);
  expect_round_trip({}, {}, options());
  expect_round_trip({}, some, options());
  expect_round_trip(some, {}, options());
  for (const Bytes& tiny : {Bytes{0}, Bytes{1}, Bytes{0, 0}, Bytes{255, 1, 2}}) {
    expect_round_trip({}, tiny, options());
    expect_round_trip(tiny, {}, options());
    expect_round_trip(tiny, tiny, options());
    expect_round_trip(tiny, Bytes{7}, options());
    expect_round_trip(tiny, some, options());
    expect_round_trip(some, tiny, options());
  }
}

TEST_P(RoundTrip, PeriodicBytes) {
  for (std::size_t period = 1; period <= 17; ++period) {
    SCOPED_TRACE(period);
    const Bytes source = periodic_bytes(20'000, period, period);
    expect_round_trip(source, source, options());
    expect_round_trip(source, periodic_bytes(30'001, period, period), options());
    expect_round_trip(source, edited(source, random_edits(6, 20'000, 700, period)), options());
    expect_round_trip(source, periodic_bytes(20'000, period + 1, 99), options());
  }
}

TEST_P(RoundTrip, ZerosAndOnes) {
  const Bytes zeros(100'000);
  const Bytes ones(100'000, 1);
  expect_round_trip(zeros, zeros, options());
  expect_round_trip(zeros, ones, options());
  expect_round_trip(zeros, Bytes(1), options());
  expect_round_trip(Bytes(1), zeros, options());
  expect_round_trip(zeros, edited(zeros, random_edits(30, zeros.size(), 500, 5)), options());
}

TEST_P(RoundTrip, StrangersAndIdentity) {
  const Bytes a = random_bytes(200'000, 6);
  expect_round_trip(a, random_bytes(200'000, 7), options());
  expect_round_trip(a, a, options());
}

TEST_P(RoundTrip, AHundredTimesLargerOrSmaller) {
  const Bytes small = wordy_bytes(5000, 8);
  Bytes large = random_bytes(250'000, 9);
  append(large, small);
  append(large, random_bytes(245'000, 10));
  expect_round_trip(small, large, options());
  expect_round_trip(large, small, options());
  Bytes repeated;
  for (int i = 0; i < 100; ++i) append(repeated, small);
  expect_round_trip(small, repeated, options());
  expect_round_trip(repeated, small, options());
}

TEST_P(RoundTrip, EveryLengthAroundTheBlockSizes) {
  for (const std::size_t around : {8u, 32u, 64u, 128u, 4096u, 8192u}) {
    for (std::size_t size = around - 2; size <= around + 2; ++size) {
      const Bytes source = random_bytes(size, size);
      SCOPED_TRACE(size);
      expect_round_trip(source, source, options());
      expect_round_trip(source, edited(source, {{Edit::kInsert, size / 2, 1, 0, 1}}), options());
      expect_round_trip(source, edited(source, {{Edit::kDelete, 0, 1}}), options());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RoundTrip,
                         ::testing::Values(Way{1, PatchFormat::kBdt2}, Way{3, PatchFormat::kBdt2},
                                           Way{6, PatchFormat::kBdt2}, Way{kUltraLevel, PatchFormat::kBdt2},
                                           Way{1, PatchFormat::kBdt1},
                                           Way{3, PatchFormat::kBdt1}, Way{6, PatchFormat::kBdt1}),
                         name_of);

// All strings over {a, b} up to a length, each as OLD and as NEW.
std::vector<Bytes> short_strings(std::size_t longest) {
  std::vector<Bytes> strings = {{}};
  for (std::size_t first = 0, size = 1; size <= longest; ++size) {
    const std::size_t last = strings.size();
    for (; first < last; ++first) {
      for (const std::uint8_t letter : {std::uint8_t{'a'}, std::uint8_t{'b'}}) {
        strings.push_back(strings[first]);
        strings.back().push_back(letter);
      }
    }
  }
  return strings;
}

class ShortStrings : public ::testing::TestWithParam<Way> {};

TEST_P(ShortStrings, AllPairs) {
  const std::vector<Bytes> strings = short_strings(kSanitized ? 4 : 5);
  ASSERT_EQ(kSanitized ? 31u : 63u, strings.size());
  const CreateOptions options = create_options(GetParam().level, GetParam().format);
  for (const Bytes& source : strings) {
    for (const Bytes& target : strings) {
      const auto patch = make_patch(source, target, options);
      ASSERT_OK(patch);
      const auto made = apply_patch(source, *patch);
      ASSERT_OK(made);
      ASSERT_EQ(target, *made);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, ShortStrings,
                         ::testing::Values(Way{1, PatchFormat::kBdt2}, Way{3, PatchFormat::kBdt2},
                                           Way{kUltraLevel, PatchFormat::kBdt2}, Way{1, PatchFormat::kBdt1},
                                           Way{3, PatchFormat::kBdt1}),
                         name_of);

}  // namespace
}  // namespace bdelta::test::round_trip_test
