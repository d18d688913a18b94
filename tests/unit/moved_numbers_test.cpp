// Numbers in lists of types: how they move, where they stand, how they are learned, told and read.
#include "delta/moved_numbers.hpp"

#include <functional>

#include "apply/moved_source.hpp"
#include "create/number_pass.hpp"
#include "exe/btf.hpp"
#include "exe/btf_sections.hpp"
#include "format/native/moved_number_record.hpp"
#include "support/exe_craft.hpp"
#include "support/generate.hpp"
#include "support/kernel_modules.hpp"
#include "support/memory.hpp"
#include "support/plain_record.hpp"

namespace bdelta::test {
namespace {

using exe::BtfNumber;

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

// That of FORMAT.md.
MovedNumbers example() { return {24, {{4, {{{50, 5}}, {}}}}, {{{10, 2}, {30, 0}}, {{7, 1}}}}; }

Bytes words(std::initializer_list<std::uint32_t> numbers) {
  Bytes bytes;
  for (const std::uint32_t number : numbers) append_le(bytes, number);
  return bytes;
}

TEST(MovedNumbers, GoByTheLastStepInFrontOfThem) {
  const NumberSteps common = {{10, 2}, {30, 0}, {40, ~std::uint32_t{0}}};
  const NumberSteps own = {{35, 5}, {50, 7}};
  const std::uint32_t numbers[] = {0, 9, 10, 29, 30, 34, 35, 40, 49, 50, ~std::uint32_t{0}};
  const std::uint32_t by_common[] = {0, 9, 12, 31, 30, 34, 35, 39, 48, 49, ~std::uint32_t{0} - 1};
  const std::uint32_t by_own[] = {0, 9, 12, 31, 30, 34, 40, 45, 54, 57, 6};
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    EXPECT_EQ(by_common[i], moved(common, {}, numbers[i])) << numbers[i];
    EXPECT_EQ(by_own[i], moved(common, own, numbers[i])) << numbers[i];
    EXPECT_EQ(numbers[i], moved({}, {}, numbers[i]));
  }
}

TEST(MovedNumbers, InOrderAreSound) {
  EXPECT_OK(check_moved_numbers(example(), 100));
  EXPECT_OK(check_moved_numbers(example(), 24));
  const auto bent = [](const std::function<void(MovedNumbers&)>& bend) {
    MovedNumbers numbers = example();
    bend(numbers);
    return check_moved_numbers(numbers, 100);
  };
  const std::function<void(MovedNumbers&)> wrong[] = {
      [](MovedNumbers& n) { n.lists.clear(); },
      [](MovedNumbers& n) { n.lists.push_back(n.lists[0]); },
      [](MovedNumbers& n) { n.lists.push_back({3, {}}); },
      [](MovedNumbers& n) { n.lists.push_back({100, {}}); },
      [](MovedNumbers& n) { n.lists.resize(kMostNumberLists + 1); },
      [](MovedNumbers& n) { n.type_bytes = 101; },
      [](MovedNumbers& n) { n.common.types[0].begin = 0; },
      [](MovedNumbers& n) { n.common.types[1].begin = 10; },
      [](MovedNumbers& n) { n.common.strings[0].begin = 0; },
      [](MovedNumbers& n) { n.lists[0].own.types[0].begin = 0; },
      [](MovedNumbers& n) { n.lists[0].own.strings = {{5, 1}, {4, 1}}; },
      [](MovedNumbers& n) { n.common = n.lists[0].own = {}; }};
  for (const auto& bend : wrong) EXPECT_FAILS(ErrorCode::kPatchCorrupt, bent(bend));
  EXPECT_OK(bent([](MovedNumbers& n) { n.common = {}; }));
  EXPECT_OK(bent([](MovedNumbers& n) { n.lists[0].own = {}; }));
}

// By kind: names and types of one with two members, as words from 0 on.
TEST(Btf, EachKindHasItsNumbers) {
  struct Case {
    unsigned kind;
    std::size_t words;
    std::vector<std::size_t> names, types;
  };
  const Case cases[] = {{1, 4, {0}, {}},           {2, 3, {0}, {2}},           {3, 6, {0}, {3, 4}},
                        {4, 9, {0, 3, 6}, {4, 7}}, {5, 9, {0, 3, 6}, {4, 7}},  {6, 7, {0, 3, 5}, {}},
                        {7, 3, {0}, {}},           {8, 3, {0}, {2}},           {9, 3, {0}, {2}},
                        {10, 3, {0}, {2}},         {11, 3, {0}, {2}},          {12, 3, {0}, {2}},
                        {13, 7, {0, 3, 5}, {2, 4, 6}}, {14, 4, {0}, {2}},      {15, 9, {0}, {3, 6}},
                        {16, 3, {0}, {}},          {17, 4, {0}, {2}},          {18, 3, {0}, {2}},
                        {19, 9, {0, 3, 6}, {}}};
  for (const Case& one : cases) {
    Bytes type = words({1, one.kind << 24 | 0x60ff0002 | 0x80000000, 3});
    type.resize(4 * one.words);
    std::vector<std::size_t> names, types;
    exe::for_each_number_of_type(type, [&](BtfNumber kind, std::size_t at) {
      (kind == BtfNumber::kString ? names : types).push_back(at / 4);
    });
    EXPECT_EQ(one.names, names) << one.kind;
    EXPECT_EQ(one.types, types) << one.kind;
    EXPECT_EQ(type.size(), exe::btf_type_bytes(type)) << one.kind;
    for (std::size_t size = 0; size < type.size(); ++size) {
      EXPECT_EQ(0u, exe::btf_type_bytes(ByteSpan(type).first(size))) << one.kind << ' ' << size;
    }
    type.resize(type.size() + 40);
    EXPECT_EQ(4 * one.words, exe::btf_type_bytes(type)) << one.kind;
  }
  for (const unsigned kind : {0u, 20u, 31u}) EXPECT_EQ(0u, exe::btf_type_bytes(words({1, kind << 24, 3, 0, 0, 0}))) << kind;
}

TEST(Btf, HeadersSayWhereTypesAre) {
  const Bytes header = words({0x1eb9f, 24, 8, 36, 44, 6, 0});
  const auto read = [](ByteSpan bytes, std::uint64_t pos, std::uint64_t file_size) -> std::pair<std::uint64_t, std::uint64_t> {
    const auto types = exe::read_btf_header(bytes, pos, file_size);
    return types ? std::pair{types->pos, types->size_bytes} : std::pair<std::uint64_t, std::uint64_t>{0, 0};
  };
  const std::pair<std::uint64_t, std::uint64_t> found{1032, 36}, none{0, 0};
  EXPECT_EQ(found, read(header, 1000, 1074));
  EXPECT_EQ(none, read(header, 1000, 1073));
  EXPECT_EQ(none, read(header, 1075, 1074));
  EXPECT_EQ(none, read(ByteSpan(header).first(23), 1000, 1074));
  for (const std::size_t at : {0u, 1u, 2u}) {
    Bytes other = header;
    other[at] ^= 4;
    EXPECT_EQ(none, read(other, 1000, 1074)) << at;
  }
  for (const std::size_t at : {4u, 8u, 12u, 16u, 20u}) {
    Bytes other = header;
    store_le<std::uint32_t>(other.data() + at, at == 4 ? 23 : ~std::uint32_t{0});
    EXPECT_EQ(none, read(other, 1000, 1074)) << at;
  }
}

TEST(Btf, NumbersMoveAsTheFormatsExampleHasIt) {
  Bytes types = words({8, 2u << 24, 12, 5, 10u << 24, 52});
  EXPECT_TRUE(exe::move_btf_numbers(types, example().common, example().lists[0].own, nullptr));
  EXPECT_TRUE(same_bytes(words({9, 2u << 24, 14, 5, 10u << 24, 57}), types));
  types.pop_back();
  EXPECT_FALSE(exe::move_btf_numbers(types, example().common, {}, nullptr));
}

TEST(BtfSections, AreFoundInEachObject) {
  for (const bool bits64 : {false, true}) {
    const Bytes module = module_of(words({8, 2u << 24, 12}), {}, bits64);
    Bytes file = random_bytes(777, 1);
    std::vector<std::uint64_t> expected;
    for (unsigned i = 0; i < 3; ++i) {
      expected.push_back(file.size() + kModuleBtf);
      append(file, module);
      append(file, random_bytes(100 + i, i));
    }
    EXPECT_EQ(expected, exe::find_btf(file));
    EXPECT_EQ(expected, exe::find_btf(ByteSpan(file).first(file.size() - 102)));
    expected.pop_back();
    EXPECT_EQ(expected, exe::find_btf(ByteSpan(file).first(file.size() - 102 - 64)));  // without the section's entry
  }
}

TEST(BtfSections, OfOtherFilesAreNone) {
  const Bytes module = module_of(words({8, 2u << 24, 12}), {});
  ASSERT_EQ(1u, exe::find_btf(module).size());
  EXPECT_TRUE(exe::find_btf({}).empty());
  EXPECT_TRUE(exe::find_btf(random_bytes(100'000, 1)).empty());
  // The magic, the width, the order of bytes, the kind of file, the size of an entry, the section's name, its magic.
  for (const std::size_t at : {std::size_t{1}, std::size_t{4}, std::size_t{5}, std::size_t{16}, std::size_t{58}, std::size_t{0x92},
                               kModuleBtf}) {
    Bytes other = module;
    other[at] ^= 16;
    EXPECT_TRUE(exe::find_btf(other).empty()) << at;
  }
  Bytes other = module;
  other[kModuleBtf + 24 + 7] = 20;  // a kind that there is not
  EXPECT_TRUE(exe::find_btf(other).empty());
}

// A header inside a list, and many that name one list which turns out to be none.
TEST(BtfSections, OverlapNoOthers) {
  Bytes types = words({8, 4u << 24 | 4, 12});
  append(types, words({0x1eb9f, 24, 0, 12, 12, 0}));
  append(types, words({1, 2u << 24, 12, 0, 0, 0}));
  const Bytes outer = module_of(types, {});
  Bytes file = outer;
  append(file, module_of(words({8, 2u << 24, 12}), {}));
  // The section of the second object is the header inside of the first one's list.
  const std::size_t entry = file.size() - 64 + 24;
  store_le<std::uint64_t>(file.data() + entry, 0 - static_cast<std::uint64_t>(outer.size()) + kModuleBtf + 24 + 12);
  EXPECT_EQ(std::vector<std::uint64_t>{kModuleBtf}, exe::find_btf(file));
  Bytes bad;
  for (unsigned i = 0; i < 3000; ++i) append(bad, words({1, 2u << 24, 12}));
  append(bad, words({1, 20u << 24, 12}));
  Bytes many;
  const std::size_t module_bytes = module_of({}, {}).size();
  for (unsigned i = 0; i < 1000; ++i) {
    Bytes one = module_of({}, {});
    store_le<std::uint32_t>(one.data() + kModuleBtf + 8, static_cast<std::uint32_t>((1000 - i) * module_bytes - kModuleBtf - 24));
    store_le<std::uint32_t>(one.data() + kModuleBtf + 12, static_cast<std::uint32_t>(bad.size()));
    append(many, one);
  }
  append(many, bad);
  EXPECT_TRUE(exe::find_btf(many).empty());
}

// Each byte of two objects changed, under the sanitizers.
TEST(BtfSections, OfDamagedObjectsLieInsideTheFile) {
  Bytes file = module_of(words({8, 4u << 24 | 1, 12, 1, 2, 3}), words({1}));
  append(file, module_of(words({8, 2u << 24, 12}), {}, false));
  for (std::size_t at = 0; at < file.size(); ++at) {
    for (const unsigned change : {1u, 0x80u, 0xffu}) {
      Bytes bent = file;
      bent[at] = static_cast<std::uint8_t>(bent[at] ^ change);
      std::uint64_t end = 0;
      for (const std::uint64_t pos : exe::find_btf(bent)) {
        const auto types = exe::read_btf_header(ByteSpan(bent).subspan(static_cast<std::size_t>(pos)), pos, bent.size());
        ASSERT_TRUE(types.has_value());
        EXPECT_LE(end, types->pos);
        end = types->pos + types->size_bytes;
        EXPECT_GE(bent.size(), end);
      }
    }
  }
}

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
    EXPECT_GE(40u, numbers.step_count());
    EXPECT_GT(before / 50, differing_after(pair, numbers)) << seed;  // numbers that few name stay
  }
}

TEST(NumberPass, ListsThatChangedHaveTheirOwnSteps) {
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

// As with the modules of two kernels in one archive: the steps are in order, whichever outcome they follow.
TEST(NumberPass, ANumberMayHaveBecomeTwo) {
  const Bytes source = module_of(pointers({{90, 9}, {102, 150}, {102, 50}, {200, 40}}), {});
  const Bytes target = module_of(pointers({{90, 9}, {105, 150}, {5000, 50}, {203, 40}}), {});
  WorkerPool pool(1);
  const MovedNumbers numbers = learn_moved_numbers(source, target, pool);
  EXPECT_OK(check_moved_numbers(numbers, source.size()));
  EXPECT_EQ((NumberSteps{{102, 3}}), numbers.common.types);
}

// More steps than a record may have.
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
    const auto read = read_behind_tag(record, 0, kPlenty, [&](io::TypedReader& patch, native::Header header) {
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

TEST(MovedSource, ReadsAsIfAllWereOneFile) {
  const ModulePair pair = module_pair();
  WorkerPool pool(2);
  const MovedNumbers numbers = learn_moved_numbers(pair.old_version, pair.new_version, pool);
  Bytes expected = pair.old_version;
  move_numbers(expected, numbers);
  HiddenReader reader(pair.old_version);
  const auto source = MovedSource::make(reader, numbers, nullptr);
  ASSERT_OK(source);
  EXPECT_EQ(expected.size(), (*source)->size());
  Random random(1);
  Bytes read;
  for (unsigned i = 0; i < 2000; ++i) {
    const auto pos = static_cast<std::size_t>(random.below(expected.size()));
    const std::size_t most = i % 2 == 0 ? 16 : 20'000;
    read.resize(static_cast<std::size_t>(random.below(std::min(most, expected.size() - pos) + 1)));
    EXPECT_OK((*source)->read_at(pos, read));
    EXPECT_TRUE(same_bytes(ByteSpan(expected).subspan(pos, read.size()), read));
  }
  reader.read_error = Error{ErrorCode::kReadFailed, "no more"};
  EXPECT_FAILS(ErrorCode::kReadFailed, (*source)->read_at(0, read));
  EXPECT_FAILS(ErrorCode::kReadFailed, MovedSource::make(reader, numbers, nullptr));
}

TEST(MovedSource, HasTheListsThatThePatchNames) {
  Bytes file(4);
  append(file, words({0x1eb9f, 24, 0, 24, 24, 1, 8, 2u << 24, 12, 5, 10u << 24, 52}));
  file.push_back(0);
  const auto make = [&](const Bytes& source, const MovedNumbers& numbers) {
    io::MemoryReader reader(source);
    return MovedSource::make(reader, numbers, nullptr);
  };
  EXPECT_OK(make(file, example()));
  MovedNumbers other = example();
  for (const std::uint64_t type_bytes : {0u, 23u, 25u}) {
    other.type_bytes = type_bytes;
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(file, other));
  }
  other = example();
  for (const std::uint64_t pos : {3u, 5u, 30u, 52u}) {
    other.lists[0].header_pos = pos;
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(file, other));
  }
  Bytes bent = file;
  bent[4 + 24 + 7] = 0;  // a kind that there is not
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(bent, example()));
  // A list inside a list.
  Bytes nested(4);
  append(nested, words({0x1eb9f, 24, 0, 48, 48, 0, 1, 4u << 24 | 3, 0}));
  append(nested, words({0x1eb9f, 24, 0, 12, 12, 0, 1, 2u << 24, 12}));
  nested.push_back(0);
  other = example();
  other.type_bytes = 48;
  EXPECT_OK(make(nested, other));
  other.type_bytes = 60;
  other.lists.push_back({4 + 24 + 12, {}});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(nested, other));
  // Lists in another order than their headers.
  Bytes crossed(4);
  append(crossed, words({0x1eb9f, 24, 36, 12, 0, 0, 0x1eb9f, 24, 0, 12, 0, 0, 1, 2u << 24, 12, 1, 2u << 24, 12}));
  other = example();
  other.type_bytes = 12;
  EXPECT_OK(make(crossed, other));
  other.type_bytes = 24;
  other.lists.push_back({4 + 24, {}});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(crossed, other));
}

Result<MovedNumbers> read_record(ByteSpan record, std::uint64_t memory_bytes = kPlenty) {
  return read_behind_tag(record, 0, memory_bytes, [](io::TypedReader& patch, native::Header header) {
    header.source_size = 100;
    return native::read_moved_numbers(patch, header);
  });
}

constexpr std::uint8_t kTag = 9;
const std::vector<std::uint64_t> kExample = {0, 24, 1, 9, 1, 50, 10, 0, 2, 10, 4, 20, 3, 1, 7, 2};

TEST(MovedNumberRecord, IsAsTheFormatHasIt) {
  const Bytes record = record_of_numbers(kTag, kExample);
  EXPECT_TRUE(same_bytes(record, native::encode_moved_numbers(example())));
  const auto numbers = read_record(record);
  ASSERT_OK(numbers);
  EXPECT_EQ(example(), *numbers);
  EXPECT_EQ(24u + 96 + 4 * 8, numbers->held_bytes());
  EXPECT_OK(read_record(record, 24 + 96 + 4 * 8));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record, 24 + 96 + 4 * 8 - 1));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record, 23));
}

TEST(MovedNumberRecord, WithImpossibleNumbersIsRefused) {
  const auto bent = [](std::size_t at, std::uint64_t number) {
    std::vector<std::uint64_t> numbers = kExample;
    numbers[at] = number;
    return read_record(record_of_numbers(kTag, numbers));
  };
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, bent(0, 1));
  const std::pair<std::size_t, std::uint64_t> wrong[] = {
      {1, 101}, {1, ~std::uint64_t{0}}, {2, 0}, {2, 2}, {2, 65'537}, {3, 8}, {3, 201}, {3, ~std::uint64_t{0}}, {4, 0}, {4, 9},
      {5, 0}, {5, std::uint64_t{1} << 32}, {6, std::uint64_t{1} << 32}, {7, 1}, {8, 1}, {9, 0}, {11, 0},
      {11, ~std::uint32_t{0}}, {13, 0}, {13, 2}, {14, 0}, {15, ~std::uint64_t{0}}};
  for (const auto& [at, number] : wrong) {
    SCOPED_TRACE(std::to_string(at) + ": " + std::to_string(number));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, bent(at, number));
  }
  EXPECT_OK(bent(6, (std::uint64_t{1} << 32) - 1));  // the least number of 32 bits
  EXPECT_OK(bent(1, 100));
  for (std::size_t left = 1; left < kExample.size(); ++left) {
    const std::vector<std::uint64_t> less(kExample.begin(), kExample.end() - static_cast<std::ptrdiff_t>(left));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of_numbers(kTag, less)));
  }
  std::vector<std::uint64_t> more = kExample;
  more.push_back(0);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of_numbers(kTag, more)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(empty_record(kTag, native::kMaxMovedNumberRecordBytes + 1)));
}

}  // namespace
}  // namespace bdelta::test
