// Streams of NEW that go on like one of OLD's take its tokens, if these are what NEW has; NEW comes back the same whichever way.
#include "base/deciding/prices.hpp"
#include "deflate/zlib_stream.hpp"
#include "property/view_pairs.hpp"
#include "view/deflate/recipe_reader.hpp"

namespace bdelta::test::lent_tokens_test {
namespace {

using namespace view_pairs;

// Edits that are far apart.
Bytes few_edits(const Bytes& text, std::uint64_t seed) {
  const std::size_t size = text.size();
  return edited(text, {{Edit::kOverwrite, size / 5, 3, 0, seed}, {Edit::kInsert, size / 2, 40, 0, seed + 1}, {Edit::kDelete, size * 3 / 4, 25, 0, 0}});
}

// Of the only stream that NEW has.
bool lends(ByteSpan patch, std::uint64_t raw_bytes, std::uint64_t packed_bytes) {
  const view::ViewPlan plan = view_plan_of(patch);
  auto reader = deflate::RecipeReader::open(plan.recipe);
  EXPECT_OK(reader);
  const auto recipe = reader->next({raw_bytes, packed_bytes});
  EXPECT_OK(recipe);
  return recipe && recipe->lends;
}

Bytes gzip_by(const Bytes& text, const ZlibSettings& options) { return gzip_with(text, zlib_deflate(text, options)); }

void expect_lent(const Bytes& source, const Bytes& text, const ZlibSettings& options, bool lent) {
  const Bytes target = gzip_by(text, options);
  const Bytes patch = expect_unpacked(source, target);
  EXPECT_EQ(lent, lends(patch, text.size(), zlib_deflate(text, options).size()));
}

TEST(LentTokens, WhereOldHasTheSameEncoder) {
  const Bytes text = wordy_bytes(900'000, 1);
  for (const ZlibSettings& options : {ZlibSettings{.level = 4}, ZlibSettings{.level = 6}, ZlibSettings{.level = 9}}) {
    expect_lent(gzip_by(text, options), few_edits(text, 2), options, true);
  }
}

TEST(LentTokens, OfALargeStream) {
  const Bytes text = wordy_bytes(6'000'000, 3);
  expect_lent(gzip_by(text, {}), few_edits(text, 4), {}, true);
}

// These say no tokens, and where they begin and end is not alike in OLD and NEW.
TEST(LentTokens, WhereBlocksAreStored) {
  for (std::uint64_t seed = 20; seed < 26; ++seed) {
    Bytes text = wordy_bytes(300'000, seed);
    append(text, random_bytes(150'000, seed));
    append(text, wordy_bytes(200'000, seed + 1));
    append(text, random_bytes(30'000, seed));
    append(text, wordy_bytes(200'000, seed + 2));
    expect_lent(gzip_by(text, {}), edited(text, {{Edit::kInsert, 7'000, 2'000 + 3'000 * (seed % 3), 0, seed}, {Edit::kDelete, 500'000, 700, 0, 0}}), {}, true);
  }
}

TEST(LentTokens, NotWhereOldHasAnother) {
  const Bytes text = wordy_bytes(900'000, 5);
  expect_lent(gzip_by(text, {.level = 4}), few_edits(text, 6), {.level = 6}, false);
  expect_lent(gzip_by(text, {.level = 1}), few_edits(text, 6), {.level = 6}, false);
}

TEST(LentTokens, NotWhereNothingLongIsCopied) {
  const Bytes text = wordy_bytes(200'000, 7);
  Bytes changed_often = text;
  for (std::size_t at = 0; at < changed_often.size(); at += 20'000) changed_often[at] ^= 1;
  expect_lent(gzip_by(text, {}), changed_often, {}, false);
}

TEST(LentTokens, NotByAnEncoderThatSkipsPositions) {
  const Bytes text = wordy_bytes(900'000, 8);
  expect_lent(gzip_by(text, {.level = 1}), few_edits(text, 9), {.level = 1}, false);
}

// Texts that change places, of which some are made from another's.
TEST(LentTokens, InArchives) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 6; ++i) members.push_back({"file" + std::to_string(i), wordy_bytes(150'000 + 50'000 * i, i)});
  std::vector<ZipMember> next = members;
  for (unsigned i = 0; i < 6; ++i) next[i].content = few_edits(members[(i * 5) % 6].content, i);
  next[2].level = 9;
  next[3].level = 2;
  const Bytes source = zip_of(members), target = zip_of(next);
  expect_unpacked(source, target);
}

// With what takes longer, the nominal time is longer.
TEST(LentTokens, TheNominalTimeCountsThem) {
  const Bytes text = wordy_bytes(900'000, 10), new_text = few_edits(text, 11);
  const auto nominal_ns = [&](const ZlibSettings& of_old) {
    const Bytes source = gzip_by(text, of_old), target = gzip_by(new_text, {});
    const auto patch = make_reported(source, target, create_options(3));
    EXPECT_OK(patch);
    return patch ? patch->report.nominal_apply_ns : 0;
  };
  EXPECT_LT(2 * nominal_ns({}), nominal_ns({.level = 4}));
}

// OLD's streams are unpacked, each view is made, and NEW's streams are packed again.
TEST(LentTokens, TheNominalTimeCountsViews) {
  const Bytes text = wordy_bytes(900'000, 12), new_text = few_edits(text, 13);
  const ZlibSettings literals = {.strategy = Z_HUFFMAN_ONLY};
  const auto patch = make_reported(gzip_by(text, literals), gzip_by(new_text, literals), create_options(3));
  ASSERT_OK(patch);
  const std::uint64_t views_ns = text.size() / 1024 * (kViewKiBNs + kTargetKiBNs);
  EXPECT_LE(views_ns + text.size() * (kUnpackNs + kUnsearchedByteNs), patch->report.nominal_apply_ns);
}

}  // namespace
}  // namespace bdelta::test::lent_tokens_test
