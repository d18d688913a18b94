// The choice of images: comes back, and takes nothing but numbers that ascend within the limit; the images of these numbers
// are those that a search for all of them gives.
#include "exe/image_choice.hpp"

#include <numeric>

#include "base/varint.hpp"

#include "exe/images.hpp"
#include "support/exe_craft.hpp"
#include "support/exe_craft_more.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::exe_image_choice_test {
namespace {

using namespace exe;
using Numbers = std::vector<std::uint32_t>;

Bytes choice_of(const Numbers& numbers) {
  Bytes bytes;
  append_image_choice(bytes, numbers);
  return bytes;
}

// One program behind the other.
Bytes archive(std::size_t count) {
  Bytes file;
  for (std::size_t i = 0; i < count; ++i) append(file, craft_toy());
  return file;
}

TEST(ImageChoice, IsAsSpecified) { EXPECT_EQ((Bytes{3, 2, 0, 5}), choice_of({2, 3, 9})); }

TEST(ImageChoice, ComesBack) {
  Numbers many(255);
  std::iota(many.begin(), many.end(), 3840u);
  for (const Numbers& numbers : {Numbers{}, Numbers{0}, Numbers{4094}, Numbers{0, 1, 4094}, Numbers{7, 300}, many}) {
    Bytes bytes = choice_of(numbers);
    const std::size_t size_bytes = bytes.size();
    bytes.push_back(0x80);  // what follows is not looked at
    const auto choice = parse_image_choice(bytes);
    ASSERT_OK(choice);
    EXPECT_EQ(numbers, choice->numbers);
    EXPECT_EQ(size_bytes, choice->size_bytes);
  }
}

TEST(ImageChoice, RefusesWhatIsCutOrBeyondALimit) {
  const Bytes bytes = choice_of({5, 300, 4000});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_choice(ByteSpan(bytes).first(size)));
  }
  Numbers too_many(256);
  std::iota(too_many.begin(), too_many.end(), 0u);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_choice(choice_of(too_many)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_choice(choice_of({4095})));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_choice(choice_of({4094, 4095})));
  Bytes far{2, 0};
  append_varint(far, ~std::uint64_t{0});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, parse_image_choice(far));
}

TEST(NumberedImages, AreThoseOfAllImages) {
  const Bytes file = archive(700);
  const std::vector<Image> all = find_images(file, {kMostNumberedImages, 4096});
  ASSERT_EQ(700u, all.size());
  const Numbers numbers{0, 1, 254, 255, 256, 699};
  const std::vector<Image> some = find_numbered_images(file, numbers);
  ASSERT_EQ(numbers.size(), some.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    EXPECT_EQ(all[numbers[i]].file_pos, some[i].file_pos);
    EXPECT_EQ(all[numbers[i]].sections, some[i].sections);
  }
  EXPECT_EQ(1u, find_numbered_images(file, Numbers{698, 700}).size());
  EXPECT_TRUE(find_numbered_images(file, Numbers{}).empty());
  EXPECT_TRUE(find_numbered_images({}, Numbers{0}).empty());
}

TEST(NumberedImages, EndAtTheLimitOfNumbers) {
  const Bytes file = archive(kMostNumberedImages + 5);
  EXPECT_EQ(kMostNumberedImages, find_images(file, {kMostNumberedImages, 4096}).size());
  EXPECT_EQ(1u, find_numbered_images(file, Numbers{kMostNumberedImages - 1, kMostNumberedImages}).size());
}

TEST(FindImages, EndsOnceTheyHaveSoManySections) {
  const Bytes file = archive(30);
  const std::size_t each = find_images(file)[0].sections.size();
  EXPECT_EQ(10u, find_images(file, {255, 4096, 10 * each}).size());
  EXPECT_EQ(11u, find_images(file, {255, 4096, 10 * each + 1}).size());
}

}  // namespace
}  // namespace bdelta::test::exe_image_choice_test
