// What covers leave to be told, and what that makes a miss and a literal cost.
#include "match/parse_costs.hpp"

#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::parse_costs_test {
namespace {

TEST(FitCosts, FrequentDifferencesAreCheap) {
  const Bytes source = random_bytes(64'000, 9);
  Bytes target = source;
  for (std::size_t i = 0; i < target.size(); i += 40) target[i] = static_cast<std::uint8_t>(target[i] + 16);
  const ParseCosts costs = fit_costs(cover_changes(source, target, {{0, 0, source.size()}}), {});
  EXPECT_LT(costs.value[16], costs.value[17]);
  EXPECT_LT(costs.mean_value, 0);
  EXPECT_EQ(ParseCosts().value, fit_costs(cover_changes(source, source, {{0, 0, source.size()}}), {}).value);
}

TEST(FitCosts, ChangedBytesAreFreeOnesAndMisses) {
  const Bytes source = random_bytes(10'000, 9);
  Bytes target = source;
  for (const std::size_t pos : {70u, 3'000u, 9'000u}) target[pos] ^= 1;  // the second one is free
  EXPECT_EQ(1'002u, cover_changes(source, target, {{0, 0, 2'500}, {3'500, 3'500, 6'500}}).changed_bytes());
}

Bytes repeated(const char* line, std::size_t count) {
  Bytes bytes;
  for (std::size_t i = 0; i < count; ++i) bytes.insert(bytes.end(), line, line + std::char_traits<char>::length(line));
  return bytes;
}

TEST(FreeBytes, LinesInAnyLanguageAreText) {
  EXPECT_TRUE(free_bytes(wordy_bytes(5'000, 1), {}).are_text());
  EXPECT_TRUE(free_bytes(repeated("\tprintf(\"%d\");\r\n", 400), {}).are_text());
  EXPECT_TRUE(free_bytes(repeated("\xd0\xb4\xd0\xb0 \xe2\x86\x92 \xe6\x98\xaf\n", 400), {}).are_text());
  EXPECT_FALSE(free_bytes(random_bytes(100'000, 1), {}).are_text());
  EXPECT_FALSE(free_bytes(wordy_bytes(100, 1), {}).are_text()) << "too few to tell";
  Bytes bytes = wordy_bytes(100'000, 1);
  for (std::size_t i = 0; i < bytes.size(); i += 1'000) bytes[i] = 0;
  EXPECT_TRUE(free_bytes(bytes, {}).are_text()) << "hardly any control characters";
}

TEST(FreeBytes, WhatIsCopiedDoesNotCount) {
  Bytes bytes = random_bytes(20'000, 2);
  append(bytes, wordy_bytes(20'000, 3));
  append(bytes, random_bytes(20'000, 4));
  const Covers covers = {{0, 0, 20'000}, {40'000, 40'000, 20'000}};
  const FreeBytes free = free_bytes(bytes, covers);
  EXPECT_EQ(20'000u, free.total);
  EXPECT_TRUE(free.are_text());
  EXPECT_FALSE(free_bytes(bytes, {}).are_text());
}

// Programs and archives of several MiB: a sample from all over them tells.
TEST(FreeBytes, OfManyASampleTells) {
  const std::size_t half = std::size_t{7} << 20;
  Bytes bytes = wordy_bytes(half, 5);
  EXPECT_TRUE(free_bytes(bytes, {}).are_text());
  append(bytes, random_bytes(half, 6));
  const FreeBytes free = free_bytes(bytes, {});
  EXPECT_EQ(2 * half, free.total);
  EXPECT_FALSE(free.are_text());
  std::uint64_t looked_at = 0;
  for (const std::uint64_t count : free.counts) looked_at += count;
  EXPECT_LT(looked_at, half);
  EXPECT_GT(looked_at, half / 100);
}

TEST(FreeBytes, RandomOnesAreDense) {
  EXPECT_TRUE(free_bytes(random_bytes(1'000'000, 7), {}).are_dense());
  EXPECT_FALSE(free_bytes(random_bytes(1'000, 7), {}).are_dense()) << "too few to tell";
  EXPECT_FALSE(free_bytes(wordy_bytes(1'000'000, 7), {}).are_dense());
}

}  // namespace
}  // namespace bdelta::test::parse_costs_test
