// Patches that allow tokens of OLD's streams which are not NEW's: the stream is another one then, and that is told.
#include "deflate/zlib_stream.hpp"
#include "hostile/view_lies.hpp"
#include "view/deflate/recipe_reader.hpp"
#include "view/deflate/recipe_writer.hpp"

namespace bdelta::test::hostile_views_test {
namespace {

// The same text in OLD and NEW, but for a few bytes.
struct LentPair {
  Bytes old_text = wordy_bytes(700'000, 1);
  Bytes new_text = edited(old_text, {{Edit::kOverwrite, 100'000, 9, 0, 2}});
  std::uint64_t packed_bytes = 0;

  // As of code_everywhere, with that bit.
  ErrorCode code_of(int old_level, int new_level, bool lends) {
    const Bytes source = gzip_of(old_text, old_level), target = gzip_of(new_text, new_level);
    const auto patch = make_patch(source, target, create_options(3));
    EXPECT_OK(patch);
    packed_bytes = zlib_deflate(new_text, {.level = new_level}).size();
    const SplitPatch split = split_patch(*patch);
    std::vector<CraftedRecord> records = records_of(split.body);
    for (CraftedRecord& record : records) {
      if (record.tag != native::RecordTag::kView) continue;
      ViewFields fields(view_plan_of(*patch));
      fields.recipe = recipe_that(fields.recipe, lends);
      record.body = fields.body();
    }
    return code_everywhere(source, with_header(split.header, joined(records)), target);
  }

  Bytes recipe_that(ByteSpan recipe, bool lends) const {
    const deflate::StreamSizes sizes{new_text.size(), packed_bytes};
    auto reader = deflate::RecipeReader::open(recipe);
    EXPECT_OK(reader);
    auto stream = reader->next(sizes);
    EXPECT_OK(stream);
    stream->lends = lends;
    deflate::RecipeWriter writer;
    EXPECT_TRUE(writer.add(*stream, sizes));
    return writer.finish();
  }
};

TEST(HostileLending, OfAnotherEncodersTokens) {
  LentPair pair;
  EXPECT_EQ(ErrorCode::kInternal, pair.code_of(4, 6, false));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, pair.code_of(4, 6, true));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, pair.code_of(1, 6, true));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, pair.code_of(4, 9, true));
}

// What makes NEW faster may be left out.
TEST(HostileLending, AReaderMayDoWithout) {
  LentPair pair;
  EXPECT_EQ(ErrorCode::kInternal, pair.code_of(6, 6, true));
  EXPECT_EQ(ErrorCode::kInternal, pair.code_of(6, 6, false));
}

}  // namespace
}  // namespace bdelta::test::hostile_views_test
