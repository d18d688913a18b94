// Words that copies have others in place of: the rule of replacing against a slow and obvious one, and the record.
#include "delta/word_map.hpp"

#include <bit>
#include <map>
#include <set>

#include "format/native/word_record.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/plain_record.hpp"

namespace bdelta::test::word_map_test {
namespace {

Bytes bytes_of_word(std::uint32_t word) {
  Bytes bytes;
  append_le(bytes, word);
  return bytes;
}

std::uint32_t word_of(std::string_view text) { return load_le<std::uint32_t>(bytes_of(text).data()); }

WordChange change_of(std::string_view from, std::string_view to) { return {word_of(from), word_of(to)}; }

// The rule of FORMAT.md, byte by byte: of all words that stand in `copied` and hold the byte, the first one of the
// list, and where that overlaps itself, the one that begins first.
Bytes slowly_replaced(const WordMap& words, const Bytes& copied) {
  Bytes made = copied;
  for (std::size_t at = 0; at < copied.size(); ++at) {
    bool found = false;
    for (std::size_t rank = 0; rank < words.changes().size() && !found; ++rank) {
      const Bytes from = bytes_of_word(words.changes()[rank].from);
      for (std::size_t pos = at < kWordBytes ? 0 : at + 1 - kWordBytes; !found && pos <= at; ++pos) {
        const ByteSpan there = ByteSpan(copied).subspan(pos).first(std::min(kWordBytes, copied.size() - pos));
        if (!std::equal(from.begin(), from.end(), there.begin(), there.end())) continue;
        made[at] = bytes_of_word(words.changes()[rank].to)[at - pos];
        found = true;
      }
    }
  }
  return made;
}

Bytes replaced(const WordMap& words, Bytes copied) {
  words.replace(copied);
  return copied;
}

// Bytes out of a small alphabet, so that words are found often and overlap.
Bytes few_letters(std::size_t size, std::uint64_t letters, Random& random) {
  Bytes bytes;
  for (std::size_t i = 0; i < size; ++i) bytes.push_back(static_cast<std::uint8_t>('a' + random.below(letters)));
  return bytes;
}

// Words in any order; what they become has the same letters, so that another look would find more.
WordMap random_words(std::size_t count, std::uint64_t letters, Random& random) {
  std::vector<WordChange> changes;
  std::set<std::uint32_t> taken;
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes from = few_letters(kWordBytes, letters, random);
    const Bytes to = few_letters(kWordBytes, letters, random);
    const auto word = load_le<std::uint32_t>(from.data());
    if (taken.insert(word).second) changes.push_back({word, load_le<std::uint32_t>(to.data())});
  }
  return WordMap(std::move(changes));
}

TEST(Words, ReplacesLikeTheSlowModel) {
  Random random(4);
  std::size_t changed_count = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t letters = random.between(1, 3);
    const WordMap words = random_words(static_cast<std::size_t>(random.between(1, 60)), letters, random);
    const auto size = static_cast<std::size_t>(random.below(round % 4 == 0 ? 24 : 300));
    const Bytes copied = few_letters(size, letters, random);
    const Bytes expected = slowly_replaced(words, copied);
    changed_count += expected != copied;
    ASSERT_TRUE(same_bytes(expected, replaced(words, copied))) << round;
  }
  EXPECT_GT(changed_count, 100u);
}

std::uint32_t random_word(Random& random) { return static_cast<std::uint32_t>(random.next()); }

// Few words are sought by the halves of their bytes, many by hashes.
TEST(Words, AreSeenByEveryScan) {
  Random random(204);
  for (const std::size_t count : {1u, 8u, 100u, 192u, 193u, 20'000u}) {
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < count; ++i) list.push_back(random_word(random));
    const std::set<std::uint32_t> words(list.begin(), list.end());
    const WordScan best(list);
    const WordScan portable = best.portable();
    std::size_t seen_count = 0;
    for (int round = 0; round < 200; ++round) {
      Bytes bytes = random_bytes(WordScan::kReadBytes, static_cast<std::uint64_t>(round));
      const Bytes word = bytes_of_word(list[static_cast<std::size_t>(random.below(count))]);
      const auto place = static_cast<std::size_t>(random.below(WordScan::kPositions));
      std::copy(word.begin(), word.end(), bytes.begin() + static_cast<std::ptrdiff_t>(place));
      for (const WordScan* scan : {&best, &portable}) {
        const std::uint64_t places = scan->places(bytes.data());
        for (std::size_t pos = 0; pos < WordScan::kPositions; ++pos) {
          if (!words.contains(load_le<std::uint32_t>(bytes.data() + pos))) continue;
          ASSERT_TRUE((places >> pos & 1) != 0) << count << " words, position " << pos;
        }
        seen_count += static_cast<std::size_t>(std::popcount(places));
      }
    }
    EXPECT_LT(seen_count, 400 * WordScan::kPositions / 3) << "too many for a filter of " << count;
  }
}

TEST(Words, NoneIsPassedOver) {
  Random random(104);
  for (const std::size_t count : {1u, 30u, 192u, 193u, 20'000u}) {
    std::vector<WordChange> changes;
    std::map<std::uint32_t, std::uint32_t> ranks;
    for (std::uint32_t i = 0; changes.size() < count; ++i) {
      const std::uint32_t word = random_word(random);
      if (ranks.emplace(word, static_cast<std::uint32_t>(changes.size())).second) changes.push_back({word, i});
    }
    const WordMap words(changes);
    Bytes bytes = random_bytes(100'000, count);
    for (int i = 0; i < 500; ++i) {
      const Bytes word = bytes_of_word(changes[static_cast<std::size_t>(random.below(count))].from);
      std::copy(word.begin(), word.end(), bytes.begin() + static_cast<std::ptrdiff_t>(random.below(bytes.size() - 8)));
    }
    std::vector<std::pair<std::size_t, std::uint32_t>> expected, found;
    for (std::size_t pos = 0; pos + kWordBytes <= bytes.size(); ++pos) {
      const auto rank = ranks.find(load_le<std::uint32_t>(bytes.data() + pos));
      if (rank != ranks.end()) expected.emplace_back(pos, rank->second);
    }
    words.for_each_word(bytes, [&](std::size_t pos, std::uint32_t rank) { found.emplace_back(pos, rank); });
    EXPECT_GT(expected.size(), 400u);
    EXPECT_EQ(expected, found) << count;
  }
}

TEST(Words, LieInsideTheCopy) {
  constexpr std::size_t size = kWordBytes;
  const Bytes word = bytes_of("abcd");
  const Bytes other = bytes_of("STUV");
  const WordMap words({change_of("abcd", "STUV")});
  for (std::size_t length = 0; length < size; ++length) {
    const Bytes cut(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(cut, replaced(words, cut));
    const Bytes rest(word.begin() + static_cast<std::ptrdiff_t>(size - length), word.end());
    EXPECT_EQ(rest, replaced(words, rest));
  }
  EXPECT_EQ(other, replaced(words, word));
  // The bytes behind the copy would complete the word.
  Bytes memory = word;
  words.replace(MutableByteSpan(memory).first(size - 1));
  EXPECT_EQ(word, memory);
  for (std::size_t before = 0; before < 20; ++before) {
    Bytes copied(before, '.');
    Bytes expected = copied;
    append(copied, word);
    append(expected, other);
    EXPECT_EQ(expected, replaced(words, copied)) << before;
    append(copied, Bytes(before % 3, '-'));
    append(expected, Bytes(before % 3, '-'));
    EXPECT_EQ(expected, replaced(words, copied)) << before;
  }
}

TEST(Words, EachIsFoundByItsRank) {
  for (const std::size_t count : {1u, 63u, 64u, 65u, 50'000u}) {
    std::vector<WordChange> changes;
    for (std::uint32_t i = 0; i < count; ++i) changes.push_back({i * 0x01010105u, i});
    const WordMap words(changes);
    for (std::size_t rank = 0; rank < count; ++rank) ASSERT_EQ(rank, words.find(changes[rank].from)) << count;
    EXPECT_EQ(WordMap::kFixedBytes + WordMap::kBytesPerWord * count, words.memory_bytes());
  }
}

TEST(Words, KeysStandInTheOrderOfTheBytes) {
  Random random(4);
  for (int round = 0; round < 1000; ++round) {
    const std::uint32_t a = random_word(random);
    const std::uint32_t near = a ^ (1u << random.below(32));
    const std::uint32_t b = round % 2 == 0 ? near : random_word(random);
    EXPECT_EQ(a, word_key(word_key(a)));
    EXPECT_EQ(bytes_of_word(a) < bytes_of_word(b), word_key(a) < word_key(b));
  }
}

TEST(WordMapBytes, AreOfTheFirstOfAWordThatOverlapsItself) {
  const WordMap words({change_of("abab", "1234")});
  EXPECT_EQ(bytes_of("12343434"), replaced(words, bytes_of("abababab")));
}

TEST(WordMapBytes, AreToldInOrderWithTheirWord) {
  const WordMap words({change_of("bcde", "1234"), change_of("abcd", "wxyz")});
  std::vector<std::string> told;
  words.for_each_byte(bytes_of("abcde.abcd"), [&](std::size_t pos, std::uint32_t rank, std::uint8_t byte) {
    told.push_back(std::to_string(pos) + " " + std::to_string(rank) + " " + static_cast<char>(byte));
  });
  EXPECT_EQ((std::vector<std::string>{"0 1 w", "1 0 1", "2 0 2", "3 0 3", "4 0 4", "6 1 w", "7 1 x", "8 1 y", "9 1 z"}), told);
}

// Whether a word that begins with these bytes passes, as the scan looks it up.
bool passes(const WordHalves& halves, std::string_view bytes) {
  unsigned groups = 0xff;
  for (std::size_t place = 0; place < WordHalves::kPlaces; ++place) {
    const auto byte = static_cast<std::uint8_t>(bytes[place]);
    groups &= static_cast<unsigned>(halves.low[place][byte & 15u]);
    groups &= static_cast<unsigned>(halves.high[place][byte >> 4]);
  }
  return groups != 0;
}

// In the order of their bytes, words of all kinds are neighbours.
TEST(WordHalvesGroups, AreOfWordsThatHaveHalvesInCommon) {
  const std::string_view kinds = "\x1f\x2e\x3d\x4c\x5b\x6a\x79\x88";
  std::vector<std::uint32_t> words;
  for (char first = 'a'; first <= 'h'; ++first) {
    for (const char kind : kinds) words.push_back(word_of(std::string{first, kind, kind, kind}));
  }
  const WordHalves halves = make_halves(words);
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

Result<WordMap> read_record(ByteSpan record, std::uint64_t memory_bytes, std::uint64_t target_bytes = 0) {
  return read_body_of(record, target_bytes, memory_bytes, native::read_words);
}

TEST(WordRecordBytes, AreThoseOfTheFormatsExample) {
  const WordMap words({change_of("bcde", "1234"), change_of("abcd", "bcde")});
  const auto coded = native::encode_words(words, {CodecId::kStore, 0, 0});
  ASSERT_OK(coded);
  EXPECT_EQ((Bytes{0x0c, 0x19, 0x02, 0x01, 0x01, 0x12, 0x00, 0x12, 0x12, 0xe5, 0xc8, 0x8d, 0x93, 0x06, 0xe4, 0xc6, 0x89, 0x8b,
                   0x06, 0xcf, 0xcf, 0xcf, 0xcf, 0x01, 0x01, 0x01, 0x01, 0x3a, 0x53, 0xbe, 0x89}),
            coded->record);
  EXPECT_EQ(bytes_of("b1234bcde"), replaced(words, bytes_of("abcdeabcd")));
  EXPECT_EQ(bytes_of("abc"), replaced(words, bytes_of("abc")));
}

// Runs of ascending words, the ones of a run between those of the others.
WordMap words_in_runs(std::size_t run_count, std::size_t run_words, std::uint64_t seed) {
  Random random(seed);
  std::vector<WordChange> changes;
  for (std::size_t run = 0; run < run_count; ++run) {
    for (std::size_t i = 0; i < run_words; ++i) {
      const std::size_t key = (i + 1) * (0xffffffff / (run_words + 1)) - run;
      changes.push_back({word_key(static_cast<std::uint32_t>(key)), random_word(random)});
    }
  }
  return WordMap(std::move(changes));
}

TEST(Words, AreReadAsTheyWereWritten) {
  for (const CodecId codec : {CodecId::kStore, CodecId::kZstd, CodecId::kLzma}) {
    const CodecSettings settings{codec, codec == CodecId::kStore ? 0 : 6, 0};
    for (const std::size_t runs : {1u, 2u, 64u}) {
      for (const std::size_t run_words : {1u, 100u, 3000u}) {
        SCOPED_TRACE(::testing::Message() << codec_name(codec) << ' ' << runs << ' ' << run_words);
        const WordMap words = words_in_runs(runs, run_words, runs + run_words);
        const auto coded = native::encode_words(words, settings);
        ASSERT_OK(coded);
        const auto read = read_record(coded->record, coded->memory_bytes);
        ASSERT_OK(read);
        EXPECT_TRUE(words.changes() == read->changes());
      }
    }
  }
}

// 2^20 words and long steps: the largest record there is.
TEST(WordRecordBytes, MayBeAsManyAsTheFormatAllows) {
  const WordMap words = words_in_runs(64, WordMap::kMostWords / 64, 1);
  ASSERT_EQ(WordMap::kMostWords, words.changes().size());
  const CodecSettings settings{CodecId::kStore, 0, 0};
  const auto coded = native::encode_words(words, settings);
  ASSERT_OK(coded);
  EXPECT_LT(coded->record.size(), native::kMaxWordRecordBytes);
  const auto read = read_record(coded->record, coded->memory_bytes);
  ASSERT_OK(read);
  EXPECT_TRUE(words.changes() == read->changes());
}

// Four units of `abab`, of which the second and the fourth are spans.
TEST(WordSpans, CutCopies) {
  constexpr std::uint64_t kUnit = WordMap::kSpanUnitBytes;
  const WordMap words({change_of("abab", "1234")}, {{kUnit, 2 * kUnit}, {3 * kUnit, 4 * kUnit}});
  const auto letters = [](std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = i % 2 == 0 ? 'a' : 'b';
    return bytes;
  };
  const Bytes whole = letters(4 * kUnit);
  Bytes expected = whole;
  for (const std::uint64_t begin : {kUnit, 3 * kUnit}) {
    words.replace(MutableByteSpan(expected).subspan(begin, kUnit));
  }
  Bytes copied = whole;
  words.replace_at(0, copied);
  EXPECT_TRUE(expected == copied);
  EXPECT_EQ('a', copied[kUnit - 2]) << "a word that reaches into a span is none";
  EXPECT_EQ('1', copied[kUnit]);

  Bytes two = letters(2);
  words.replace_at(kUnit, two);
  EXPECT_TRUE(letters(2) == two) << "shorter than a word";
  Bytes behind = letters(100);
  words.replace_at(4 * kUnit, behind);
  EXPECT_TRUE(letters(100) == behind);
  Bytes inside = letters(100);
  words.replace_at(kUnit + 6, inside);
  EXPECT_EQ('1', inside[0]);
}

TEST(WordSpans, AreReadAsTheyWereWritten) {
  constexpr std::uint64_t kUnit = WordMap::kSpanUnitBytes;
  std::vector<WordSpan> spans;
  for (std::uint64_t i = 0; i < 1000; ++i) spans.push_back({i * 300 * kUnit, (i * 300 + 1 + i % 200) * kUnit});
  const WordMap words({{1, 2}}, spans);
  const CodecSettings settings{CodecId::kStore, 0, 0};
  const auto coded = native::encode_words(words, settings);
  ASSERT_OK(coded);
  const auto read = read_record(coded->record, coded->memory_bytes, spans.back().end);
  ASSERT_OK(read);
  EXPECT_TRUE(spans == read->spans());
}

// Words that all want one slot of the table: who chooses words for that gets the same answers.
TEST(ChosenWords, AreFoundLikeAnyOthers) {
  constexpr std::size_t kCount = 1000;
  constexpr unsigned kSlotShift = 64 - 11;  // of a table for so many
  std::vector<WordChange> changes;
  std::uint32_t word = 0;
  const auto next = [&] {
    do ++word;
    while (word * std::uint64_t{0x9e3779b97f4a7c15u} >> kSlotShift != 77);
    return word;
  };
  while (changes.size() < kCount) changes.push_back({next(), static_cast<std::uint32_t>(changes.size())});
  changes.push_back(changes[7]);
  const WordMap words(changes);
  for (std::uint32_t i = 0; i < kCount; ++i) ASSERT_EQ(i, words.find(changes[i].from));
  for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(WordMap::kNone, words.find(next()));
}

}  // namespace
}  // namespace bdelta::test::word_map_test
