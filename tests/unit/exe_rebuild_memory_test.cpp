// Memory that rebuilding takes, as a patch declares it.
#include "exe/rebuild_memory.hpp"

#include "support/sorted_program.hpp"
#include "unit/exe_rebuilt.hpp"

namespace bdelta::exe::exe_rebuild_memory_test {
namespace {

std::uint64_t memory(const SortedProgram& program, KindSet kinds) {
  return rebuild_memory_bytes(find_images(program.bytes), program.tables, kinds);
}

// Of the only table of that kind, which has so many bytes.
void expect_memory(SortedShape shape, SortedTableKind kind, std::uint64_t size_bytes, std::uint64_t memory_bytes) {
  const SortedProgram program = sorted_program({1, 2, 3}, shape);
  const auto is_of_kind = [&](const SortedTable& table) { return table.kind == kind; };
  const auto table = std::find_if(program.tables.begin(), program.tables.end(), is_of_kind);
  ASSERT_NE(program.tables.end(), table);
  EXPECT_EQ(size_bytes, table->size_bytes);
  EXPECT_EQ(memory_bytes, memory(program, set_of(kind)));
}

TEST(RebuildMemory, IsThatOfLists) {
  expect_memory(SortedShape::kPe64, SortedTableKind::kBaseRelocations, 16, 8 * 16);
  expect_memory(SortedShape::kPe64, SortedTableKind::kFunctions, 36, 3 * 56);
  expect_memory(SortedShape::kPeArm64, SortedTableKind::kFunctions, 24, 3 * 56);
  expect_memory(SortedShape::kElf64, SortedTableKind::kUnwindIndex, 24, 3 * 56);
  expect_memory(SortedShape::kElf64, SortedTableKind::kRelativeRelocations, 72, 3 * 56);
  expect_memory(SortedShape::kElf32, SortedTableKind::kRelativeRelocations, 24, 3 * 56);
  expect_memory(SortedShape::kMachO64, SortedTableKind::kFunctionStarts, 8, 16 * 8);
  expect_memory(SortedShape::kMachO64, SortedTableKind::kUnwindPages, 32, 4 * 56);
}

// Beside all tables what one kind takes while it is made, that which takes most.
TEST(RebuildMemory, OfSeveralKindsIsThatOfOneAtATime) {
  const SortedProgram program = sorted_program({1, 2, 3}, SortedShape::kElf64);
  EXPECT_EQ(24 + 72u + std::max(3 * 56u - 24u, 3 * 56u - 72u), memory(program, kAllTables));
  EXPECT_EQ(0u, memory(program, kAllKinds));
  const std::vector<Image> images = find_images(program.bytes);
  const SortedTable shorter_than_an_entry{0, 5, SortedTableKind::kUnwindIndex, 0};
  EXPECT_EQ(5u, rebuild_memory_bytes(images, std::vector<SortedTable>{shorter_than_an_entry}, kAllTables));
  const SortedTable mixed{0, 100, SortedTableKind::kMixedUnwindPages, 0};
  EXPECT_EQ(1400u, rebuild_memory_bytes(images, std::vector<SortedTable>{mixed}, kAllTables));
}

}  // namespace
}  // namespace bdelta::exe::exe_rebuild_memory_test
