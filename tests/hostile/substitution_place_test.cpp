// The record of substitutions has one place in a patch.
#include "hash/sha256.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test::substitution_place_test {
namespace {

using native::RecordTag;

struct Patch {
  Bytes source;
  Bytes target;
  native::Header header;
  Bytes substitutions;
  Bytes rest;

  [[nodiscard]] Result<Bytes> apply(std::initializer_list<ByteSpan> records) const {
    Bytes body;
    for (const ByteSpan record : records) append(body, record);
    return apply_patch(source, with_header(header, body));
  }
};

std::size_t record_size(ByteSpan body) { return static_cast<std::size_t>(native::parse_record_head(body)->bytes()); }

Patch patch_with_substitutions(bool covers_apart) {
  Patch patch;
  patch.source = wordy_bytes(5000, 1);
  patch.target = patch.source;
  Craft craft;
  craft.covers_apart = covers_apart;
  craft.substitutions.emplace(std::vector<Substitution>{{load_le<std::uint32_t>(patch.source.data() + 90), 0x41414141}});
  craft.substitutions->replace(patch.target);
  const Bytes bytes = craft_patch(patch.source, patch.target, {{0, 0, patch.source.size()}}, craft);
  SplitPatch split = split_patch(bytes);
  patch.header = split.header;
  EXPECT_EQ(static_cast<std::uint8_t>(RecordTag::kSubstitutions), split.body[0]);
  const auto border = split.body.begin() + static_cast<std::ptrdiff_t>(record_size(split.body));
  patch.substitutions.assign(split.body.begin(), border);
  patch.rest.assign(border, split.body.end());
  return patch;
}

TEST(PlaceOfSubstitutions, IsInFrontOfWhatMakesNew) {
  for (const bool covers_apart : {false, true}) {
    Patch patch = patch_with_substitutions(covers_apart);
    SCOPED_TRACE(covers_apart);
    const auto made = patch.apply({patch.substitutions, patch.rest});
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(patch.target, *made));
    EXPECT_FAILS(ErrorCode::kWindowChecksum, patch.apply({patch.rest}));                           // missing
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, patch.apply({patch.substitutions, patch.substitutions, patch.rest}));  // a second one
    EXPECT_FAILS(ErrorCode::kWindowChecksum, patch.apply({patch.rest, patch.substitutions}));              // behind all
    const ByteSpan rest(patch.rest);
    const Bytes end{0};
    ASSERT_EQ(0, rest.back());
    EXPECT_FAILS(ErrorCode::kPatchCorrupt,
                 patch.apply({patch.substitutions, rest.first(rest.size() - 1), patch.substitutions, end}));
  }
}

TEST(PlaceOfSubstitutions, IsNotBehindTheGlobalRecord) {
  const Patch patch = patch_with_substitutions(true);
  const ByteSpan rest(patch.rest);
  ASSERT_EQ(static_cast<std::uint8_t>(RecordTag::kGlobal), rest[0]);
  const std::size_t global_bytes = record_size(rest);
  ASSERT_EQ(static_cast<std::uint8_t>(RecordTag::kCovers), rest[global_bytes]);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt,
               patch.apply({rest.first(global_bytes), patch.substitutions, rest.subspan(global_bytes)}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt,
               patch.apply({patch.substitutions, rest.first(global_bytes), patch.substitutions, rest.subspan(global_bytes)}));
}

TEST(PlaceOfSubstitutions, IsBehindTheFills) {
  Bytes source = wordy_bytes(9000, 2);
  Bytes target = source;
  const Sha256Digest digest = sha256(ByteSpan(target).first(4096));
  std::copy(digest.begin(), digest.end(), target.begin() + 8192);
  Craft craft;
  craft.fills = {{kPageDigests, 12, {{0, 4096, 8192}}}};
  craft.substitutions.emplace(std::vector<Substitution>{{load_le<std::uint32_t>(source.data() + 5000), 0x41414141}});
  const Bytes bytes = craft_patch(source, target, {{0, 0, source.size()}}, craft);
  expect_rebuilt(source, bytes, target);
  const SplitPatch split = split_patch(bytes);
  const ByteSpan fills = ByteSpan(split.body).first(record_size(split.body));
  const ByteSpan behind = ByteSpan(split.body).subspan(fills.size());
  const ByteSpan substitutions = behind.first(record_size(behind));
  Bytes swapped(substitutions.begin(), substitutions.end());
  append(swapped, fills);
  append(swapped, behind.subspan(substitutions.size()));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(source, with_header(split.header, swapped)));
}

}  // namespace
}  // namespace bdelta::test::substitution_place_test
