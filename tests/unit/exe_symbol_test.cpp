// Fields that no loader needs or no relocation tells of: names and numbers of symbols, words for debuggers, addresses
// as such in instructions; and what they bring.
#include <map>
#include <set>

#include "exe/crate_hash.hpp"
#include "exe/images.hpp"
#include "exe/program.hpp"
#include "exe/table_fields.hpp"
#include "support/exe_fields.hpp"
#include "support/fixed_program.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/thumb_program.hpp"

namespace bdelta::test::exe_symbol_test {
namespace {

using exe::Field;
using exe::FieldForm;
using exe::FieldKind;

std::map<std::uint64_t, Field> fields_of(const Bytes& file) {
  WorkerPool pool(1);
  const exe::Program program(file, exe::find_images(file), pool);
  std::map<std::uint64_t, Field> fields;
  for (const Field& field : all_fields(program)) fields[field.pos] = field;
  return fields;
}

std::size_t count_of(const std::map<std::uint64_t, Field>& fields, FieldKind kind) {
  const auto is_wanted = [&](const auto& field) { return field.second.kind == kind; };
  return static_cast<std::size_t>(std::count_if(fields.begin(), fields.end(), is_wanted));
}

constexpr std::size_t kCount = 20;

FixedProgram small_program() {
  std::vector<unsigned> functions(kCount);
  for (unsigned i = 0; i < kCount; ++i) functions[i] = i;
  return fixed_program(functions);
}

TEST(FixedPrograms, HoldAddressesInInstructions) {
  const FixedProgram program = small_program();
  const auto fields = fields_of(program.bytes);
  EXPECT_EQ(3 * kCount, count_of(fields, FieldKind::kCodePointer));
  EXPECT_EQ(kCount, count_of(fields, FieldKind::kCall));
  EXPECT_EQ(kCount, count_of(fields, FieldKind::kDataReference));
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::size_t function = kFixedText + i * kFixedFunctionBytes;
    for (const std::size_t offset : {1u, 16u, 23u}) {
      const auto found = fields.find(function + offset);
      ASSERT_NE(fields.end(), found) << i << " " << offset;
      EXPECT_EQ(FieldForm::kAbs32, found->second.form);
      EXPECT_EQ(load_le<std::uint32_t>(program.bytes.data() + found->first), found->second.target_address);
    }
  }
  Bytes movable = program.bytes;
  movable[16] = 3;  // an image that may be loaded anywhere has no such addresses
  EXPECT_EQ(0u, count_of(fields_of(movable), FieldKind::kCodePointer));
}

TEST(FixedPrograms, HaveAddressesForDebuggers) {
  const FixedProgram program = small_program();
  const auto fields = fields_of(program.bytes);
  EXPECT_EQ(kCount, count_of(fields, FieldKind::kDebugAddress));
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto found = fields.find(program.at.debug + 13 * i + 1);
    ASSERT_NE(fields.end(), found);
    EXPECT_EQ(FieldForm::kAbs64, found->second.form);
    EXPECT_EQ(kFixedBase + kFixedText + i * kFixedFunctionBytes, found->second.target_address);
  }
}

TEST(Symbols, NamesAndNumbersLeadIntoTheFile) {
  const FixedProgram program = small_program();
  const FixedLayout& at = program.at;
  const auto fields = fields_of(program.bytes);
  EXPECT_EQ(2 * kCount, count_of(fields, FieldKind::kSymbolName));
  EXPECT_EQ(3 * kCount, count_of(fields, FieldKind::kSymbolIndex));
  const auto expect_entry = [&](std::size_t pos, std::size_t table, unsigned entry_bytes) {
    const auto found = fields.find(pos);
    ASSERT_NE(fields.end(), found) << pos;
    EXPECT_EQ(FieldForm::kFileOffset32, found->second.form);
    EXPECT_EQ(entry_bytes, found->second.trailing_bytes);
    EXPECT_EQ(static_cast<std::uint32_t>(pos - table), found->second.base_delta);
    EXPECT_EQ(exe::kFileSpace + table + entry_bytes * std::uint64_t{load_le<std::uint32_t>(program.bytes.data() + pos)},
              found->second.target_address);
  };
  for (std::size_t i = 0; i < kCount; ++i) {
    expect_entry(at.symbols + 24 * (i + 1), at.names, 1);
    expect_entry(at.all_symbols + 24 * (i + 1), at.all_names, 1);
    expect_entry(at.hash + 8 + 4 * i, at.symbols, 24);
    expect_entry(at.gnu_hash + 24 + 4 * i, at.symbols, 24);
    expect_entry(at.relocations + 24 * i + 12, at.symbols, 24);
  }
}

TEST(Symbols, OfImagesThatAreNotWide) {
  std::vector<unsigned> functions(kCount);
  for (unsigned i = 0; i < kCount; ++i) functions[i] = i;
  const ThumbProgram program = thumb_program(functions);
  const auto fields = fields_of(program.bytes);
  EXPECT_EQ(kCount, count_of(fields, FieldKind::kSymbolName));
  EXPECT_EQ(3 * kCount, count_of(fields, FieldKind::kSymbolIndex));
  const auto expect_entry = [&](std::size_t pos, std::size_t table, unsigned entry_bytes, unsigned shift) {
    const auto found = fields.find(pos);
    ASSERT_NE(fields.end(), found) << pos;
    EXPECT_EQ(shift == 0 ? FieldForm::kFileOffset32 : FieldForm::kFileOffset24, found->second.form);
    EXPECT_EQ(static_cast<std::uint32_t>(pos - table), found->second.base_delta);
    const std::uint64_t number = load_le<std::uint32_t>(program.bytes.data() + pos) >> shift;
    EXPECT_EQ(exe::kFileSpace + table + entry_bytes * number, found->second.target_address);
  };
  for (std::size_t i = 0; i < kCount; ++i) {
    expect_entry(program.at.symbols + kThumbSymbolBytes * (i + 1), program.at.names, 1, 0);
    expect_entry(program.at.hash + 8 + 4 * i, program.at.symbols, kThumbSymbolBytes, 0);
    expect_entry(program.at.gnu_hash + 20 + 4 * i, program.at.symbols, kThumbSymbolBytes, 0);
    expect_entry(program.at.relocations + 8 * i + 4, program.at.symbols, kThumbSymbolBytes, 8);
  }
}

TEST(Symbols, NumbersOfNothingAreNoFields) {
  const FixedProgram program = small_program();
  const std::size_t symbol = program.at.symbols + 24;
  const std::size_t info = program.at.relocations + 12;
  for (const std::uint32_t number : {0u, 0x7fffffffu, 0xffffffffu}) {
    Bytes file = program.bytes;
    store_le(file.data() + symbol, number);
    store_le(file.data() + info, number);
    const auto fields = fields_of(file);
    EXPECT_EQ(0u, fields.count(symbol)) << number;
    EXPECT_EQ(0u, fields.count(info)) << number;
  }
  Bytes unlinked = program.bytes;
  store_le(unlinked.data() + program.at.headers + 5 * 64 + 40, std::uint32_t{99});
  EXPECT_EQ(kCount, count_of(fields_of(unlinked), FieldKind::kSymbolName));  // of the other table
}

TEST(Symbols, SectionsOfOneAnothersBytesAreBoundedWork) {
  const FixedProgram program = small_program();
  Bytes file = program.bytes;
  constexpr std::size_t kSections = 4000;
  const std::size_t headers = file.size();
  file.resize(headers + 64 * (kSections + 13));
  std::copy_n(program.bytes.begin() + static_cast<std::ptrdiff_t>(program.at.headers), 13 * 64,
              file.begin() + static_cast<std::ptrdiff_t>(headers));
  for (std::size_t i = 13; i < kSections + 13; ++i) {
    const std::size_t header = headers + 64 * i;
    store_le(file.data() + header + 4, std::uint32_t{1});
    store_le(file.data() + header + 32, std::uint64_t{file.size()});
  }
  store_le(file.data() + 40, std::uint64_t{headers});
  store_le(file.data() + 60, static_cast<std::uint16_t>(kSections + 13));
  EXPECT_EQ(kCount, count_of(fields_of(file), FieldKind::kDebugAddress));  // later sections pass the bound
}

class PredictedAtLevel : public ::testing::TestWithParam<int> {};

// The patch of a pair with prediction must have less than so many eighths of that without.
void expect_predicted(const Bytes& old_version, const Bytes& new_version, std::size_t eighths) {
  CreateOptions options = create_options(PredictedAtLevel::GetParam());
  expect_round_trip(old_version, new_version, options);
  const auto predicted = make_patch(old_version, new_version, options);
  options.predict = false;
  const auto plain = make_patch(old_version, new_version, options);
  ASSERT_OK(predicted);
  ASSERT_OK(plain);
  EXPECT_LT(predicted->size(), plain->size() / 8 * eighths);
}

// Nearly all that differs follows from where functions, strings and names moved.
TEST_P(PredictedAtLevel, FixedPrograms) {
  const FixedPair pair = fixed_pair(300);
  expect_predicted(pair.old_version.bytes, pair.new_version.bytes, 7);
}

// Calls of both sorts of code, literals, symbols: left to tell are functions that came, and calls of those that went.
TEST_P(PredictedAtLevel, ThumbPrograms) {
  const ProgramPair pair = thumb_pair(600);
  expect_predicted(pair.old_version, pair.new_version, 6);
}

INSTANTIATE_TEST_SUITE_P(Levels, PredictedAtLevel, ::testing::Values(3, 6, 9, kUltraLevel));

// Where a crate is named there is a number in base 62, which is a hash if it is long.
TEST(RustNames, HaveHashesOfTheCratesThatTheyMention) {
  const auto hashes_of = [](const std::string& name) {
    const Bytes bytes(name.begin(), name.end());
    std::string hashes;
    for (std::size_t i = 0; exe::is_rust_name(bytes, 0) && i < bytes.size();) {
      const std::size_t end = exe::crate_hash_end(bytes, i);
      if (end != i) hashes += name.substr(i, end - i) + " ";
      i = std::max(end, i + 1);
    }
    return hashes;
  };
  EXPECT_EQ("CsdN1ZzDs28Vk CskWUzuk9xKA ", hashes_of("_RINvNtCsdN1ZzDs28Vk_4core3ptr4dropNtCskWUzuk9xKA_5utilsE"));
  EXPECT_EQ("Cs4LCoU3z53HD ", hashes_of("__RNvCs4LCoU3z53HD_10rayon_core"));
  EXPECT_EQ("", hashes_of("_ZN4core3ptr17h0123456789abcdefE"));
  EXPECT_EQ("", hashes_of("_RNvCs_4core"));
  EXPECT_EQ("", hashes_of("_RNvCs1234567_4core"));
  EXPECT_EQ("", hashes_of("_RNvCs123456789abc_4core"));
  EXPECT_EQ("", hashes_of("_RNvCs123456789ab"));
  EXPECT_EQ("", hashes_of("_R"));
  EXPECT_EQ("", hashes_of("_"));
  EXPECT_EQ("", hashes_of(""));
}

}  // namespace
}  // namespace bdelta::test::exe_symbol_test
