// What the record of substitutions may say: every number is bounded before memory is taken for it.
#include <functional>

#include "base/byte_cursor.hpp"
#include "format/native/substitution_record.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/plain_record.hpp"

namespace bdelta::test::substitution_record_test {
namespace {

using native::RecordTag;

constexpr std::uint64_t kTargetBytes = 10 * SubstitutionTable::kSpanUnitBytes + 1;  // eleven units
constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

// The fields of a record, right as they are: two runs of two substitutions. encode() does what it is told.
struct Parts {
  std::uint64_t run_count = 2;
  std::vector<std::uint64_t> counts = {2, 2};
  std::vector<std::uint64_t> gaps = {1000, 1, 0, ~std::uint32_t{0}};
  std::uint64_t change_count = 4;
  Bytes behind_columns;
  std::optional<std::uint64_t> raw_bytes;     // instead of what the columns have
  std::uint8_t codec = 0;
  std::optional<std::uint64_t> frame_bytes;   // raw ones, instead of those
  std::optional<std::uint64_t> coded_bytes;
  Bytes behind_frames;
  std::vector<std::uint64_t> spans;  // their number, and gap and length of each; none: not there

  [[nodiscard]] Bytes columns() const {
    Bytes raw;
    for (const std::uint64_t gap : gaps) append_varint(raw, gap);
    for (std::uint64_t i = 0; i < change_count * kPatternBytes; ++i) raw.push_back(static_cast<std::uint8_t>(i * 3));
    append(raw, behind_columns);
    return raw;
  }

  [[nodiscard]] Bytes body() const {
    const Bytes raw = columns();
    Bytes bytes;
    append_varint(bytes, run_count);
    for (const std::uint64_t count : counts) append_varint(bytes, count);
    append_varint(bytes, raw_bytes.value_or(raw.size()));
    bytes.push_back(codec);
    append_varint(bytes, coded_bytes.value_or(raw.size()));
    append_varint(bytes, frame_bytes.value_or(raw.size()));
    append(bytes, raw);
    append(bytes, behind_frames);
    for (const std::uint64_t number : spans) append_varint(bytes, number);
    return bytes;
  }

  [[nodiscard]] Bytes encode() const {
    const Bytes bytes = body();
    return native::seal_record(RecordTag::kSubstitutions, bytes);
  }
};

Result<SubstitutionTable> read_record(ByteSpan record, std::uint64_t memory_bytes = kPlenty) {
  return read_body_of(record, kTargetBytes, memory_bytes, native::read_substitutions);
}

Result<SubstitutionTable> read_bent(const std::function<void(Parts&)>& bend) {
  Parts parts;
  bend(parts);
  return read_record(parts.encode());
}

#define EXPECT_CORRUPT(bending) \
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_bent([](Parts & p) { bending; }))
#define EXPECT_SOUND(bending) EXPECT_OK(read_bent([](Parts & p) { bending; }))

TEST(SubstitutionRecord, IsSoundBeforeItIsBent) {
  const auto substitutions = read_record(Parts().encode());
  ASSERT_OK(substitutions);
  ASSERT_EQ(4u, substitutions->changes().size());
  EXPECT_EQ(pattern_key(1001), substitutions->changes()[1].from);
  EXPECT_EQ(0u, substitutions->changes()[2].from);
  EXPECT_EQ(~std::uint32_t{0}, substitutions->changes()[3].from);
}

TEST(SubstitutionRecord, RunsAreOneToSixtyFour) {
  EXPECT_CORRUPT((p.run_count = 0, p.counts.clear(), p.gaps.clear(), p.change_count = 0));
  EXPECT_CORRUPT((p.run_count = 0));
  const auto many = [](std::size_t count) {
    return [count](Parts& p) {
      p.run_count = p.change_count = count;
      p.counts.assign(count, 1);
      p.gaps.clear();
      for (std::size_t i = 0; i < count; ++i) p.gaps.push_back(i);
    };
  };
  EXPECT_OK(read_bent(many(64)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_bent(many(65)));
  EXPECT_CORRUPT((p.run_count = ~std::uint64_t{0}));
  EXPECT_CORRUPT((p.run_count = 3));  // what follows is taken for a count
}

TEST(SubstitutionRecord, CountsAreOneToAllThatMayBe) {
  EXPECT_CORRUPT((p.counts = {4, 0}));
  EXPECT_CORRUPT((p.counts = {0, 4}));
  EXPECT_CORRUPT((p.counts = {3, 2}));  // more than the columns have
  EXPECT_CORRUPT((p.counts = {2, 1}));  // fewer
  EXPECT_CORRUPT((p.counts = {2, ~std::uint64_t{0} - 1}));
  EXPECT_CORRUPT((p.counts = {~std::uint64_t{0}, 5}));
  const auto many = [](std::uint64_t first, std::uint64_t second) {
    return [=](Parts& p) {
      p.counts = {first, second};
      p.gaps.assign(static_cast<std::size_t>(first), 2);
      p.gaps.insert(p.gaps.end(), static_cast<std::size_t>(second), 2);
      p.gaps[static_cast<std::size_t>(first)] = 3;
      p.change_count = first + second;
      p.frame_bytes = p.coded_bytes = 1;  // never read: numbers come first
    };
  };
  const auto last = read_bent(many(SubstitutionTable::kMostSubstitutions - 1, 1));
  EXPECT_FAILS(ErrorCode::kCodecFailed, last);
  const auto beyond = read_bent(many(SubstitutionTable::kMostSubstitutions - 1, 2));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, beyond);
  EXPECT_NE(std::string::npos, beyond.error().detail.find("impossible numbers")) << beyond.error().detail;
  EXPECT_EQ(std::string::npos, last.error().detail.find("impossible numbers")) << last.error().detail;
}

TEST(SubstitutionRecord, RawBytesAreWhatSoManySubstitutionsCanHave) {
  EXPECT_CORRUPT((p.raw_bytes = 0));
  EXPECT_CORRUPT((p.raw_bytes = 4 * 5 - 1, p.frame_bytes = 4 * 5 - 1));
  EXPECT_CORRUPT((p.raw_bytes = 4 * 14 + 1));
  EXPECT_CORRUPT((p.raw_bytes = ~std::uint64_t{0}));
  EXPECT_CORRUPT((p.behind_columns = {0}));                                 // columns that go on
  EXPECT_CORRUPT((p.gaps[3] = 100, p.gaps[0] = 1, p.change_count = 3));   // of too few changes
  EXPECT_CORRUPT((p.change_count = 3, p.behind_columns = {1, 2, 3}));       // the last one cut
}

TEST(SubstitutionRecord, GapsGoUp) {
  EXPECT_CORRUPT((p.gaps[1] = 0));
  EXPECT_CORRUPT((p.gaps[3] = 0));
  EXPECT_CORRUPT((p.gaps[3] = std::uint64_t{1} << 32));             // beyond what 4 bytes hold
  EXPECT_CORRUPT((p.gaps[1] = ~std::uint64_t{0} - 999));            // a sum that wraps
  EXPECT_SOUND((p.gaps[3] = ~std::uint32_t{0}));
}

TEST(SubstitutionRecord, APatternIsThereOnce) {
  EXPECT_CORRUPT((p.gaps[2] = 1000));
  EXPECT_CORRUPT((p.gaps[2] = 0, p.gaps[3] = 1001));
  EXPECT_SOUND((p.gaps[2] = 0, p.gaps[3] = 1002));
}

TEST(SubstitutionRecord, FramesHoldWhatTheySay) {
  EXPECT_CORRUPT((p.behind_frames = {0}));
  EXPECT_CORRUPT((p.frame_bytes = 0));
  EXPECT_CORRUPT((p.frame_bytes = 1000));
  EXPECT_CORRUPT((p.frame_bytes = ~std::uint64_t{0}));
  EXPECT_CORRUPT((p.coded_bytes = 1000));
  EXPECT_CORRUPT((p.coded_bytes = ~std::uint64_t{0}));
  EXPECT_CORRUPT((p.codec = 0x10));  // stored, and a window
  const auto with_codec = [](unsigned entry) {
    return read_bent([entry](Parts& p) { p.codec = static_cast<std::uint8_t>(entry); });
  };
  for (const CodecId codec : {CodecId::kZstd, CodecId::kLzma}) {  // whose frames these bytes are not
    EXPECT_FAILS(ErrorCode::kCodecFailed, with_codec(static_cast<unsigned>(codec)));
  }
  for (const unsigned entry : {3u, 7u, 15u, 0x83u}) {
    EXPECT_FAILS(ErrorCode::kUnsupportedFeature, with_codec(entry));
  }
}

TEST(SubstitutionRecord, HasAMostLength) {
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(empty_record(static_cast<std::uint8_t>(RecordTag::kSubstitutions),
                                                                  native::kMaxSubstitutionRecordBytes + 1)));
}

TEST(SubstitutionRecord, SpansGoUpAndBeginInNew) {
  const auto substitutions = read_bent([](Parts& p) { p.spans = {2, 0, 3, 1, 7}; });
  ASSERT_OK(substitutions);
  const std::vector<SubstitutionSpan> expected = {{0, 3 * SubstitutionTable::kSpanUnitBytes},
                                          {4 * SubstitutionTable::kSpanUnitBytes, 11 * SubstitutionTable::kSpanUnitBytes}};
  EXPECT_EQ(expected, substitutions->spans());
  EXPECT_CORRUPT((p.spans = {0}));
  EXPECT_CORRUPT((p.spans = {1}));
  EXPECT_CORRUPT((p.spans = {1, 0}));
  EXPECT_CORRUPT((p.spans = {1, 0, 0}));
  EXPECT_CORRUPT((p.spans = {1, 11, 1}));
  EXPECT_CORRUPT((p.spans = {1, 0, 12}));
  EXPECT_CORRUPT((p.spans = {1, ~std::uint64_t{0}, 1}));
  EXPECT_CORRUPT((p.spans = {1, 1, ~std::uint64_t{0}}));
  EXPECT_CORRUPT((p.spans = {2, 0, 3, 0, 7}));
  EXPECT_CORRUPT((p.spans = {2, 0, 3, 1, 8}));
  EXPECT_CORRUPT((p.spans = {1, 0, 1, 5}));
  EXPECT_CORRUPT((p.spans = {~std::uint64_t{0}, 0, 1}));
}

TEST(SubstitutionRecord, SpansTakeMemory) {
  Parts parts;
  parts.spans = {2, 0, 3, 1, 7};
  const std::uint64_t needed = 4096 + 4 * 48 + 2 * 16 + parts.body().size() + parts.columns().size();
  EXPECT_OK(read_record(parts.encode(), needed));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(parts.encode(), needed - 1));
}

// To the byte what FORMAT.md says: 4,096 and 48 for each substitution, length and raw bytes, the decoder.
TEST(SubstitutionRecord, MemoryIsWhatTheHeaderDeclares) {
  const Parts parts;
  const std::uint64_t needed = 4096 + 4 * 48 + parts.body().size() + parts.columns().size();
  EXPECT_OK(read_record(parts.encode(), needed));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(parts.encode(), needed - 1));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(parts.encode(), parts.body().size() - 1));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(parts.encode(), 0));

  std::vector<Substitution> changes;
  for (std::uint32_t i = 0; i < 300; ++i) changes.push_back({pattern_key(i * 7), pattern_key(i * 7 + 1)});
  const SubstitutionTable substitutions(changes);
  for (const auto& [codec, own_bytes] : {std::pair{CodecId::kZstd, 524'288u}, std::pair{CodecId::kLzma, 131'072u}}) {
    const auto packed = native::encode_substitutions(substitutions, {codec, 6, 0});
    ASSERT_OK(packed);
    const auto body = native::open_record(packed->record);
    ASSERT_OK(body);
    const std::uint64_t body_bytes = body->size();
    ByteCursor cursor(*body);
    ASSERT_EQ(1u, cursor.varint());
    ASSERT_EQ(300u, cursor.varint());
    const std::uint64_t raw_bytes = cursor.varint();
    const unsigned entry = cursor.u8();
    ASSERT_EQ(static_cast<unsigned>(codec), entry & 15);
    const std::uint64_t window = std::uint64_t{4096} << (entry >> 4);
    const std::uint64_t packed_needed = 4096 + 300 * 48 + body_bytes + raw_bytes + window + own_bytes;
    EXPECT_OK(read_record(packed->record, packed_needed));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(packed->record, packed_needed - 1));
  }
}

TEST(SubstitutionRecord, ACodecsWindowBeyondTheFormatsLimitIsRefused) {
  Parts parts;
  parts.codec = 0xf0 | static_cast<std::uint8_t>(CodecId::kLzma);  // 2^27
  EXPECT_FAILS(ErrorCode::kCodecFailed, read_record(parts.encode()));
}

}  // namespace
}  // namespace bdelta::test::substitution_record_test
