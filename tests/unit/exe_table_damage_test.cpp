// Promises of fields (exe_promises.hpp) hold of files that are cut, changed and made up.
#include <algorithm>
#include <set>

#include "support/exe_craft.hpp"
#include "support/exe_craft_more.hpp"
#include "support/expect.hpp"
#include "support/fixed_program.hpp"
#include "support/generate.hpp"
#include "support/pe_program.hpp"
#include "unit/exe_promises.hpp"

namespace bdelta::exe::exe_table_damage_test {
namespace {

using namespace bdelta::test;

std::vector<Bytes> crafted() {
  return {craft_elf(), craft_elf_without_sections(), craft_elf32(), craft_arm32(), craft_go(), craft_go_program(true),
          craft_go_program(false), craft_pe(), craft_macho(), craft_macho_exports(), craft_toy(),
          fixed_program({1, 2, 3}).bytes, pe_program({2, 3}, false).bytes, pe_program({2, 4}, true).bytes};
}

TEST(TableFieldsOfDamaged, TruncatedAnywhere) {
  for (const Bytes& file : crafted()) {
    for (std::size_t size = 0; size <= file.size(); ++size) {
      const Bytes cut(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));  // its end is that of the memory
      ASSERT_TRUE(keeps_promises(cut)) << size;
    }
  }
}

TEST(TableFieldsOfDamaged, EveryByteChanged) {
  for (const Bytes& whole : crafted()) {
    Bytes file = whole;
    for (std::size_t pos = 0; pos < file.size(); ++pos) {
      const std::uint8_t before = file[pos];
      const auto next = static_cast<std::uint8_t>(before + 1);
      for (const std::uint8_t value : std::set<std::uint8_t>{0, 1, 0x7f, 0x80, 0xff, next}) {
        if (value == before) continue;
        file[pos] = value;
        ASSERT_TRUE(keeps_promises(file)) << pos << " to " << int{value};
      }
      file[pos] = before;
    }
  }
}

TEST(TableFieldsOfDamaged, ManyNumbersChanged) {
  constexpr std::uint64_t kNumbers[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, ~std::uint64_t{0},
                                        std::uint64_t{1} << 63};
  Random random(11);
  for (const Bytes& whole : crafted()) {
    for (int round = 0; round < 3000; ++round) {
      Bytes file = whole;
      for (std::uint64_t i = random.between(1, 12); i > 0; --i) {
        const std::size_t pos = static_cast<std::size_t>(random.below(file.size() - 8)) & ~std::size_t{3};
        const std::uint64_t number = random.below(2) == 0 ? kNumbers[random.below(7)] : random.below(file.size() * 2);
        random.below(2) == 0 ? store_le(file.data() + pos, number)
                             : store_le(file.data() + pos, static_cast<std::uint32_t>(number));
      }
      ASSERT_TRUE(keeps_promises(file)) << round;
    }
  }
}

TEST(TableFieldsOfDamaged, RandomBehindTheMagic) {
  for (const Bytes& whole : crafted()) {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
      Bytes file = random_bytes(600, seed);
      const std::size_t kept = seed % 80;
      std::copy(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(kept), file.begin());
      ASSERT_TRUE(keeps_promises(file)) << seed;
    }
  }
}

}  // namespace
}  // namespace bdelta::exe::exe_table_damage_test
