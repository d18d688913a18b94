// Lists of page digests that a patch leaves out: found, proven, written, read and computed.
#include "apply/page_hasher.hpp"
#include "bdelta/inspect.hpp"
#include "create/page_hash_pass.hpp"
#include "exe/code_signature.hpp"
#include "exe/images.hpp"
#include "format/native/page_hash_record.hpp"
#include "hash/sha256.hpp"
#include "support/exe_craft.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/plain_record.hpp"
#include "support/signed_program.hpp"

namespace bdelta::test::page_hash_test {
namespace {

constexpr std::uint64_t kTargetBytes = 1'000'000;

std::optional<PageHashes> find(const Bytes& file) {
  const auto images = exe::find_images(file);
  return images.empty() ? std::nullopt : exe::find_page_hashes(file, images[0]);
}

TEST(CodeSignature, IsFoundAtAnyPlaceOfAFile) {
  const SignedProgram program = signed_program(wordy_bytes(50'000, 1), 13);
  EXPECT_EQ(program.list, find(program.bytes));
  Bytes behind = wordy_bytes(777, 2);
  append(behind, program.bytes);
  PageHashes moved = program.list;
  moved.data_pos += 777;
  moved.list_pos += 777;
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

PageHashLists lists_of(const Bytes& source, const Bytes& target) {
  WorkerPool pool(2);
  return find_page_hash_lists(source, exe::find_images(source), target, exe::find_images(target), pool);
}

TEST(PageHashPass, TakesWhatIsRightAndWorthIt) {
  const SignedPair pair = signed_pair(60'000, 3);
  const Bytes& target = pair.new_version.bytes;
  EXPECT_EQ(PageHashLists{pair.new_version.list}, lists_of(pair.old_version.bytes, target));
  EXPECT_EQ(PageHashLists{}, lists_of(target, target));  // nothing to gain
  Bytes wrong = target;
  wrong[pair.new_version.list.list_end() - 1] ^= 1;
  EXPECT_EQ(PageHashLists{}, lists_of(pair.old_version.bytes, wrong));
  Bytes twice = target;
  append(twice, pair.old_version.bytes);
  EXPECT_EQ(2u, lists_of(craft_elf(), twice).size());
}

// Of more images than a patch may have lists, the first.
TEST(PageHashPass, TakesNoMoreThanAPatchMayHave) {
  Bytes source, target;
  const SignedPair pair = signed_pair(33'000, 4);
  for (std::size_t i = 0; i <= kMostPageHashLists; ++i) {
    append(source, pair.old_version.bytes);
    append(target, pair.new_version.bytes);
  }
  WorkerPool pool(2);
  const PageHashLists lists = find_page_hash_lists(source, exe::find_images(source), target,
                                                   exe::find_images(target, {kMostPageHashLists + 1, 4096}), pool);
  EXPECT_EQ(kMostPageHashLists, lists.size());
  EXPECT_OK(check_page_hashes(lists, target.size()));
}

Result<PageHashLists> read_record(ByteSpan record, std::uint64_t memory_bytes = kTargetBytes) {
  return read_behind_tag(record, kTargetBytes, memory_bytes, native::read_page_hashes);
}

Bytes record_of(const std::vector<std::uint64_t>& numbers) { return record_of_numbers(5, numbers); }

TEST(PageHashRecord, IsReadAsItWasWritten) {
  const PageHashLists lists = {{0, 70'000, 80'000, 12}, {90'000, 1, 90'001, 16}, {500'000, 100'000, 600'032, 14}};
  const Bytes record = native::encode_page_hashes(lists);
  const auto read = read_record(record);
  ASSERT_OK(read);
  EXPECT_EQ(lists, *read);
  EXPECT_EQ(record_of({3, 0, 12, 0, 70'000, 10'000, 0, 16, 90'000 - 80'000 - 18 * 32, 1, 0, 0, 14,
                       500'000 - 90'001 - 32, 100'000, 32}),
            record);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record, (18 + 1 + 7) * 32 - 1));
  ASSERT_OK(read_record(record, (18 + 1 + 7) * 32));
  for (std::size_t size = 1; size < record.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchTruncated, read_record(ByteSpan(record).first(size)));
  }
}

TEST(PageHashRecord, OnlySoundListsAreTaken) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const std::vector<std::vector<std::uint64_t>> bad = {
      {0},                                     // no list
      {},                                      // no count
      {2, 0, 12, 0, 4096, 0},                  // one too few
      {1, 0, 12, 0, 4096, 0, 0},               // a byte too many
      {1, 0, 11, 0, 4096, 0},                  // small pages
      {1, 0, 17, 0, 4096, 0},                  // large ones
      {1, 0, 64, 0, 4096, 0},                  // of a size that no number holds
      {1, 0, 12, 0, 0, 0},                     // no page
      {1, 0, 12, 0, kTargetBytes, 0},          // no place for the list
      {1, 0, 12, 0, kTargetBytes + 1, 0},      // no place for the pages
      {1, 0, 12, kTargetBytes, 1, 0},          // behind the target
      {1, 0, 12, 0, 4096, kTargetBytes - 4096 - 31},
      {1, 0, 12, kHuge, 2, 0},                 // wraps
      {1, 0, 12, 0, kHuge, 1},
      {1, 0, 12, 4096, 4096, kHuge},           // a list in front of its pages
      {2, 0, 12, 4096, 4096, 0, 0, 12, kHuge - 8000, 10, 0},  // a list in front of the one before
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of(bad[i])));
  }
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, read_record(record_of({1, 1, 12, 0, 4096, 0})));
  ASSERT_OK(read_record(record_of({1, 0, 12, 0, 4096, kTargetBytes - 4096 - 32})));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(empty_record(5, 16 * 1024 + 1)));

  std::vector<std::uint64_t> many{255};
  for (int i = 0; i < 255; ++i) many.insert(many.end(), {0, 12, 0, 1, 0});
  ASSERT_OK(read_record(record_of(many)));
  many[0] = 256;
  many.insert(many.end(), {0, 12, 0, 1, 0});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of(many)));
}

// One way through `target`, in windows that end at `cuts`. The pages of all windows may be hashed long before the rest.
Bytes filled(Bytes target, const PageHashLists& lists, std::vector<std::uint64_t> cuts) {
  PageHasher hasher(lists);
  cuts.push_back(target.size());
  for (const bool in_order : {false, true}) {
    std::uint64_t pos = 0;
    for (const std::uint64_t cut : cuts) {
      const MutableByteSpan window = MutableByteSpan(target).subspan(pos, cut - pos);
      if (!in_order) hasher.hash_pages(pos, window);
      if (in_order) hasher.hash_rest(pos, window);
      if (in_order && hasher.fills(pos, window.size())) hasher.fill(pos, window);
      pos = cut;
    }
  }
  return target;
}

TEST(PageHasher, AnyCutsGiveTheSameLists) {
  Bytes wanted = random_bytes(60'000, 5);
  const PageHashLists lists = {{0, 9000, 9001, 12}, {9200, 4096, 13'296, 12}, {20'001, 20'000, 40'001, 13}};
  for (const PageHashes& list : lists) {
    for (std::uint64_t page = 0; page < list.page_count(); ++page) {
      const std::uint64_t pos = list.data_pos + page * list.page_bytes();
      const auto hash = sha256(ByteSpan(wanted).subspan(pos, std::min(list.page_bytes(), list.data_end() - pos)));
      std::copy(hash.begin(), hash.end(), wanted.begin() + static_cast<std::ptrdiff_t>(list.list_pos + 32 * page));
    }
  }
  Bytes target = wanted;
  for (const PageHashes& list : lists) {
    std::fill_n(target.begin() + static_cast<std::ptrdiff_t>(list.list_pos), list.list_bytes(), std::uint8_t{0});
  }
  EXPECT_TRUE(same_bytes(wanted, filled(target, lists, {})));
  Random random(6);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> cuts;
    const std::uint64_t longest = random.between(1, round % 2 == 0 ? 20'000 : 500);
    for (std::uint64_t at = random.between(1, longest); at < target.size(); at += random.between(1, longest)) {
      cuts.push_back(at);
    }
    ASSERT_TRUE(same_bytes(wanted, filled(target, lists, cuts))) << round;
  }
}

}  // namespace
}  // namespace bdelta::test::page_hash_test
