// The record of fills: written, read, and refused where its numbers can't be.
#include "format/native/fill_record.hpp"

#include "support/memory.hpp"
#include "support/plain_record.hpp"

namespace bdelta::test::fill_record_test {
namespace {

using Form = FillEncoding;
using Numbers = std::vector<std::uint64_t>;

constexpr std::uint64_t kTargetBytes = 100'000;
constexpr std::uint64_t kHuge = ~std::uint64_t{0};

Result<Fills> read_record(ByteSpan record, std::uint64_t memory_bytes = kTargetBytes,
                          std::uint64_t target_bytes = kTargetBytes) {
  return read_body_of(record, target_bytes, memory_bytes, native::read_fills);
}

Bytes record_of(const Numbers& numbers) { return record_of_numbers(8, numbers); }

// The example of FORMAT.md, and what else a patch may have.
const Fills kExample = {{tar_checksums(Form::kSixNulSpace), 0, {{0, 11 * 512, 0}}},
                        {kPageDigests, 12, {{512, 4096, 4608}}},
                        {kListedDigests, 0, {{512, 4128, 6000}}}};
const Numbers kExampleNumbers = {1, 2, 4, 16, 1, 0, 11, 0, 0, 2, 9, 12, 1, 1, 4096, 0, 0, 1, 0, 9, 1, 1, 4128, 2 * 1360};

TEST(FillRecord, IsReadAsItWasWritten) {
  const std::vector<std::pair<Fills, Numbers>> examples = {
      {kExample, kExampleNumbers},
      {{{kListedDigests, 0, {{512, 600, 5000}, {2048, 1, 4900}, {4096, 10, 99'957}}}},
       {0, 1, 0, 9, 3, 1, 600, 2 * 3888, 1, 1, 2 * 143 - 1, 3, 10, 2 * (99'957 - 4943)}},
      {{{kListedDigests, 0, {{1, 1, 2}}}}, {0, 1, 0, 0, 1, 1, 1, 0}},
      {{{kListedDigests, 0, {{100, 10, 57}}}}, {0, 1, 0, 2, 1, 25, 10, 2 * 53 - 1}},
      {{{kPaddedDigests, 0, {{100, 10, 12}, {200, 10, 56}}}, {kPaddedDigests, 0, {{5, 100, 300}}}},
       {0, 5, 0, 2, 2, 25, 10, 2 * 98 - 1, 22, 10, 0, 0, 5, 0, 0, 1, 5, 100, 2 * 195}},
      {{{kPageDigests, 16, {{0, 65'537, 70'000}, {70'080, 1, 80'000}}}},
       {0, 0, 2, 6, 16, 2, 0, 65'537, 2 * 4463, 70, 1, 2 * 9936}},
      {{{tar_checksums(Form::kSixSpaceNul), 0, {{3, 512, 0}, {515, 1024, 0}}},
        {tar_checksums(Form::kSevenNul), 0, {{65'536, 512, 0}}}},
       {1, 3, 4, 0, 2, 3, 1, 0, 2, 1, 4, 4, 16, 1, 1, 1}},
  };
  for (const auto& [fills, numbers] : examples) {
    const Bytes record = native::encode_fills(fills);
    EXPECT_EQ(record_of(numbers), record);
    const auto read = read_record(record);
    ASSERT_OK(read);
    EXPECT_EQ(fills, *read);
    ASSERT_OK(read_record(record, held_bytes(fills)));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record, held_bytes(fills) - 1));
  }
}

// As long as fields lack, nothing of them is believed.
TEST(FillRecord, EndsWithARule) {
  for (std::size_t count = 0; count < kExampleNumbers.size(); ++count) {
    const Numbers numbers(kExampleNumbers.begin(), kExampleNumbers.begin() + static_cast<std::ptrdiff_t>(count));
    SCOPED_TRACE(count);
    if (count == 7 || count == 16) {
      EXPECT_OK(read_record(record_of(numbers)));
    } else {
      EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of(numbers)));
    }
  }
  Numbers more = kExampleNumbers;
  more.push_back(0);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of(more)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(empty_record(8, native::kMaxFillRecordBytes + 1)));
}

TEST(FillRecord, OnlySoundRangesAreTaken) {
  const std::vector<Numbers> bad = {
      {0, 1, 0, 17, 1, 0, 1, 0},                             // a unit too large
      {0, 1, 0, 0, 0},                                       // no range
      {0, 1, 0, 0, 0, 0, 0},
      {0, 1, 0, 0, kHuge, 0, 1, 0},                          // too many
      {0, 1, 0, 0, 1, 0, 0, 2},                              // of no byte
      {0, 1, 0, 0, 2, 0, 0, 2, 0, 1, 2},
      {0, 1, 0, 0, 1, 0, 1, 2 * kTargetBytes},               // a place behind NEW
      {0, 1, 0, 0, 1, 0, 1, 2 * (kTargetBytes - 43)},        // one that reaches beyond
      {0, 1, 0, 0, 1, 0, 1, kHuge - 1},
      {0, 1, 0, 0, 1, 5, 10, 1},                             // on the last byte of its range
      {0, 1, 0, 0, 1, 5, 10, 31},                            // in front of NEW
      {0, 1, 0, 0, 1, 5, 10, kHuge},
      {0, 1, 0, 0, 1, kTargetBytes, 1, 0},                   // a range behind NEW
      {0, 1, 0, 0, 1, kTargetBytes + 1, 1, 0},
      {0, 1, 0, 0, 1, 1, kTargetBytes, 0},
      {0, 1, 0, 0, 1, 0, kHuge, 2},
      {0, 1, 0, 16, 1, 2, 1, 2},                             // units behind NEW
      {0, 1, 0, 16, 1, kHuge >> 16, 1, 2},
      {0, 1, 0, 0, 2, 0, 1, 500, 0, 1, 1},                   // places that share a byte
      {0, 1, 0, 0, 2, 0, 1, 500, 0, 1, 2 * 86 - 3},
      {0, 1, 0, 0, 2, 0, 1, 500, kHuge, 1, 0},               // ranges out of order
      {0, 0, 2, 0, 11, 1, 0, 4096, 0},                       // small pages
      {0, 0, 2, 0, 17, 1, 0, 4096, 0},                       // large ones
      {0, 0, 2, 0, 64, 1, 0, 4096, 0},                       // of a size that no number holds
      {0, 0, 2, 0, 12, 1, 0, 4096, 2 * (kTargetBytes - 4096 - 31)},
      {0, 0, 2, 0, 12, 1, 0, 4096, 1},                       // a list on its pages
      {1, 2, 4, 9, 1, 0, 0},                                 // no block
      {1, 2, 4, 9, 1, 0, 196},                               // more than NEW has
      {1, 2, 4, 9, 1, 195, 1},
      {1, 2, 4, 9, 1, 196, 1},
      {1, 2, 4, 9, 1, 0, kHuge},
      {1, 2, 4, 9, 1, 0, std::uint64_t{1} << 55},
      {1, 2, 4, 9, 2, 0, 1, kHuge >> 9, 1},
      {0, 1, 0, 0, 1, 100, 10, 2 * 52 - 1},                  // a place that reaches into its range
      {0, 5, 0, 0, 1, 100, 10, 2 * 53 - 1},
      {0, 1, 0, 0, 1, 0, 1000, 0, 1, 2, 4, 9, 1, 1, 1},      // headers in what was digested
      {1, 2, 4, 9, 1, 0, 9, 1, 2, 4, 9, 1, 8, 1},            // headers twice
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of(bad[i])));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of(bad[i]), kHuge));
  }
  ASSERT_OK(read_record(record_of({0, 1, 0, 0, 2, 0, 1, 500, 0, 1, 2 * 86 - 1})));
  ASSERT_OK(read_record(record_of({0, 1, 0, 0, 1, 0, kTargetBytes - 43, 0})));
  ASSERT_OK(read_record(record_of({0, 0, 2, 0, 12, 1, 0, 4096, 2 * (kTargetBytes - 4096 - 32)})));
  ASSERT_OK(read_record(record_of({1, 2, 4, 9, 1, 0, 195})));
  ASSERT_OK(read_record(record_of({1, 2, 4, 9, 1, 194, 1})));
  // At the end of the numbers nothing wraps into a place.
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of({0, 1, 0, 16, 2, 0, kHuge - 43, 0, 1, 1, 2}), kHuge, kHuge));
}

TEST(FillRecord, WhatIsReservedIsAFeatureNotKnown) {
  const std::vector<Numbers> reserved = {
      {2, 0, 2, 0, 12, 1, 0, 1, 0},             // functions
      {kHuge, 0, 2, 0, 12, 1, 0, 1, 0},
      {0, 2, 0, 0, 1, 0, 1, 0},                 // encodings
      {0, 0, 0, 0, 1, 0, 1, 0},                 // of this shape
      {0, 1, 2, 0, 12, 1, 0, 1, 0},
      {1, 5, 4, 9, 1, 0, 1},
      {1, 1, 4, 9, 1, 0, 1},
      {1, 2, 0, 0, 1, 0, 1, 0},                 // shapes
      {0, 1, 6, 0, 1, 0, 1, 0},
      {0, 1, 1, 1, 0, 0, 1, 0, 1, 0},           // spaces: of the range, of the place, of both
      {0, 1, 1, 0, 1, 0, 1, 0, 1, 0},
      {1, 2, 5, 7, kHuge, 9, 1, 0, 1},
  };
  for (std::size_t i = 0; i < reserved.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_FAILS(ErrorCode::kUnsupportedFeature, read_record(record_of(reserved[i])));
  }
  const auto named = read_record(record_of({0, 1, 1, 0, 0, 0, 1, 1, 1, 0}));  // NEW, by its name
  ASSERT_OK(named);
  EXPECT_EQ((Fills{{kListedDigests, 0, {{1, 1, 2}}}}), *named);
}

TEST(FillRecord, HasRoomForAllThatAPatchMayHave) {
  Fills fills = {{kListedDigests, 0, {}}};
  for (std::uint64_t i = 0; i < kMostFillRanges; ++i) fills[0].ranges.push_back({64 * i, 1, 64 * i + 8});
  const Bytes record = native::encode_fills(fills);
  EXPECT_LT(record.size(), native::kMaxFillRecordBytes);
  ASSERT_OK(read_record(record, held_bytes(fills), std::uint64_t{64} << 17));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record, held_bytes(fills) - 1, std::uint64_t{64} << 17));
}

}  // namespace
}  // namespace bdelta::test::fill_record_test
