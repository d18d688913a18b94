// Substitutions: the rule of replacing against a slow and obvious one, and the record.
#include "delta/substitution_table.hpp"

#include <bit>
#include <map>
#include <set>

#include "format/native/substitution_record.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/plain_record.hpp"

namespace bdelta::test::substitution_table_test {
namespace {

Bytes bytes_of_pattern(std::uint32_t pattern) {
  Bytes bytes;
  append_le(bytes, pattern);
  return bytes;
}

std::uint32_t pattern_of(std::string_view text) { return load_le<std::uint32_t>(bytes_of(text).data()); }

Substitution change_of(std::string_view from, std::string_view to) { return {pattern_of(from), pattern_of(to)}; }

// The rule of FORMAT.md, byte by byte: of all patterns that stand in `copied` and hold the byte, the first one of the
// list, and where that overlaps itself, the one that begins first.
Bytes slowly_replaced(const SubstitutionTable& substitutions, const Bytes& copied) {
  Bytes made = copied;
  for (std::size_t at = 0; at < copied.size(); ++at) {
    bool found = false;
    for (std::size_t rank = 0; rank < substitutions.changes().size() && !found; ++rank) {
      const Bytes from = bytes_of_pattern(substitutions.changes()[rank].from);
      for (std::size_t pos = at < kPatternBytes ? 0 : at + 1 - kPatternBytes; !found && pos <= at; ++pos) {
        const ByteSpan there = ByteSpan(copied).subspan(pos).first(std::min(kPatternBytes, copied.size() - pos));
        if (!std::equal(from.begin(), from.end(), there.begin(), there.end())) continue;
        made[at] = bytes_of_pattern(substitutions.changes()[rank].to)[at - pos];
        found = true;
      }
    }
  }
  return made;
}

Bytes replaced(const SubstitutionTable& substitutions, Bytes copied) {
  substitutions.replace(copied);
  return copied;
}

// Bytes out of a small alphabet, so that patterns are found often and overlap.
Bytes few_letters(std::size_t size, std::uint64_t letters, Random& random) {
  Bytes bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>('a' + random.below(letters)));
  return bytes;
}

// Substitutions in any order; what they become has the same letters, so that another look would find more.
SubstitutionTable random_substitutions(std::size_t count, std::uint64_t letters, Random& random) {
  std::vector<Substitution> changes;
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes from = few_letters(kPatternBytes, letters, random);
    const Bytes to = few_letters(kPatternBytes, letters, random);
    const auto pattern = load_le<std::uint32_t>(from.data());
    if (taken.insert(pattern).second) changes.push_back({pattern, load_le<std::uint32_t>(to.data())});
  }
  return SubstitutionTable(std::move(changes));
}

TEST(Substitutions, ReplacesLikeTheSlowModel) {
  Random random(4);
  std::size_t changed_count = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t letters = random.between(1, 3);
    const auto count = static_cast<std::size_t>(random.between(1, 60));
    const SubstitutionTable substitutions = random_substitutions(count, letters, random);
    const auto size = static_cast<std::size_t>(random.below(round % 4 == 0 ? 24 : 300));
    const Bytes copied = few_letters(size, letters, random);
    const Bytes expected = slowly_replaced(substitutions, copied);
    changed_count += expected != copied;
    ASSERT_TRUE(same_bytes(expected, replaced(substitutions, copied))) << round;
  }
  EXPECT_GT(changed_count, 100u);
}

std::uint32_t random_pattern(Random& random) { return static_cast<std::uint32_t>(random.next()); }

// Few patterns are sought by the halves of their bytes, many by hashes.
TEST(Substitutions, AreSeenByEveryScan) {
  Random random(204);
  for (const std::size_t count : {1u, 8u, 100u, 192u, 193u, 20'000u}) {
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(random_pattern(random));
    const std::set<std::uint32_t> substitutions(list.begin(), list.end());
    const PatternScan best(list);
    const PatternScan portable = best.portable();
    std::size_t seen_count = 0;
    for (int round = 0; round < 200; ++round) {
      Bytes bytes = random_bytes(PatternScan::kReadBytes, static_cast<std::uint64_t>(round));
      const Bytes pattern = bytes_of_pattern(list[static_cast<std::size_t>(random.below(count))]);
      const auto place = static_cast<std::size_t>(random.below(PatternScan::kPositions));
      std::copy(pattern.begin(), pattern.end(), bytes.begin() + static_cast<std::ptrdiff_t>(place));
      for (const PatternScan* scan : {&best, &portable}) {
        const std::uint64_t places = scan->places(bytes.data());
        for (std::size_t pos = 0; pos < PatternScan::kPositions; ++pos) {
          if (!substitutions.contains(load_le<std::uint32_t>(bytes.data() + pos))) continue;
          ASSERT_TRUE((places >> pos & 1) != 0) << count << " substitutions, position " << pos;
        }
        seen_count += static_cast<std::size_t>(std::popcount(places));
      }
    }
    EXPECT_LT(seen_count, 400 * PatternScan::kPositions / 3) << "too many for a filter of " << count;
  }
}

TEST(Substitutions, NoneIsPassedOver) {
  Random random(104);
  for (const std::size_t count : {1u, 30u, 192u, 193u, 20'000u}) {
    std::vector<Substitution> changes;
    std::map<std::uint32_t, std::uint32_t> ranks;
    for (std::uint32_t i = 0; changes.size() < count; ++i) {
      const std::uint32_t pattern = random_pattern(random);
      if (ranks.emplace(pattern, static_cast<std::uint32_t>(changes.size())).second) changes.push_back({pattern, i});
    }
    const SubstitutionTable substitutions(changes);
    Bytes bytes = random_bytes(100'000, count);
    for (int i = 0; i < 500; ++i) {
      const Bytes pattern = bytes_of_pattern(changes[static_cast<std::size_t>(random.below(count))].from);
      std::copy(pattern.begin(), pattern.end(), bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size() - 8)));
    }
    std::vector<std::pair<std::size_t, std::uint32_t>> expected, found;
    for (std::size_t pos = 0; pos + kPatternBytes <= bytes.size(); ++pos) {
      const auto rank = ranks.find(load_le<std::uint32_t>(bytes.data() + pos));
      if (rank != ranks.end()) expected.emplace_back(pos, rank->second);
    }
    substitutions.for_each_occurrence(bytes, [&](std::size_t pos, std::uint32_t rank) { found.emplace_back(pos, rank); });
    EXPECT_GT(expected.size(), 400u);
    EXPECT_EQ(expected, found) << count;
  }
}

TEST(Substitutions, LieInsideTheCopy) {
  constexpr std::size_t size = kPatternBytes;
  const Bytes pattern = bytes_of("abcd");
  const Bytes other = bytes_of("STUV");
  const SubstitutionTable substitutions({change_of("abcd", "STUV")});
  for (std::size_t length = 0; length < size; ++length) {
    const Bytes cut(pattern.begin(), pattern.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(cut, replaced(substitutions, cut));
    const Bytes rest(pattern.begin() + static_cast<std::ptrdiff_t>(size - length), pattern.end());
    EXPECT_EQ(rest, replaced(substitutions, rest));
  }
  EXPECT_EQ(other, replaced(substitutions, pattern));
  // The bytes behind the copy would complete the pattern.
  Bytes memory = pattern;
  substitutions.replace(MutableByteSpan(memory).first(size - 1));
  EXPECT_EQ(pattern, memory);
  for (std::size_t before = 0; before < 20; ++before) {
    Bytes copied(before, '.');
    Bytes expected = copied;
    append(copied, pattern);
    append(expected, other);
    EXPECT_EQ(expected, replaced(substitutions, copied)) << before;
    append(copied, Bytes(before % 3, '-'));
    append(expected, Bytes(before % 3, '-'));
    EXPECT_EQ(expected, replaced(substitutions, copied)) << before;
  }
}

TEST(Substitutions, EachIsFoundByItsRank) {
  for (const std::size_t count : {1u, 63u, 64u, 65u, 50'000u}) {
    std::vector<Substitution> changes;
    for (std::uint32_t i = 0; i < count; ++i) changes.push_back({i * 0x01010105u, i});
    const SubstitutionTable substitutions(changes);
    for (std::size_t rank = 0; rank < count; ++rank) ASSERT_EQ(rank, substitutions.find(changes[rank].from)) << count;
    EXPECT_EQ(SubstitutionTable::kFixedBytes + SubstitutionTable::kBytesPerSubstitution * count,
              substitutions.memory_bytes());
  }
}

TEST(Substitutions, KeysStandInTheOrderOfTheBytes) {
  Random random(4);
  for (int round = 0; round < 1000; ++round) {
    const std::uint32_t a = random_pattern(random);
    const std::uint32_t near = a ^ (1u << random.below(32));
    const std::uint32_t b = round % 2 == 0 ? near : random_pattern(random);
    EXPECT_EQ(a, pattern_key(pattern_key(a)));
    EXPECT_EQ(bytes_of_pattern(a) < bytes_of_pattern(b), pattern_key(a) < pattern_key(b));
  }
}

TEST(SubstitutionBytes, AreOfTheFirstOfAPatternThatOverlapsItself) {
  const SubstitutionTable substitutions({change_of("abab", "1234")});
  EXPECT_EQ(bytes_of("12343434"), replaced(substitutions, bytes_of("abababab")));
}

TEST(SubstitutionBytes, AreToldInOrderWithTheirRank) {
  const SubstitutionTable substitutions({change_of("bcde", "1234"), change_of("abcd", "wxyz")});
  std::vector<std::string> told;
  substitutions.for_each_byte(bytes_of("abcde.abcd"), [&](std::size_t pos, std::uint32_t rank, std::uint8_t byte) {
    told.push_back(std::to_string(pos) + " " + std::to_string(rank) + " " + static_cast<char>(byte));
  });
  EXPECT_EQ((std::vector<std::string>{"0 1 w", "1 0 1", "2 0 2", "3 0 3", "4 0 4", "6 1 w", "7 1 x", "8 1 y", "9 1 z"}), told);
}

// Whether a pattern that begins with these bytes passes, as the scan looks it up.
bool passes(const PatternHalves& halves, std::string_view bytes) {
  unsigned groups = 0xff;
  for (std::size_t place = 0; place < PatternHalves::kPlaces; ++place) {
    const auto byte = static_cast<std::uint8_t>(bytes[place]);
    groups &= static_cast<unsigned>(halves.low[place][byte & 15u]);
    groups &= static_cast<unsigned>(halves.high[place][byte >> 4]);
  }
  return groups != 0;
}

// In the order of their bytes, patterns of all kinds are neighbours.
TEST(PatternHalvesGroups, AreOfPatternsThatHaveHalvesInCommon) {
  const std::string_view kinds = "\x1f\x2e\x3d\x4c\x5b\x6a\x79\x88";
  std::vector<std::uint32_t> substitutions;
  for (char first = 'a'; first <= 'h'; ++first) {
    for (const char kind : kinds) substitutions.push_back(pattern_of(std::string{first, kind, kind, kind}));
  }
  const PatternHalves halves = make_halves(substitutions);
  for (const char a : kinds) {
    for (const char b : kinds) {
      for (const char c : kinds) {
        EXPECT_EQ(a == b && b == c, passes(halves, std::string{'e', a, b, c}));
        EXPECT_FALSE(passes(halves, std::string{'E', a, b, c}));
      }
    }
  }
}

// --- the record ---

Result<SubstitutionTable> read_record(ByteSpan record, std::uint64_t memory_bytes, std::uint64_t target_bytes = 0) {
  return read_body_of(record, target_bytes, memory_bytes, native::read_substitutions);
}

TEST(SubstitutionRecordBytes, AreThoseOfTheFormatsExample) {
  const SubstitutionTable substitutions({change_of("bcde", "1234"), change_of("abcd", "bcde")});
  const auto coded = native::encode_substitutions(substitutions, {CodecId::kStore, 0, 0});
  ASSERT_OK(coded);
  EXPECT_EQ((Bytes{0x0c, 0x19, 0x02, 0x01, 0x01, 0x12, 0x00, 0x12, 0x12, 0xe5, 0xc8, 0x8d, 0x93, 0x06, 0xe4, 0xc6, 0x89, 0x8b,
                   0x06, 0xcf, 0xcf, 0xcf, 0xcf, 0x01, 0x01, 0x01, 0x01, 0x3a, 0x53, 0xbe, 0x89}),
            coded->record);
  EXPECT_EQ(bytes_of("b1234bcde"), replaced(substitutions, bytes_of("abcdeabcd")));
  EXPECT_EQ(bytes_of("abc"), replaced(substitutions, bytes_of("abc")));
}

// Runs of ascending substitutions, the ones of a run between those of the others.
SubstitutionTable substitutions_in_runs(std::size_t run_count, std::size_t run_length, std::uint64_t seed) {
  Random random(seed);
  std::vector<Substitution> changes;
  for (std::size_t run = 0; run < run_count; ++run) {
    for (std::size_t i = 0; i < run_length; ++i) {
      const std::size_t key = (i + 1) * (0xffffffff / (run_length + 1)) - run;
      changes.push_back({pattern_key(static_cast<std::uint32_t>(key)), random_pattern(random)});
    }
  }
  return SubstitutionTable(std::move(changes));
}

TEST(Substitutions, AreReadAsTheyWereWritten) {
  for (const CodecId codec : {CodecId::kStore, CodecId::kZstd, CodecId::kLzma}) {
    const CodecSettings settings{codec, codec == CodecId::kStore ? 0 : 6, 0};
    for (const std::size_t runs : {1u, 2u, 64u}) {
      for (const std::size_t run_length : {1u, 100u, 3000u}) {
        SCOPED_TRACE(::testing::Message() << codec_name(codec) << ' ' << runs << ' ' << run_length);
        const SubstitutionTable substitutions = substitutions_in_runs(runs, run_length, runs + run_length);
        const auto coded = native::encode_substitutions(substitutions, settings);
        ASSERT_OK(coded);
        const auto read = read_record(coded->record, coded->memory_bytes);
        ASSERT_OK(read);
        EXPECT_TRUE(substitutions.changes() == read->changes());
      }
    }
  }
}

// 2^20 substitutions and long gaps: the largest record there is.
TEST(SubstitutionRecordBytes, MayBeAsManyAsTheFormatAllows) {
  const SubstitutionTable substitutions = substitutions_in_runs(64, SubstitutionTable::kMostSubstitutions / 64, 1);
  ASSERT_EQ(SubstitutionTable::kMostSubstitutions, substitutions.changes().size());
  const CodecSettings settings{CodecId::kStore, 0, 0};
  const auto coded = native::encode_substitutions(substitutions, settings);
  ASSERT_OK(coded);
  EXPECT_LT(coded->record.size(), native::kMaxSubstitutionRecordBytes);
  const auto read = read_record(coded->record, coded->memory_bytes);
  ASSERT_OK(read);
  EXPECT_TRUE(substitutions.changes() == read->changes());
}

// Four units of `abab`, of which the second and the fourth are spans.
TEST(SubstitutionSpans, CutCopies) {
  constexpr std::uint64_t kUnit = SubstitutionTable::kSpanUnitBytes;
  const SubstitutionTable substitutions({change_of("abab", "1234")}, {{kUnit, 2 * kUnit}, {3 * kUnit, 4 * kUnit}});
  const auto letters = [](std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = i % 2 == 0 ? 'a' : 'b';
    return bytes;
  };
  const Bytes whole = letters(4 * kUnit);
  Bytes expected = whole;
  for (const std::uint64_t begin : {kUnit, 3 * kUnit}) {
    substitutions.replace(MutableByteSpan(expected).subspan(begin, kUnit));
  }
  Bytes copied = whole;
  substitutions.replace_at(0, copied);
  EXPECT_TRUE(expected == copied);
  EXPECT_EQ('a', copied[kUnit - 2]) << "a pattern that reaches into a span is none";
  EXPECT_EQ('1', copied[kUnit]);

  Bytes two = letters(2);
  substitutions.replace_at(kUnit, two);
  EXPECT_TRUE(letters(2) == two) << "shorter than a pattern";
  Bytes behind = letters(100);
  substitutions.replace_at(4 * kUnit, behind);
  EXPECT_TRUE(letters(100) == behind);
  Bytes inside = letters(100);
  substitutions.replace_at(kUnit + 6, inside);
  EXPECT_EQ('1', inside[0]);
}

TEST(SubstitutionSpans, AreReadAsTheyWereWritten) {
  constexpr std::uint64_t kUnit = SubstitutionTable::kSpanUnitBytes;
  std::vector<SubstitutionSpan> spans;
  for (std::uint64_t i = 0; i < 1000; ++i) spans.push_back({i * 300 * kUnit, (i * 300 + 1 + i % 200) * kUnit});
  const SubstitutionTable substitutions({{1, 2}}, spans);
  const CodecSettings settings{CodecId::kStore, 0, 0};
  const auto coded = native::encode_substitutions(substitutions, settings);
  ASSERT_OK(coded);
  const auto read = read_record(coded->record, coded->memory_bytes, spans.back().end);
  ASSERT_OK(read);
  EXPECT_TRUE(spans == read->spans());
}

// Patterns that all want one slot of the table: who chooses them for that gets the same answers.
TEST(ChosenPatterns, AreFoundLikeAnyOthers) {
  constexpr std::size_t kCount = 1000;
  constexpr unsigned kSlotShift = 64 - 11;  // of a table for so many
  std::vector<Substitution> changes;
  std::uint32_t pattern = 0;
  const auto next = [&] {
    do ++pattern;
    while (pattern * std::uint64_t{0x9e3779b97f4a7c15u} >> kSlotShift != 77);
    return pattern;
  };
  while (changes.size() < kCount) changes.push_back({next(), static_cast<std::uint32_t>(changes.size())});
  changes.push_back(changes[7]);
  const SubstitutionTable substitutions(changes);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(i, substitutions.find(changes[i].from));
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(SubstitutionTable::kNone, substitutions.find(next()));
}

}  // namespace
}  // namespace bdelta::test::substitution_table_test
