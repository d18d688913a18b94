// What a Program finds: the same fields however it is asked and whatever it keeps.
#include <algorithm>

#include "exe/choose_kinds.hpp"
#include "exe/isa.hpp"
#include "exe/program.hpp"
#include "support/exe_fields.hpp"
#include "support/expect.hpp"
#include "support/toy_program.hpp"

namespace bdelta::test::exe_program_test {
namespace {

using namespace exe;

// A program of some blocks with tables between and behind its code.
class Fields : public ::testing::Test {
 protected:
  Fields() {
    std::vector<std::uint64_t> pointers;
    Random random(3);
    for (int i = 0; i < 20'000; ++i) {
      pointers.push_back(random.below(3) == 0 ? random.next() : 0x1000 + random.below(code_.size()));
    }
    file_ = toy_file(code_, pointers);
  }

  Bytes code_ = calls(450'000, 2);
  Bytes file_;
  WorkerPool pool_{1};
};

bool same_field(const Field& a, const Field& b) {
  return a.pos == b.pos && a.target_address == b.target_address && a.form == b.form && a.kind == b.kind &&
         a.trailing_bytes == b.trailing_bytes && a.base_delta == b.base_delta && a.image == b.image;
}

TEST_F(Fields, AreTheSameHoweverAskedFor) {
  const Program lazy(file_, x86_images(file_), pool_);
  const Program eager(file_, x86_images(file_), pool_, Program::kKeepAll);
  const std::vector<Field> all = all_fields(eager);
  EXPECT_GT(all.size(), 450'000u);
  Random random(4);
  FieldCache cache;
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t begin = random.below(file_.size());
    const std::uint64_t end = begin + random.below(random.below(8) == 0 ? 500'000 : 5'000);
    auto expected = std::find_if(all.begin(), all.end(), [&](const Field& field) { return field.pos >= begin; });
    lazy.for_each_field(begin, end, cache, [&](const Field& field) {
      ASSERT_TRUE(expected != all.end() && same_field(*expected, field)) << field.pos;
      ++expected;
    });
    EXPECT_TRUE(expected == all.end() || expected->pos + field_bytes(expected->form) > end) << begin << " to " << end;
  }
}

TEST_F(Fields, OfTablesPrevail) {
  std::vector<Image> images = x86_images(file_);
  // A table inside the code: its words are pointers to the start of the code.
  const std::uint64_t table = images[0].sections[0].file_pos + 2 * 1024 * 1024 + 1;
  for (std::size_t i = 0; i < 50; ++i) store_le<std::uint64_t>(file_.data() + table + 8 * i, 0x1000);
  images[0].sections.insert(images[0].sections.begin() + 1, {table, 400, 0x9000000, 400, SectionKind::kData});
  const Program program(file_, images, pool_);
  FieldCache cache;
  std::uint64_t end = 0;
  std::size_t table_count = 0;
  // From inside the first table field on: it is no longer asked for, and still no code field may lie on it.
  program.for_each_field(table + 4, table + 1000, cache, [&](const Field& field) {
    EXPECT_GE(field.pos, end);
    if (field.pos < table + 400) {
      EXPECT_EQ(FieldForm::kAbs64, field.form) << field.pos - table;
      ++table_count;
    }
    end = field.pos + field_bytes(field.form);
  });
  EXPECT_EQ(49u, table_count);
  EXPECT_GT(end, table + 900);
}

// Wherever what is asked for ends and begins: a field of code that a table begins in is none.
TEST_F(Fields, OfTablesPrevailAcrossBorders) {
  std::vector<Image> images = x86_images(file_);
  const std::uint64_t call = images[0].sections[0].file_pos + 5 * 400'000;
  const std::uint64_t table = call + 4;
  store_le<std::uint32_t>(file_.data() + call + 1, 0x100);  // to another call, and so it stays under the table's 0
  for (std::size_t i = 0; i < 3; ++i) store_le<std::uint64_t>(file_.data() + table + 8 * i, 0x1000);
  images[0].sections.insert(images[0].sections.begin() + 1, {table, 24, 0x9000000, 24, SectionKind::kData});
  const Program program(file_, images, pool_);
  FieldCache cache;
  const std::uint64_t begin = table - 30, end = table + 60;
  const std::span<const Field> found = program.fields_from(begin, end, cache);
  const std::vector<Field> all(found.begin(), found.end());
  for (std::size_t i = 1; i < all.size(); ++i) EXPECT_GE(all[i].pos, all[i - 1].pos + field_bytes(all[i - 1].form));
  EXPECT_EQ(table, std::find_if(all.begin(), all.end(), [&](const Field& f) { return f.pos > call; })->pos);
  for (std::uint64_t border = begin; border <= end; ++border) {
    std::vector<Field> both;
    for (const auto& [from, to] : {std::pair(begin, border), std::pair(border, end)}) {
      const std::span<const Field> some = program.fields_from(from, to, cache);
      both.insert(both.end(), some.begin(), some.end());
    }
    ASSERT_EQ(all.size(), both.size()) << border - table;
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_TRUE(same_field(all[i], both[i])) << border - table;
  }
}

TEST(Program, FindsJumpTablesThatCodeLoads) {
  // LEA RAX, [RIP + distance to the data section], and fillers for the entries to lead to.
  Bytes code(1000, 0x90);
  code[0] = 0x48, code[1] = 0x8D, code[2] = 0x05;
  store_le<std::uint32_t>(code.data() + 3, 0x8000000 - 0x1007);
  std::vector<std::uint64_t> words;
  for (std::uint32_t entry = 0; entry < 6; entry += 2) {
    const auto to = [](std::uint32_t offset) { return std::uint64_t{0x1000u + offset - 0x8000000u} & 0xffffffff; };
    words.push_back(to(10 * entry) | to(10 * entry + 500) << 32);
  }
  words.push_back(7);
  const Bytes file = toy_file(code, words);
  WorkerPool pool(1);
  const Program program(file, x86_images(file), pool);
  const std::uint64_t table = program.images().all[0].sections[1].file_pos;
  FieldCache cache;
  const std::span<const Field> fields = program.table_fields_from(0, file.size(), cache);
  ASSERT_EQ(6u, fields.size());
  for (std::uint32_t i = 0; i < 6; ++i) {
    const Field& field = fields[i];
    EXPECT_EQ(FieldKind::kJumpTable, field.kind);
    EXPECT_EQ(table + 4 * i, field.pos);
    EXPECT_EQ(table, base_pos(field));
    EXPECT_EQ(0x1000u + 10 * (i - i % 2) + 500 * (i % 2), field.target_address);
  }
}

TEST_F(Fields, AreKeptOnlyWithinTheLimit) {
  const auto memory_bytes = [&](std::uint64_t keep_bytes) {
    return Program(file_, x86_images(file_), pool_, keep_bytes).memory_bytes();
  };
  const std::uint64_t without = memory_bytes(0);
  EXPECT_EQ(without, memory_bytes(500'000));
  EXPECT_GE(memory_bytes(Program::kKeepAll), without + 2 * 450'000u);
  EXPECT_EQ(memory_bytes(Program::kKeepAll), memory_bytes(1'000'000'000));
}

TEST_F(Fields, AreAllThereInTheEnd) {
  Program late(file_, x86_images(file_), pool_, Program::WithoutJumpTables());
  late.find_all(pool_, Program::kKeepAll);
  const Program whole(file_, x86_images(file_), pool_, Program::kKeepAll);
  EXPECT_EQ(whole.memory_bytes(), late.memory_bytes());
  EXPECT_TRUE(std::ranges::equal(all_fields(whole), all_fields(late), same_field));
}

// A stretch is a block of code, or what lies between two sections.
TEST_F(Fields, LieInStretches) {
  const Program program(file_, x86_images(file_), pool_);
  const Section& code = program.images().all[0].sections[0];
  EXPECT_EQ(code.file_pos, program.stretch_at(0).end_pos);
  const std::uint64_t end = code.file_pos + code.size_bytes;
  std::size_t number = 0;
  for (std::uint64_t pos = code.file_pos; pos < end; ++number) {
    const Program::Stretch stretch = program.stretch_at(pos);
    EXPECT_EQ(number, stretch.code_block);
    EXPECT_EQ(std::min(end, pos + kCodeBlockBytes), stretch.end_pos);
    EXPECT_EQ(number, program.stretch_at(stretch.end_pos - 1).code_block);
    pos = stretch.end_pos;
  }
  EXPECT_EQ(program.code_blocks(), number);
  EXPECT_EQ(std::nullopt, program.stretch_at(end).code_block);
  EXPECT_EQ(file_.size(), program.stretch_at(end).end_pos);
}

TEST_F(Fields, OfASampleCountForAll) {
  const Program program(file_, x86_images(file_), pool_);
  const Covers covers = {{0, 0, file_.size()}};
  const OwnerMap map(covers);
  const auto count = [&](std::uint64_t share, FieldKind kind) {
    return count_kinds(program, program.images(), file_, map, LabelIndex({}), pool_, share)[static_cast<std::size_t>(kind)];
  };
  ASSERT_EQ(3U, program.code_blocks());
  const std::uint64_t begin = program.images().all[0].sections[0].file_pos + kCodeBlockBytes;
  std::uint64_t call_count = 0;  // of the second block
  FieldCache cache;
  for (const Field& field : program.fields_from(begin, begin + kCodeBlockBytes, cache)) call_count += field.kind == FieldKind::kCall;
  EXPECT_GT(call_count, 0U);
  EXPECT_EQ(3 * call_count, count(3, FieldKind::kCall).field_count);
  const std::uint64_t pointer_count = count(1, FieldKind::kPointer).field_count;
  EXPECT_GT(pointer_count, 0U);
  EXPECT_LT(pointer_count / 2, count(3, FieldKind::kPointer).field_count) << "so are tables, by smaller pieces";
}

// What is kept beside tables counts: room for code alone is not enough.
TEST_F(Fields, AreKeptIfTablesAndCodeFit) {
  const Program whole(file_, x86_images(file_), pool_, Program::kKeepAll);
  const std::uint64_t tables = whole.table_memory_bytes();
  ASSERT_LT(tables, whole.memory_bytes());
  for (const std::uint64_t keep : {std::uint64_t{0}, tables, whole.memory_bytes() - tables, whole.memory_bytes() - 1}) {
    EXPECT_EQ(tables, Program(file_, x86_images(file_), pool_, keep).memory_bytes()) << keep;
  }
  const Program kept(file_, x86_images(file_), pool_, whole.memory_bytes());
  EXPECT_EQ(whole.memory_bytes(), kept.memory_bytes());
}

}  // namespace
}  // namespace bdelta::test::exe_program_test
