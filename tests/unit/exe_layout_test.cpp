// Which addresses lie at which places of a file, asked by one thread and by several.
#include "exe/layout.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "exe/image.hpp"

namespace bdelta::exe::exe_layout_test {
namespace {

constexpr SectionKind kCode = SectionKind::kCode;
constexpr SectionKind kData = SectionKind::kData;
constexpr SectionKind kUnbacked = SectionKind::kUnbacked;

TEST(ImageLayoutTest, FindsBothWays) {
  Image image;
  image.sections = {{100, 50, 0x1000, 80, kCode}, {200, 10, 0x100, 10, kData}, {0, 0, 0x3000, 16, kUnbacked}};
  const ImageLayout layout(image);
  std::uint64_t value = 0;
  EXPECT_TRUE(layout.file_pos_of(0x1031, value));
  EXPECT_EQ(149u, value);
  EXPECT_FALSE(layout.file_pos_of(0x1032, value)) << "in memory only";
  EXPECT_FALSE(layout.file_pos_of(0x3000, value));
  EXPECT_TRUE(layout.address_of(209, value));
  EXPECT_EQ(0x109u, value);
  EXPECT_FALSE(layout.address_of(210, value));
  EXPECT_FALSE(layout.address_of(99, value));
  EXPECT_TRUE(layout.is_mapped(0x1050)) << "one past";
  EXPECT_FALSE(layout.is_mapped(0x1051));
  EXPECT_FALSE(layout.is_mapped(0xff));
  EXPECT_EQ(nullptr, layout.section_of(0x300f + 1));
  EXPECT_EQ(0x100u, layout.low());
  EXPECT_EQ(0x3010u, layout.high());
}

TEST(ImageLayoutTest, OfNoSectionsKnowsNoPlace) {
  const ImageLayout layout{Image()};
  std::uint64_t value = 0;
  for (const std::uint64_t at : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_EQ(nullptr, layout.section_of(at));
    EXPECT_FALSE(layout.is_mapped(at)) << at;
    EXPECT_FALSE(layout.address_of(at, value));
    EXPECT_FALSE(layout.file_pos_of(at, value));
  }
  EXPECT_EQ(0u, layout.low());
  EXPECT_EQ(0u, layout.high());
}

// What one thread asked last must not change what another one finds.
TEST(ImageLayoutTest, AnswersSeveralThreadsAlike) {
  constexpr std::uint64_t kSections = 64;
  constexpr std::uint64_t kSectionBytes = 16;
  constexpr std::uint64_t kGap = 0x1000;
  Image image;
  for (std::uint64_t i = 0; i < kSections; ++i) {
    image.sections.push_back({i * kSectionBytes, kSectionBytes, kGap * (i + 1), kSectionBytes, kData});
  }
  const ImageLayout layout(image);
  std::atomic<std::uint64_t> wrong_count = 0;
  const auto ask = [&](std::uint64_t stride) {
    for (std::uint64_t i = 0; i < 200'000; ++i) {
      const std::uint64_t pos = i * stride % (kSections * kSectionBytes);
      const std::uint64_t expected = kGap * (pos / kSectionBytes + 1) + pos % kSectionBytes;
      std::uint64_t address = 0;
      std::uint64_t back = 0;
      if (!layout.address_of(pos, address) || address != expected) ++wrong_count;
      if (!layout.file_pos_of(expected, back) || back != pos) ++wrong_count;
    }
  };
  std::vector<std::thread> threads;
  for (const std::uint64_t stride : {1u, 7u, 17u, 331u}) threads.emplace_back(ask, stride);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0u, wrong_count);
}

}  // namespace
}  // namespace bdelta::exe::exe_layout_test
