// What holds of the fields of any file, however damaged: they are inside and apart, and say what their bytes say.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "base/checked.hpp"
#include "exe/field_codec.hpp"
#include "exe/layout.hpp"
#include "support/exe_craft.hpp"
#include "support/exe_craft_more.hpp"
#include "support/expect.hpp"
#include "support/fixed_program.hpp"
#include "support/generate.hpp"
#include "support/pe_program.hpp"
#include "unit/exe_seen_fields.hpp"

namespace bdelta::exe::exe_table_damage_test {
namespace {

using namespace bdelta::test;
using Form = FieldForm;

// What is promised of any file; false tells which promise was broken.
::testing::AssertionResult keeps_promises(ByteSpan file) {
  std::uint64_t images_end = 0;
  const std::vector<Image> images = find_images(file);
  for (const Image& image : images) {
    if (image.file_pos < images_end || !range_fits(image.file_pos, image.size_bytes, file.size())) {
      return ::testing::AssertionFailure() << "image at " << image.file_pos;
    }
    images_end = image.file_pos + image.size_bytes;
    const ImageLayout layout(image);
    std::vector<Field> fields;
    FieldBlocks blocks(file, images, static_cast<std::size_t>(&image - images.data()));
    find_table_fields(file, image, blocks);
    FieldBlocks::Unpacked last;
    blocks.add_fields(0, file.size(), last, fields);
    std::uint64_t end = image.file_pos;
    for (const Field& field : fields) {
      if (field.pos < end) return ::testing::AssertionFailure() << "overlap at " << field.pos;
      end = field.pos + field_bytes(field.form);
      if (end > images_end) return ::testing::AssertionFailure() << "outside of the image at " << field.pos;
      if (leads_into_file(field.form)) {
        if (field.target_address - kFileSpace - image.file_pos < image.size_bytes) continue;
        return ::testing::AssertionFailure() << "leads out of the image at " << field.pos;
      }
      FieldPlace place{0, image.base_address, image.bits64};
      if (!layout.address_of(field.pos, place.own_address)) place.own_address = 0;
      if (has_base(field.form) && !layout.address_of(base_pos(field), place.base_address)) {
        return ::testing::AssertionFailure() << "base without address at " << field.pos;
      }
      Field again = field;
      again.target_address = 0;
      if (!read_field(file, place, again) || again.target_address != field.target_address ||
          !layout.is_place(field.target_address)) {
        return ::testing::AssertionFailure() << "wrong address at " << field.pos;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

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

// Real programs of the directory BDELTA_CORPUS, those below 64 MiB.
TEST(TableFields, OfRealPrograms) {
  const char* corpus = std::getenv("BDELTA_CORPUS");
  if (corpus == nullptr) GTEST_SKIP() << "BDELTA_CORPUS is not set";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus)) {
    if (!entry.is_regular_file() || entry.file_size() > (std::uint64_t{64} << 20)) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const Bytes file((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_TRUE(keeps_promises(file)) << entry.path();
  }
}

}  // namespace
}  // namespace bdelta::exe::exe_table_damage_test
