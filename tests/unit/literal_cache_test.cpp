// Literals that were compressed before: what is known of them, and that knowing changes nothing.
#include "format/native/literal_cache.hpp"

#include "support/craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test::literal_cache_test {
namespace {

constexpr CodecSettings kLzma{CodecId::kLzma, 6, 0};

// All literals.
std::vector<GroupDraft> drafts_of(const Bytes& target) {
  std::vector<GroupDraft> drafts;
  drafts.push_back(encode_group(ByteSpan(), target, {}, {{0, target.size(), false, 0}}, 1 << 20));
  return drafts;
}

GroupDraft draft_with_literals(std::size_t size, std::uint64_t seed) {
  GroupDraft draft;
  draft.streams[kLiterals] = wordy_bytes(size, seed);
  return draft;
}

TEST(LiteralCache, KnowsWhatWasKeptAndWhatStoodInTheSameBatch) {
  std::vector<GroupDraft> drafts;
  for (const std::uint64_t seed : {1u, 2u, 1u}) drafts.push_back(draft_with_literals(100'000, seed));
  drafts.push_back(draft_with_literals(1000, 3));
  native::CodedStream coded;
  coded.frames.push_back(wordy_bytes(50, 4));
  native::LiteralCache cache;
  cache.begin(drafts);
  EXPECT_FALSE(cache.knows(0));
  EXPECT_FALSE(cache.knows(1));
  EXPECT_TRUE(cache.knows(2));
  EXPECT_FALSE(cache.knows(3)) << "is compressed in no time";
  cache.keep(0, coded);
  cache.keep(3, coded);
  EXPECT_EQ(coded.frames, cache.get(2).frames);
  drafts.resize(2);
  cache.begin({drafts[0]});
  ASSERT_TRUE(cache.knows(0));
  EXPECT_EQ(coded.frames, cache.get(0).frames);
  for (int batch = 0; batch < 9; ++batch) cache.begin({});
  cache.begin({drafts[0]});
  EXPECT_TRUE(cache.knows(0)) << "others have had no long literals meanwhile";
  for (const std::uint64_t seed : {5u, 6u, 7u}) cache.begin({draft_with_literals(100'000, seed)});
  cache.begin(drafts);
  EXPECT_FALSE(cache.knows(0)) << "nobody has asked for it for a while";
}

TEST(LiteralCache, HoldsNoMoreThanItsShare) {
  std::vector<GroupDraft> drafts(3);
  drafts[0].streams[kLiterals].assign(std::size_t{40} << 20, 1);
  drafts[1].streams[kLiterals].assign(std::size_t{40} << 20, 2);
  drafts[2].streams[kLiterals].assign(std::size_t{20} << 20, 3);
  native::LiteralCache cache;
  cache.begin(drafts);
  for (const std::size_t g : {0u, 1u, 2u}) cache.keep(g, {});
  cache.begin(drafts);
  EXPECT_TRUE(cache.knows(0));
  EXPECT_FALSE(cache.knows(1)) << "there was no room for it";
  EXPECT_TRUE(cache.knows(2));
}

// Literals that are known make the same group, and a limit counts them.
TEST(LiteralCache, ChangesNoGroup) {
  const Bytes target = wordy_bytes(300'000, 1);
  WorkerPool pool(2);
  const auto code = [&](native::Writer& writer) {
    const auto coded = writer.code_groups(drafts_of(target), {});
    EXPECT_OK(coded);
    return coded->choices.front().group.body;
  };
  io::Spool body, other_body, limited_body;
  native::Writer writer({kLzma, kLzma, kLzma}, body, pool);
  native::Writer other({kLzma, kLzma, kLzma}, other_body, pool);
  const Bytes first = code(writer);
  EXPECT_EQ(first, code(writer));
  EXPECT_EQ(first, code(other));
  native::WriterSettings settings{kLzma, kLzma, kLzma};
  settings.limit_bytes = first.size() / 2;
  native::Writer limited(settings, limited_body, pool);
  EXPECT_EQ(first, code(limited)) << "nothing is written yet";
  std::vector<GroupDraft> drafts = drafts_of(target);
  EXPECT_FAILS(ErrorCode::kPatchTooLarge, limited.add_groups(drafts));
}

}  // namespace
}  // namespace bdelta::test::literal_cache_test
