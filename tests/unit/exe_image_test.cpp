// find_images: each format is found with its sections, at any offset; what is inconsistent is plain data.
#include <ostream>

#include "exe/images.hpp"
#include "exe/layout.hpp"
#include "support/exe_craft.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::exe {

void PrintTo(const Section& section, std::ostream* out) {
  *out << "{" << std::hex << section.file_pos << ", " << section.size_bytes << ", " << section.address << ", "
       << section.memory_bytes << ", kind " << static_cast<int>(section.kind) << "}" << std::dec;
}

namespace exe_image_test {
namespace {

using namespace bdelta::test;
using Sections = std::vector<Section>;

constexpr SectionKind kCode = SectionKind::kCode;
constexpr SectionKind kData = SectionKind::kData;
constexpr SectionKind kUnbacked = SectionKind::kUnbacked;

Bytes joined(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& part : parts) append(all, part);
  return all;
}

Section elf_section(std::size_t pos, std::size_t size, SectionKind kind) {
  return {pos, size, kElfBase + pos, size, kind};
}

TEST(FindImages, ElfBySections) {
  const Bytes file = craft_elf();
  const std::vector<Image> images = find_images(file);
  ASSERT_EQ(1u, images.size());
  EXPECT_EQ(ImageFormat::kElf, images[0].format);
  EXPECT_EQ(Machine::kX86_64, images[0].machine);
  EXPECT_TRUE(images[0].bits64);
  EXPECT_EQ(file.size(), images[0].size_bytes);
  EXPECT_EQ(0u, images[0].base_address);
  const Sections expected = {elf_section(0, 232, kData), elf_section(kElfText, 0x100, kCode),
                             elf_section(kElfRela, 48, kData), elf_section(kElfDynamic, 0x30, kData),
                             elf_section(kElfFrameHeader, 20, kData), elf_section(kElfFrames, 48, kData),
                             elf_section(kElfExceptions, 15, kData), elf_section(kElfData, 0x40, kData),
                             {0, 0, kElfBss, 0x80, kUnbacked}};
  EXPECT_EQ(expected, images[0].sections);
}

TEST(FindImages, ElfBySegments) {
  const std::vector<Image> images = find_images(craft_elf_without_sections());
  ASSERT_EQ(1u, images.size());
  const Sections expected = {elf_section(0, kElfText, kData), elf_section(kElfText, 0x100, kCode),
                             {kElfRela, kElfSymbols - kElfRela, kElfBase + kElfRela, 0x200, kData}};
  EXPECT_EQ(expected, images[0].sections);
}

TEST(FindImages, Pe) {
  const Bytes file = craft_pe();
  const std::vector<Image> images = find_images(file);
  ASSERT_EQ(1u, images.size());
  EXPECT_EQ(ImageFormat::kPe, images[0].format);
  EXPECT_EQ(kPeBase, images[0].base_address);
  EXPECT_EQ(file.size(), images[0].size_bytes);
  const Sections expected = {{0, 0x1c0, kPeBase, 0x1c0, kData}, {0x200, 0x100, kPeBase + 0x1000, 0x100, kCode},
                             {0x300, 0x200, kPeBase + 0x2000, 0x200, kData},
                             {0x500, 0x80, kPeBase + 0x3000, 0x100, kData}};
  EXPECT_EQ(expected, images[0].sections);
}

TEST(FindImages, Macho) {
  const Bytes file = craft_macho();
  const std::vector<Image> images = find_images(file);
  ASSERT_EQ(1u, images.size());
  EXPECT_EQ(ImageFormat::kMachO, images[0].format);
  EXPECT_EQ(Machine::kArm64, images[0].machine);
  EXPECT_EQ(kMachoBase, images[0].base_address);
  const Sections expected = {{0, 0x278, kMachoBase, 0x278, kData},
                             {kMachoCode, 0x100, kMachoBase + kMachoCode, 0x100, kCode},
                             {kMachoUnwind, 0x100, kMachoBase + kMachoUnwind, 0x100, kData},
                             {kMachoData, 0x100, kMachoBase + 0x4000 + kMachoData, 0x100, kData}};
  EXPECT_EQ(expected, images[0].sections);
}

TEST(FindImages, Toy) {
  const Bytes file = craft_toy();
  const std::vector<Image> images = find_images(file);
  ASSERT_EQ(1u, images.size());
  EXPECT_EQ(Machine::kToy, images[0].machine);
  const std::size_t head = file.size() - 32;
  const Sections expected = {{head, 16, 0x1000, 16, kCode}, {head + 16, 16, 0x2000, 16, kData},
                             {0, 0, 0x3000, 0x20, kUnbacked}};
  EXPECT_EQ(expected, images[0].sections);
}

TEST(FindImages, AnyOffset) {
  const Bytes images[] = {craft_elf(), craft_pe(), craft_macho(), craft_toy()};
  for (const Bytes& image : images) {
    const std::vector<Image> alone = find_images(image);
    for (const std::size_t offset : {1u, 2u, 511u, 512u, 513u, 1023u, 5000u}) {
      // Zeros, as random bytes may begin with a magic.
      const Bytes file = joined({Bytes(offset, 0), image, Bytes(700, 0)});
      const std::vector<Image> found = find_images(file);
      ASSERT_EQ(1u, found.size()) << offset;
      EXPECT_EQ(offset, found[0].file_pos);
      EXPECT_EQ(alone[0].size_bytes, found[0].size_bytes);
      ASSERT_EQ(alone[0].sections.size(), found[0].sections.size());
      for (std::size_t i = 0; i < found[0].sections.size(); ++i) {
        Section moved = alone[0].sections[i];
        if (moved.size_bytes != 0) moved.file_pos += offset;
        EXPECT_EQ(moved, found[0].sections[i]);
      }
    }
  }
}

TEST(FindImages, ManyUpToALimit) {
  Bytes file;
  for (int i = 0; i < 100; ++i) {
    append(file, craft_elf());
    append(file, wordy_bytes(static_cast<std::size_t>(i), 5));
    append(file, craft_pe());
    append(file, craft_toy());
  }
  EXPECT_EQ(300u, find_images(file).size());
  EXPECT_EQ(7u, find_images(file, {7, 4096}).size());
  file.resize(file.size() / 4);
  EXPECT_EQ(75u, find_images(file).size());
}

TEST(FindImages, InsideAnotherIsIgnored) {
  Bytes file = craft_elf();
  const Bytes toy = craft_toy();
  std::copy(toy.begin(), toy.end(), file.begin() + kElfText);
  EXPECT_EQ(1u, find_images(file).size());
}

TEST(FindImages, RefusesWhatIsNotConsistent) {
  const auto count_with = [](Bytes file, std::size_t pos, unsigned value) {
    file[pos] = static_cast<std::uint8_t>(value);
    return find_images(file).size();
  };
  EXPECT_EQ(0u, count_with(craft_elf(), 5, 2)) << "big endian";
  EXPECT_EQ(0u, count_with(craft_elf(), 4, 3)) << "neither 32 nor 64 bit";
  EXPECT_EQ(0u, count_with(craft_elf(), 16, 1)) << "an object file";
  EXPECT_EQ(0u, count_with(craft_pe(), 0x40, 'X')) << "no signature";
  EXPECT_EQ(0u, count_with(craft_pe(), 0x58, 0)) << "neither PE32 nor PE32+";
  EXPECT_EQ(0u, count_with(craft_macho(), 12, 1)) << "an object file";
  EXPECT_EQ(0u, count_with(craft_macho(), 36, 7)) << "a command shorter than its head";
  EXPECT_EQ(0u, count_with(craft_toy(), 12, 'x')) << "a line of no kind";
  EXPECT_TRUE(find_images({}).empty());
}

TEST(FindImages, SectionsThatOverlapOrLieOutsideAreDropped) {
  std::vector<Section> sections = {
      {100, 50, 0x1000, 50, kCode},
      {140, 10, 0x2000, 10, kData},               // overlaps the first in the file
      {200, 10, 0x1020, 10, kData},               // overlaps the first in memory
      {300, 701, 0x3000, 701, kData},             // outside of the file
      {50, 10, 0x4000, 10, kData},                // before the image
      {400, 10, ~std::uint64_t{0} - 4, 10, kData},  // wraps around
      {500, 20, 0x5000, 10, kData},               // more in the file than in memory
      {600, 0, 0x6000, 10, kData},                // empty
      {0, 0, 0x900, 0x10, kUnbacked},
      {700, 10, 0x100, 10, kData},
  };
  settle_sections(sections, 60, 1000);
  const Sections expected = {{100, 50, 0x1000, 50, kCode}, {700, 10, 0x100, 10, kData}, {0, 0, 0x900, 0x10, kUnbacked}};
  EXPECT_EQ(expected, sections);
}

}  // namespace
}  // namespace exe_image_test
}  // namespace bdelta::exe
