// What is proven of a patch without OLD.
#include "bdelta/inspect.hpp"
#include "hash/sha256.hpp"
#include "support/craft.hpp"
#include "support/format_example.hpp"

namespace bdelta::test::verify_patch_test {
namespace {

using native::RecordTag;
using Records = std::vector<CraftedRecord>;

Result<PatchInfo> verified(ByteSpan patch) {
  io::MemorySequentialReader reader(patch);
  return verify_patch(reader);
}

// Of bodies that nobody could decode: their first number is all that is looked at.
CraftedRecord group_of(std::uint64_t target_bytes, RecordTag tag = RecordTag::kGroup) {
  Bytes body;
  append_varint(body, target_bytes);
  append(body, bytes_of("no head, no frames"));
  return {tag, body};
}

class VerifyPatch : public ::testing::Test {
 protected:
  VerifyPatch() {
    header.target_size = 300;
    header.group_bytes = 100;
  }

  [[nodiscard]] Result<PatchInfo> of(Records records) const {
    records.push_back({RecordTag::kEnd, {}});
    return verified(with_header(header, joined(records)));
  }

  native::Header header = header_of(kOld, kNew);
  const CraftedRecord fills{RecordTag::kFills, Bytes(3)};
  const CraftedRecord numbers{RecordTag::kMovedNumbers, Bytes(3)};
  const CraftedRecord words{RecordTag::kSubstitutions, Bytes(3)};
  const CraftedRecord global{RecordTag::kGlobal, Bytes(3)};
  const CraftedRecord unknown{static_cast<RecordTag>(3), Bytes(3 << 20)};
  const CraftedRecord group = group_of(300);
};

TEST_F(VerifyPatch, TheExampleOfTheSpecification) {
  const auto info = verified(kExample);
  ASSERT_OK(info);
  EXPECT_TRUE(info->verified);
  EXPECT_EQ(kExample.size(), info->patch_bytes);
  EXPECT_EQ(kNew.size(), info->target_size);
  const PatchInfo unread = info_of(kExample);
  EXPECT_FALSE(unread.verified);
  EXPECT_EQ(0u, unread.patch_bytes);
}

TEST_F(VerifyPatch, AnyFlippedBitIsSeen) {
  for (std::size_t at = 0; at < kExample.size() * 8; ++at) {
    Bytes bad = kExample;
    bad[at / 8] ^= static_cast<std::uint8_t>(1u << at % 8);
    const auto info = verified(bad);
    ASSERT_FALSE(static_cast<bool>(info)) << at;
    EXPECT_EQ(3, exit_class(info.error().code)) << at << ' ' << to_string(info.error());
  }
}

TEST_F(VerifyPatch, AnyCutAndWhatFollowsIsSeen) {
  for (std::size_t size = 0; size < kExample.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchTruncated, verified(ByteSpan(kExample).first(size)));
  }
  Bytes longer = kExample;
  longer.push_back(0);
  EXPECT_FAILS(ErrorCode::kPatchTrailingBytes, verified(longer));
}

// Pieces of one record, and groups of one size.
TEST_F(VerifyPatch, WhatHasChangedPlacesIsSeen) {
  const auto swapped = [&](const Records& records, std::size_t begin, std::size_t bytes, std::size_t other) {
    Bytes body = joined(records);
    std::swap_ranges(body.begin() + static_cast<std::ptrdiff_t>(begin), body.begin() + static_cast<std::ptrdiff_t>(begin + bytes),
                     body.begin() + static_cast<std::ptrdiff_t>(other));
    Bytes patch = native::encode_header(header);
    append(patch, body);
    patch.push_back(0);
    return verified(patch);
  };
  CraftedRecord long_one{static_cast<RecordTag>(3), random_bytes(3 * native::kPieceBytes, 1)};
  const Records with_pieces = {long_one, group};
  const std::size_t head_bytes = native::encode_record_head(long_one.tag, long_one.body.size()).size();
  const std::size_t piece_bytes = native::kPieceBytes + native::kCheckBytes;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, swapped(with_pieces, head_bytes, piece_bytes, head_bytes + piece_bytes));

  CraftedRecord first = group_of(150), second = group_of(150);
  second.body.back() ^= 1;
  const std::size_t record_bytes = joined({first}).size();
  ASSERT_OK(of({first, second}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, swapped({first, second}, 0, record_bytes, record_bytes));
}

TEST_F(VerifyPatch, DecodesNothing) {
  EXPECT_OK(of({fills, numbers, words, group}));
  EXPECT_OK(of({unknown, fills, unknown, group_of(100), unknown, group_of(200), unknown}));
  header.target_size = 0;
  EXPECT_OK(of({}));
}

TEST_F(VerifyPatch, RecordsHaveAnOrder) {
  for (const Records& wrong : {Records{numbers, fills, group}, {fills, fills, group}, {words, words, group},
                               {group_of(100), fills, group_of(200)}, {fills, {RecordTag::kDigests, Bytes(32)}, group},
                               {global, group}, {group_of(300, RecordTag::kCovers), group}}) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, of(wrong));
  }
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, of({{static_cast<RecordTag>(18), {}}, group}));
}

TEST_F(VerifyPatch, GroupsAddUpToTheTarget) {
  for (const Records& wrong : {Records{}, {group_of(299)}, {group_of(301)}, {group_of(0), group}, {group, group_of(1)},
                               {group_of(100), group_of(~std::uint64_t{0} - 99), group}, {{RecordTag::kGroup, {}}, group}}) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, of(wrong));
  }
  header.group_bytes = group.body.size() - 1;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, of({group}));
}

TEST_F(VerifyPatch, PredictionIsWhole) {
  header.required_features = native::kFeaturePrediction;
  const CraftedRecord covers = group_of(150, RecordTag::kCovers);
  EXPECT_OK(of({global, covers, covers, group}));
  for (const Records& wrong : {Records{group}, {global, group}, {global, covers, group}, {covers, covers, group},
                               {global, covers, covers, covers, group}, {numbers, global, covers, covers, group}}) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, of(wrong));
  }
}

TEST_F(VerifyPatch, TheListOfDigestsIsThatOfItsRecords) {
  const Bytes end{0};
  Bytes rest, list;
  for (const CraftedRecord& record : {fills, unknown, group}) {
    const Bytes sealed = joined({record});
    append(rest, sealed);
    append(list, sha256(sealed));
  }
  append(rest, end);
  append(list, sha256(end));
  const auto with_list = [&](const Bytes& digests) {
    Bytes body = joined({{RecordTag::kDigests, digests}});
    append(body, rest);
    return verified(with_header(header, body));
  };
  const auto info = with_list(list);
  ASSERT_OK(info);
  EXPECT_TRUE(info->head_sha256);
  Bytes other = list, longer = list;
  other[40] ^= 1;
  append(longer, sha256(end));
  EXPECT_FAILS(ErrorCode::kPatchDigest, with_list(other));
  EXPECT_FAILS(ErrorCode::kPatchDigest, with_list(longer));
  EXPECT_FAILS(ErrorCode::kPatchDigest, with_list(Bytes(list.begin(), list.end() - 32)));
  EXPECT_FAILS(ErrorCode::kPatchDigest, with_list({}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, with_list(Bytes(33)));
}

TEST_F(VerifyPatch, Version1HasNoChecksums) {
  const Bytes patch = bdt1_patch(100, 15, {{10, 2, 8}, {-3, 0, 3}}, bytes_of("ab" "cd"));
  const auto info = verified(patch);
  ASSERT_OK(info);
  EXPECT_FALSE(info->verified);
  EXPECT_EQ("bdt1", info->format);
  EXPECT_EQ(patch.size(), info->patch_bytes);
  for (std::size_t size = 0; size < patch.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchTruncated, verified(ByteSpan(patch).first(size)));
  }
  EXPECT_FAILS(ErrorCode::kPatchTrailingBytes, verified(bdt1_patch(100, 15, {{10, 2, 8}, {-3, 0, 3}}, Bytes(5))));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, verified(bdt1_patch(100, 10, {{95, 0, 10}}, {})));
}

}  // namespace
}  // namespace bdelta::test::verify_patch_test
