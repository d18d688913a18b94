// What unwinding needs in PE images: tables of C++ exceptions in both forms, unwind information of arm64, accesses to
// volatile memory.
#include <algorithm>

#include "support/expect.hpp"
#include "support/pe_program.hpp"
#include "unit/exe_seen_fields.hpp"

namespace bdelta::exe::exe_pe_exception_test {
namespace {

using namespace bdelta::test;

class ExpectedFields {
 public:
  explicit ExpectedFields(const PeProgram& program) : program_(program) {}

  // At `pos`, leading to a byte of the file.
  void add(std::size_t pos, std::size_t target, FieldKind kind = FieldKind::kExceptionTable) {
    seen_.push_back({pos, FieldForm::kRva32, kind, kPeProgramBase + target + kPeRvaShift});
  }
  void code(std::size_t pos, std::size_t function, std::size_t offset) { add(pos, program_.at.starts[function] + offset); }

  void wide_table(std::size_t i) {
    const std::size_t table = program_.at.cpp_tables[i], types = table - 8, places = types - 24, tries = places - 20;
    const std::size_t handlers = tries - 20, states = handlers - 16;
    add(table + 8, states);
    add(table + 16, tries);
    add(table + 24, places);
    add(table + 32, types);
    code(states + 4, i, 8);
    code(states + 12, i, 12);
    add(tries + 16, handlers);
    code(handlers + 12, i, 32);
    code(places, i, 0);
    code(places + 8, i, 16);
    code(places + 16, i, 24);
  }

  void packed_table(std::size_t i) {
    const std::size_t table = program_.at.cpp_tables[i], places = table - 17, tries = places - 8, handlers = tries - 20;
    const std::size_t states = handlers - 20;
    add(table + 6, states);
    add(table + 10, tries);
    add(table + 14, places);
    code(states + 3, i, 8);
    code(states + 9, i, 12);
    code(states + 16, i, 20);
    add(tries + 4, handlers);
    add(handlers + 3, states);
    code(handlers + 8, i, 32);
    code(handlers + 12, i, 36);
    code(handlers + 16, i, 40);
    code(places + 1, i, 0);
    add(places + 5, tries);
    code(places + 9, i, 24);
    add(places + 13, tries);
  }

  void volatiles() {
    const std::size_t table = program_.at.volatiles, count = program_.at.starts.size();
    const std::size_t ranges = table - 8 * count, accesses = ranges - 4 * count;
    add(table + 8, accesses, FieldKind::kFunctionStart);
    add(table + 16, ranges, FieldKind::kFunctionStart);
    for (std::size_t i = 0; i < count; ++i) {
      add(accesses + 4 * i, program_.at.starts[i] + 28, FieldKind::kFunctionStart);
      add(ranges + 8 * i, program_.at.starts[i], FieldKind::kFunctionStart);
    }
  }

  std::vector<Seen> take() {
    std::sort(seen_.begin(), seen_.end(), [](const Seen& a, const Seen& b) { return a.pos < b.pos; });
    return std::move(seen_);
  }

 private:
  const PeProgram& program_;
  std::vector<Seen> seen_;
};

// Of the kinds that handlers' tables and accesses to volatile memory have.
std::vector<Seen> found_fields(const Bytes& file) {
  std::vector<Seen> fields = fields_of(file);
  std::erase_if(fields, [](const Seen& seen) {
    return seen.kind != FieldKind::kExceptionTable && seen.kind != FieldKind::kFunctionStart;
  });
  return fields;
}

// Those of them in `size` bytes from `begin` on.
std::ptrdiff_t count_fields(const Bytes& file, std::size_t begin, std::size_t size) {
  const std::vector<Seen> fields = found_fields(file);
  return std::count_if(fields.begin(), fields.end(),
                       [&](const Seen& seen) { return seen.pos >= begin && seen.pos < begin + size; });
}

TEST(PeExceptions, OfX86) {
  const PeProgram program = pe_program({2, 3}, false);
  ExpectedFields expected(program);
  expected.wide_table(0);
  expected.packed_table(1);
  ASSERT_NE(0u, (program.at.cpp_tables[1] + kPeRvaShift) % 4) << "a reference is a field wherever its table lies";
  for (std::size_t i = 0; i < 2; ++i) {
    expected.code(program.at.unwind_infos[i] + 8, 0, 0);
    expected.add(program.at.unwind_infos[i] + 12, program.at.cpp_tables[i]);
  }
  expected.volatiles();
  EXPECT_EQ(expected.take(), found_fields(program.bytes));
}

// With one end that is told in the first word, with two ends, and with counts in a second word.
TEST(PeExceptions, OfArm64) {
  const PeProgram program = pe_program({6, 4, 2}, true);
  ExpectedFields expected(program);
  const std::size_t handlers[] = {8, 16, 20};
  for (std::size_t i = 0; i < 3; ++i) {
    expected.wide_table(i);
    expected.code(program.at.unwind_infos[i] + handlers[i], 0, 0);
    expected.add(program.at.unwind_infos[i] + handlers[i] + 4, program.at.cpp_tables[i]);
  }
  expected.volatiles();
  EXPECT_EQ(expected.take(), found_fields(program.bytes));
}

// What does not fit together is no packed table: flags that never are, no list, a list that is not in data.
TEST(PeExceptions, PackedTablesAreToldByAllOfThem) {
  const PeProgram program = pe_program({3, 5}, false);
  const std::size_t table = program.at.cpp_tables[0];
  const auto fields_in_table = [&](const Bytes& file) { return count_fields(file, table, 18); };
  EXPECT_EQ(3, fields_in_table(program.bytes));
  for (const unsigned flags : {0x9eu, 0x06u}) {
    Bytes damaged = program.bytes;
    damaged[table] = static_cast<std::uint8_t>(flags);
    EXPECT_EQ(0, fields_in_table(damaged)) << flags;
  }
  for (const std::size_t list : {6u, 10u, 14u}) {
    Bytes damaged = program.bytes;
    store_le(damaged.data() + table + list, static_cast<std::uint32_t>(kPeText + kPeRvaShift));
    EXPECT_EQ(0, fields_in_table(damaged)) << list;
  }
}

TEST(PeExceptions, WideTablesHaveOneOfThreeNumbers) {
  const PeProgram program = pe_program({2, 4}, false);
  const std::size_t table = program.at.cpp_tables[0];
  const auto fields_in_table = [&](std::uint32_t magic) {
    Bytes file = program.bytes;
    store_le(file.data() + table, magic);
    return count_fields(file, table, 40);
  };
  EXPECT_EQ(0, fields_in_table(0x1993051f));
  EXPECT_EQ(3, fields_in_table(0x19930520)) << "has no list of types";
  EXPECT_EQ(4, fields_in_table(0x19930521));
  EXPECT_EQ(4, fields_in_table(0xb9930522)) << "the highest bits mean something else";
  EXPECT_EQ(0, fields_in_table(0x19930523));
}

}  // namespace
}  // namespace bdelta::exe::exe_pe_exception_test
