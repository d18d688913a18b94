// Places of images: they come back, and are nothing but such that ascend in the source; what stands there is what a
// search has found, whatever follows it.
#include "exe/image_extents.hpp"

#include "base/varint.hpp"
#include "support/exe_craft.hpp"
#include "support/exe_craft_more.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::exe_image_extents_test {
namespace {

using namespace exe;

constexpr std::uint64_t kFar = std::uint64_t{1} << 40;

Image image_at(std::uint64_t pos, std::uint64_t size_bytes, ImageFormat format) {
  Image image;
  image.file_pos = pos;
  image.size_bytes = size_bytes;
  image.format = format;
  return image;
}

Bytes places_of(const std::vector<Image>& images) {
  Bytes bytes;
  append_image_extents(bytes, images);
  return bytes;
}

// One program behind the other.
Bytes archive(std::size_t count) {
  Bytes file;
  for (std::size_t i = 0; i < count; ++i) append(file, craft_toy());
  return file;
}

TEST(ImageExtents, AreAsSpecified) {
  EXPECT_EQ((Bytes{2, 5, 4 * 20 + 1, 0, 4 * 3 + 2}),
            places_of({image_at(5, 20, ImageFormat::kPe), image_at(25, 3, ImageFormat::kMachO)}));
}

TEST(ImageExtents, ComeBack) {
  std::vector<Image> many;
  for (std::uint64_t i = 0; i < 5000; ++i) many.push_back(image_at(i * 1000, 1 + i % 1000, static_cast<ImageFormat>(i % 4)));
  const std::vector<Image> few = {image_at(0, 1, ImageFormat::kElf), image_at(kFar - 7, 7, ImageFormat::kToy)};
  for (const std::vector<Image>& images : {std::vector<Image>{}, few, many}) {
    Bytes bytes = places_of(images);
    const std::size_t size_bytes = bytes.size();
    bytes.push_back(0x80);  // what follows is not looked at
    const auto places = parse_image_extents(bytes, kFar, images.size());
    ASSERT_OK(places);
    EXPECT_EQ(size_bytes, places->size_bytes);
    ASSERT_EQ(images.size(), places->all.size());
    for (std::size_t i = 0; i < images.size(); ++i) {
      EXPECT_EQ(images[i].file_pos, places->all[i].pos);
      EXPECT_EQ(images[i].size_bytes, places->all[i].size_bytes);
      EXPECT_EQ(images[i].format, places->all[i].format);
    }
  }
}

TEST(ImageExtents, RefusesWhatIsCutOrOutsideOfTheSource) {
  const Bytes bytes = places_of({image_at(300, 4000, ImageFormat::kElf), image_at(9000, 1000, ImageFormat::kElf)});
  EXPECT_OK(parse_image_extents(bytes, 10'000, 2));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_extents(bytes, 9'999, 2));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_extents(bytes, 8'000, 2));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_extents(bytes, 10'000, 1));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_extents(ByteSpan(bytes).first(size), 10'000, 2));
  }
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_extents(Bytes{1, 5, 2}, 10'000, 2));  // empty
  for (const std::uint64_t gap : {~std::uint64_t{0}, ~std::uint64_t{0} - 999}) {
    Bytes far{1};
    append_varint(far, gap);
    append_varint(far, 4 * 1000);
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_extents(far, 10'000, 2));
  }
}

TEST(ParseImage, GivesWhatASearchHasFound) {
  Bytes file = archive(3);
  append(file, craft_elf());
  append(file, craft_pe());
  append(file, craft_macho());
  append(file, random_bytes(5000, 1));
  const std::vector<Image> all = find_images(file);
  ASSERT_EQ(6u, all.size());
  for (const Image& found : all) {
    const ImageExtent place{found.file_pos, found.size_bytes, found.format};
    const std::optional<Image> image = parse_image(file, place);
    ASSERT_TRUE(image);
    EXPECT_EQ(found.sections, image->sections);
    EXPECT_EQ(found.base_address, image->base_address);
    EXPECT_FALSE(parse_image(file, {place.pos, place.size_bytes - 1, place.format}));
    EXPECT_FALSE(parse_image(file, {place.pos, place.size_bytes + 1, place.format}));
    EXPECT_FALSE(parse_image(file, {place.pos + 1, place.size_bytes - 1, place.format}));
  }
}

TEST(FindImages, FindsAllThereAre) { EXPECT_EQ(5000u, find_images(archive(5000)).size()); }

TEST(FindImages, EndsOnceTheyHaveSoManySections) {
  const Bytes file = archive(30);
  const std::size_t each = find_images(file)[0].sections.size();
  EXPECT_EQ(10u, find_images(file, {255, 4096, 10 * each}).size());
  EXPECT_EQ(11u, find_images(file, {255, 4096, 10 * each + 1}).size());
}

}  // namespace
}  // namespace bdelta::test::exe_image_extents_test
