// Of many images those that changed are chosen, with what they are made of, and whatever the source has besides.
#include "create/changed_images.hpp"

#include <algorithm>

#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::changed_images_test {
namespace {

constexpr std::uint64_t kImageBytes = 10'000;

// Images of equal size one behind the other, each of one section.
std::vector<exe::Image> row_of_images(std::size_t count) {
  std::vector<exe::Image> images;
  for (std::size_t i = 0; i < count; ++i) {
    exe::Image& image = images.emplace_back();
    image.file_pos = i * kImageBytes;
    image.size_bytes = kImageBytes;
    image.sections.push_back({image.file_pos, kImageBytes, 0x1000, kImageBytes, exe::SectionKind::kCode});
  }
  return images;
}

void change(Bytes& file, std::size_t image, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) file[image * kImageBytes + 3 * i] ^= 0x55;
}

std::vector<std::uint64_t> places(const std::vector<exe::Image>& images) {
  std::vector<std::uint64_t> numbers;
  for (const exe::Image& image : images) numbers.push_back(image.file_pos / kImageBytes);
  return numbers;
}

TEST(ChangedImages, ThoseThatHardlyChangedAreLeftOut) {
  WorkerPool pool(1);
  const Bytes source = random_bytes(6 * kImageBytes, 1);
  Bytes target = source;
  change(target, 1, 10);
  change(target, 2, 1000);
  change(target, 4, 2000);
  const ImagePair pair =
      changed_images(source, row_of_images(6), target, row_of_images(6), {{0, 0, source.size()}}, pool);
  EXPECT_EQ((std::vector<std::uint64_t>{2, 4}), places(pair.source));
  EXPECT_EQ((std::vector<std::uint64_t>{2, 4}), places(pair.target));
}

// Of a large image many bytes may have changed, and yet few.
TEST(ChangedImages, WhatIsFewGoesWithTheSize) {
  WorkerPool pool(1);
  const std::size_t large_bytes = 2'000'000;
  const Bytes source = random_bytes(2 * large_bytes, 2);
  for (const std::size_t count : {500u, 20'000u}) {
    Bytes target = source;
    for (std::size_t i = 0; i < count; ++i) target[i] ^= 1;
    std::vector<exe::Image> images = row_of_images(2);
    for (std::size_t i = 0; i < 2; ++i) {
      images[i].file_pos = i * large_bytes;
      images[i].size_bytes = large_bytes;
    }
    const ImagePair pair = changed_images(source, images, target, images, {{0, 0, source.size()}}, pool);
    EXPECT_EQ(count == 500 ? 0u : 1u, pair.target.size());
  }
}

// The second of NEW is made of the third of OLD; the first of both are the same, and the second of OLD is gone.
TEST(ChangedImages, TheSourceIsWhereCoversLead) {
  WorkerPool pool(1);
  const Bytes source = random_bytes(3 * kImageBytes, 3);
  Bytes target(source.begin(), source.begin() + kImageBytes);
  append(target, ByteSpan(source).subspan(2 * kImageBytes));
  change(target, 1, 900);
  const Covers covers = {{0, 0, kImageBytes}, {2 * kImageBytes, kImageBytes, kImageBytes}};
  const ImagePair pair = changed_images(source, row_of_images(3), target, row_of_images(2), covers, pool);
  EXPECT_EQ((std::vector<std::uint64_t>{1}), places(pair.target));
  EXPECT_EQ((std::vector<std::uint64_t>{1, 2}), places(pair.source)) << "what is gone may be part of what is new";
}

// One image that both a nearly equal and a changed one are made of stays.
TEST(ChangedImages, AnOriginOfAChangedOneStays) {
  WorkerPool pool(1);
  const Bytes source = random_bytes(kImageBytes, 4);
  Bytes target = source;
  append(target, source);
  change(target, 1, 900);
  const Covers covers = {{0, 0, kImageBytes}, {0, kImageBytes, kImageBytes}};
  const ImagePair pair = changed_images(source, row_of_images(1), target, row_of_images(2), covers, pool);
  EXPECT_EQ((std::vector<std::uint64_t>{1}), places(pair.target));
  EXPECT_EQ((std::vector<std::uint64_t>{0}), places(pair.source));
}

TEST(ChangedImages, NewOnesCount) {
  WorkerPool pool(1);
  const Bytes source = random_bytes(2 * kImageBytes, 5);
  Bytes target = source;
  append(target, random_bytes(kImageBytes, 6));
  const ImagePair pair =
      changed_images(source, row_of_images(2), target, row_of_images(3), {{0, 0, source.size()}}, pool);
  EXPECT_EQ((std::vector<std::uint64_t>{2}), places(pair.target));
  EXPECT_TRUE(pair.source.empty());
}

TEST(ChangedImages, AreAsManyAsChanged) {
  WorkerPool pool(1);
  constexpr std::size_t kCount = 300;
  const Bytes source = random_bytes(kCount * kImageBytes, 7);
  Bytes target = source;
  for (std::size_t i = 0; i < kCount; ++i) change(target, i, i < 20 ? 10 : 200);
  const ImagePair pair =
      changed_images(source, row_of_images(kCount), target, row_of_images(kCount), {{0, 0, source.size()}}, pool);
  EXPECT_EQ(kCount - 20, pair.target.size());
  EXPECT_EQ(20u, places(pair.target).front());
  EXPECT_EQ(places(pair.target), places(pair.source));
}

// A single program is judged as the file is, elsewhere.
TEST(ChangedImages, OneOfEachStays) {
  WorkerPool pool(1);
  const Bytes source = random_bytes(kImageBytes, 8);
  const ImagePair pair = changed_images(source, row_of_images(1), source, row_of_images(1), {{0, 0, source.size()}}, pool);
  EXPECT_EQ(1u, pair.source.size());
  EXPECT_EQ(1u, pair.target.size());
}

}  // namespace
}  // namespace bdelta::test::changed_images_test
