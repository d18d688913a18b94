// Digests of pages that an applier can compute: where signatures have them, and as they are found.
#include "create/page_hash_pass.hpp"
#include "exe/code_signature.hpp"
#include "exe/images.hpp"
#include "support/exe_craft.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/signed_program.hpp"

namespace bdelta::test::page_hash_test {
namespace {

std::optional<FillRule> find(const Bytes& file) {
  const auto images = exe::find_images(file);
  return images.empty() ? std::nullopt : exe::find_page_digests(file, images[0]);
}

TEST(CodeSignature, IsFoundAtAnyPlaceOfAFile) {
  const SignedProgram program = signed_program(wordy_bytes(50'000, 1), 13);
  EXPECT_EQ(program.digests, find(program.bytes));
  Bytes behind = wordy_bytes(777, 2);
  append(behind, program.bytes);
  FillRule moved = program.digests;
  moved.ranges[0].pos += 777;
  moved.ranges[0].place_pos += 777;
  EXPECT_EQ(moved, find(behind));
}

TEST(CodeSignature, WhatIsNotALikelyListIsNone) {
  const SignedProgram program = signed_program(wordy_bytes(50'000, 1));
  const std::size_t signature = program.signature_pos;
  const std::size_t directory = signature + kSignedDirectory;
  const struct {
    std::size_t pos;
    std::uint8_t value;
  } changes[] = {
      {kSignedCommand, 0x1e},      // another command
      {kSignedCommand + 11, 0x7f}, // a signature that begins behind the image
      {kSignedCommand + 15, 0x7f}, // one that ends there
      {signature, 0},              // no signature
      {signature + 11, 0},         // without blobs
      {signature + 16, 0x7f},      // whose blob is outside
      {directory + 3, 0},          // no directory
      {directory + 16, 0x7f},      // hashes outside
      {directory + 31, 1},         // fewer than there are pages
      {directory + 32, 0x7f},      // pages behind the image
      {directory + 36, 20},        // digests of another size
      {directory + 37, 1},         // or kind
      {directory + 39, 11},        // pages too small
      {directory + 39, 17},        // too large
      {directory + 47, 1},         // pages that are scattered
      {directory + 63, 1},         // a limit of 64 bits that is another one
  };
  for (const auto& change : changes) {
    Bytes other = program.bytes;
    other[change.pos] = change.value;
    EXPECT_EQ(std::nullopt, find(other)) << change.pos;
  }
  EXPECT_EQ(std::nullopt, find(craft_macho()));
  EXPECT_EQ(std::nullopt, find(craft_elf()));
}

FoundFills found_in(const Bytes& source, const Bytes& target) {
  WorkerPool pool(2);
  return find_page_digests(source, exe::find_images(source), target, exe::find_images(target), pool);
}

TEST(PageDigestPass, TakesWhatIsRightAndWorthIt) {
  const SignedPair pair = signed_pair(60'000, 3);
  const Bytes& target = pair.new_version.bytes;
  const FoundFills found = found_in(pair.old_version.bytes, target);
  EXPECT_EQ(Fills{pair.new_version.digests}, found.fills);
  ASSERT_EQ(1u, found.others.size());
  EXPECT_EQ(pair.new_version.list_pos(), found.others[0].pos);
  EXPECT_EQ(Bytes(pair.new_version.list_bytes()), found.others[0].bytes);
  EXPECT_EQ(Fills{}, found_in(target, target).fills);  // nothing to gain
  Bytes wrong = target;
  wrong[pair.new_version.list_pos() + pair.new_version.list_bytes() - 1] ^= 1;
  EXPECT_EQ(Fills{}, found_in(pair.old_version.bytes, wrong).fills);
}

TEST(PageDigestPass, ProgramsWithPagesOfOneSizeShareARule) {
  const SignedPair pair = signed_pair(60'000, 3);
  Bytes three = pair.new_version.bytes;
  append(three, pair.old_version.bytes);
  append(three, signed_pair(120'000, 4, 13).new_version.bytes);
  const FoundFills found = found_in(craft_elf(), three);
  EXPECT_OK(check_fills(found.fills, three.size()));
  ASSERT_EQ(2u, found.fills.size());
  EXPECT_EQ(12u, found.fills[0].page_log);
  EXPECT_EQ(2u, found.fills[0].ranges.size());
  EXPECT_EQ(13u, found.fills[1].page_log);
  EXPECT_EQ(1u, found.fills[1].ranges.size());
}

}  // namespace
}  // namespace bdelta::test::page_hash_test
