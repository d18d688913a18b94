// The table of images: comes back, is short, and takes nothing that is inconsistent.
#include "exe/image_table.hpp"

#include "base/varint.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::exe_image_table_test {
namespace {

using namespace exe;

constexpr std::uint64_t kFileSize = 1'000'000'000;
constexpr std::size_t kMostImages = 300;

// Sections as a linker lays them out: code, data, and memory without bytes.
Image linked_image(std::uint64_t file_pos, std::size_t section_count, std::uint64_t seed) {
  Random random(seed);
  Image image;
  image.machine = Machine::kX86_64;
  image.file_pos = file_pos;
  std::uint64_t pos = file_pos + 64;
  for (std::size_t i = 0; i < section_count; ++i) {
    const std::uint64_t size = random.between(1, 100'000);
    pos += random.below(64);
    image.sections.push_back({pos, size, 0x400000 + (pos - file_pos) + 0x1000 * i, size,
                              i < section_count / 2 ? SectionKind::kCode : SectionKind::kData});
    pos += size;
  }
  image.sections.push_back({0, 0, 0x400000 + (pos - file_pos) + 0x1000 * section_count, 5000, SectionKind::kUnbacked});
  image.size_bytes = pos - file_pos + 100;
  return image;
}

bool same_image(const Image& a, const Image& b) {
  return a.format == b.format && a.machine == b.machine && a.bits64 == b.bits64 && a.file_pos == b.file_pos &&
         a.size_bytes == b.size_bytes && a.base_address == b.base_address && a.sections == b.sections;
}

// The size of the table, after checking that it comes back.
std::size_t table_bytes(const std::vector<Image>& source, const std::vector<Image>& target) {
  Bytes bytes;
  append_image_table(bytes, Images(source), Images(target));
  const auto found = parse_image_table(bytes, Images(source), kFileSize, kMostImages);
  EXPECT_OK(found);
  if (!found) return bytes.size();
  EXPECT_EQ(target.size(), found->size());
  for (std::size_t i = 0; i < std::min(target.size(), found->size()); ++i) {
    EXPECT_TRUE(same_image(target[i], (*found)[i])) << i;
  }
  return bytes.size();
}

// A list of images one after the other.
std::vector<Image> archive(std::size_t count, std::uint64_t seed) {
  std::vector<Image> images;
  std::uint64_t pos = 512;
  for (std::size_t i = 0; i < count; ++i) {
    images.push_back(linked_image(pos, 5 + i % 7, seed + i));
    pos += images.back().size_bytes + 512 * (i % 3);
  }
  return images;
}

TEST(ImageTable, IsShortWhereLayoutsAreAlike) {
  const std::vector<Image> one = {linked_image(0, 30, 1)};
  EXPECT_EQ(2u, table_bytes(one, one));
  EXPECT_EQ(1u, table_bytes({}, {}));
  EXPECT_EQ(21u, table_bytes(archive(20, 2), archive(20, 2)));
  // One larger section, all behind it moved.
  std::vector<Image> grown = one;
  grown[0].size_bytes += 480;
  grown[0].sections[3].size_bytes += 480;
  grown[0].sections[3].memory_bytes += 480;
  for (std::size_t i = 4; i < grown[0].sections.size(); ++i) {
    if (grown[0].sections[i].kind != SectionKind::kUnbacked) grown[0].sections[i].file_pos += 480;
    grown[0].sections[i].address += 480;
  }
  EXPECT_LT(table_bytes(one, grown), 31 * 5 + 16u);
}

TEST(ImageTable, ComesBack) {
  Random random(3);
  for (std::uint64_t round = 0; round < 100; ++round) {
    std::vector<Image> source = archive(random.below(6), random.next());
    std::vector<Image> target = random.below(2) == 0 ? source : archive(random.below(6), random.next());
    if (!target.empty() && random.below(2) == 0) target.erase(target.begin());
    if (!target.empty()) {
      Image& image = target[random.below(target.size())];
      image.sections.erase(image.sections.begin() + static_cast<std::ptrdiff_t>(random.below(image.sections.size())));
      image.format = ImageFormat::kPe;
      image.base_address = random.next();
    }
    (void)table_bytes(source, target);
  }
  table_bytes({}, archive(kMostImages, 4));
}

TEST(ImageTable, RefusesWhatIsInconsistent) {
  const auto refuse = [](auto&& change) {
    std::vector<Image> source = archive(3, 5);
    std::vector<Image> target = source;
    change(target);
    Bytes bytes;
    append_image_table(bytes, Images(source), Images(target));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_table(bytes, Images(source), kFileSize, kMostImages));
  };
  refuse([](auto& images) { images[1].file_pos = images[0].file_pos; });
  refuse([](auto& images) { images[2].size_bytes = kFileSize; });
  refuse([](auto& images) { images[0].sections[0].size_bytes = kFileSize; });
  refuse([](auto& images) { images[0].sections[1].file_pos = images[0].sections[0].file_pos; });
  refuse([](auto& images) { images[0].sections[1].address = images[0].sections[0].address; });
  refuse([](auto& images) { images[0].sections[1].memory_bytes = ~std::uint64_t{0}; });
  refuse([](auto& images) { std::swap(images[0].sections[0], images[0].sections[1]); });
  refuse([](auto& images) { images[0].sections[2].memory_bytes = images[0].sections[2].size_bytes = 0; });
  refuse([](auto& images) { images = archive(kMostImages + 1, 6); });
}

TEST(ImageTable, DamageIsRefusedOrHarmless) {
  const Images source(archive(3, 7));
  Bytes bytes;
  append_image_table(bytes, source, Images(archive(4, 8)));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_table(ByteSpan(bytes).first(size), source, kFileSize, kMostImages));
  }
  Random random(9);
  for (int round = 0; round < 5000; ++round) {
    Bytes other = round % 2 == 0 ? bytes : random_bytes(random.below(60), random.next());
    if (round % 2 == 0) other[random.below(other.size())] = static_cast<std::uint8_t>(random.next());
    const auto found = parse_image_table(other, source, kFileSize, kMostImages);
    if (!found) {
      EXPECT_EQ(ErrorCode::kPatchCorrupt, found.error().code);
      continue;
    }
    std::uint64_t end = 0;
    for (const Image& image : *found) {
      EXPECT_GE(image.file_pos, end);
      end = image.file_pos + image.size_bytes;
      EXPECT_LE(end, kFileSize);
    }
  }
}

// A byte for each image says that it is that of OLD once more, one behind the other.
TEST(ImageTable, HasNoMoreSectionsThanCanBeHeld) {
  std::vector<Image> of_old(1);
  of_old[0].machine = Machine::kX86_64;
  of_old[0].size_bytes = 1000;
  for (std::uint64_t i = 0; i < 4096; ++i) of_old[0].sections.push_back({0, 0, 16 * i, 8, SectionKind::kUnbacked});
  const Images source(std::move(of_old));
  const auto parse = [&](std::size_t image_count) {
    Bytes bytes;
    append_varint(bytes, zigzag(static_cast<std::int64_t>(image_count) - 1));
    bytes.insert(bytes.end(), image_count, std::uint8_t{8});
    return parse_image_table(bytes, source, kFileSize, kMostImages);
  };
  EXPECT_OK(parse(65));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse(66));
}

}  // namespace
}  // namespace bdelta::test::exe_image_table_test
