// Lists of types: what each kind is made of, where a file has them, and that nothing leads out of it.
#include "exe/btf.hpp"

#include "exe/btf_sections.hpp"
#include "support/generate.hpp"
#include "support/kernel_modules.hpp"
#include "support/memory.hpp"

namespace bdelta::test::btf_test {
namespace {

using exe::BtfNumber;

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
  EXPECT_TRUE(exe::move_btf_numbers(types, moved_number_example().common, moved_number_example().lists[0].own, nullptr));
  EXPECT_TRUE(same_bytes(words({9, 2u << 24, 14, 5, 10u << 24, 57}), types));
  types.pop_back();
  EXPECT_FALSE(exe::move_btf_numbers(types, moved_number_example().common, {}, nullptr));
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

}  // namespace
}  // namespace bdelta::test::btf_test
