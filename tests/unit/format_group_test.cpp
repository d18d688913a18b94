// Groups that lie, packed and not: the example's with one thing wrong each.
#include "format/native/group_reader.hpp"
#include "hash/xxh3.hpp"
#include "support/craft.hpp"
#include "support/format_example.hpp"

namespace bdelta::test::format_group_test {
namespace {

Error group_error(const Bytes& body, native::Header header) {
  header.group_bytes = std::max<std::uint64_t>(header.group_bytes, body.size());
  Bytes whole = body;
  whole.push_back(0);
  const auto made = apply_patch(kOld, with_header(header, whole));
  EXPECT_FALSE(static_cast<bool>(made));
  return made ? Error{} : made.error();
}

class Groups : public ::testing::Test {
 protected:
  Groups() {
    header = header_of(kOld, kNew);
    header.window_bytes = 55;
    header.decoder_memory_bytes = 1 << 20;
  }
  native::Header header;
  // The example's head in parts, and its frames.
  Bytes form{kExample.begin() + 54, kExample.begin() + 55};
  Bytes windows{kExample.begin() + 55, kExample.begin() + 71};
  Bytes streams = Bytes(7, 0);
  Bytes frames{kExample.begin() + 78, kExample.end() - 5};

  [[nodiscard]] Bytes record(std::uint64_t target_bytes = 55) const {
    Bytes head = form;
    append(head, windows);
    append(head, streams);
    return group_record(target_bytes, head, frames);
  }
  void expect(ErrorCode code) const {
    const Error error = group_error(record(), header);
    EXPECT_EQ(code, error.code) << to_string(error);
  }
};

TEST_F(Groups, TheHonestOneApplies) {
  header.group_bytes = 100;
  Bytes body = record();
  body.push_back(0);
  const auto made = apply_patch(kOld, with_header(header, body));
  ASSERT_OK(made);
  EXPECT_TRUE(same_bytes(kNew, *made));
}

TEST_F(Groups, WindowBeyondTheDeclaredLimit) { header.window_bytes = 54; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, WindowLimitBeyondTheFormats) {
  header.window_bytes = kMaxWindowBytes + 1;
  expect(ErrorCode::kPatchCorrupt);
}
TEST_F(Groups, UnknownCodec) { streams[3] = 3; expect(ErrorCode::kUnsupportedFeature); }
TEST_F(Groups, WindowOfAStoredStream) { streams[2] = 0x10; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, CodecWindowBeyondTheLimit) { streams[6] = 0xf1; header.decoder_memory_bytes = ~std::uint64_t{0} >> 2; 
  const auto made = apply_patch(kOld, with_header(header, record()));
  EXPECT_FALSE(static_cast<bool>(made)); }
TEST_F(Groups, MoreDecoderMemoryThanDeclared) { streams[6] = 0xe1; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, StreamTableTooShort) { streams.pop_back(); expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, StreamTableTooLong) { streams.push_back(0); expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, FrameOfNoStream) { frames[0] = 7; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, FrameOfNoBytes) { frames[1] = 0; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, PresentStreamOfNoBytes) {
  const Bytes target(kNew.begin(), kNew.begin() + 45);
  header = header_of(kOld, target);
  header.decoder_memory_bytes = 1 << 20;
  windows = {0x01, 0xd1, 0x05};
  append_le(windows, xxh3_32(target));
  append(windows, Bytes{0x01, 0x7f, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x00});
  frames.resize(18);
  const Error error = group_error(record(45), header);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, error.code);
  EXPECT_NE(error.detail.find("a stream of no bytes"), std::string::npos) << to_string(error);
}
TEST_F(Groups, FramesMissing) { frames.resize(3); expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, FrameTooMany) { append(frames, Bytes{0, 1, 0}); expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, CopyBeyondTheWindow) { frames[5] = 56; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, CopyFromBeforeTheSource) { frames[8] = 1; expect(ErrorCode::kOpOutOfRange); }
TEST_F(Groups, OtherBytes) { frames[17] = 0xfb; expect(ErrorCode::kWindowChecksum); }
TEST_F(Groups, MoreWindowsThanBytes) { windows[0] = 0x7f; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, NoWindows) { windows[0] = 0; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, EmptyWindow) {
  windows.erase(windows.begin() + 2);
  windows[1] = 1;
  expect(ErrorCode::kPatchCorrupt);
}
TEST_F(Groups, WindowOfCovers) {
  windows[1] |= 8;
  windows.erase(windows.begin() + 3, windows.begin() + 7);  // it has no checksum
  windows[4] = 0x07;
  windows.resize(8);
  streams.resize(3);
  frames.resize(9);
  expect(ErrorCode::kPatchCorrupt);
}
TEST_F(Groups, ModelledWindowWithoutModels) { windows[1] |= 4; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, WindowOfTwoKinds) { windows[1] |= 12; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, PredictedWindowWithoutPrediction) {
  windows[1] |= 2;
  windows.erase(windows.begin() + 7);  // it tells no number of copies,
  windows[7] = 0x78;                   // and has no ops
  windows.erase(windows.begin() + 8, windows.begin() + 11);
  streams.resize(4);
  expect(ErrorCode::kPatchCorrupt);
}

TEST_F(Groups, FramesAheadOfTheirTurnAreRefused) {
  // FORMAT.md: a frame does not stand before frames that are needed earlier. All frames of the literals come first
  // here, in one-byte frames, and then the others; a reader that took them all would hold what the patch likes.
  Bytes early;
  for (int i = 0; i < 11; ++i) append(early, Bytes{6, 1, 'x'});  // one more than the window has
  append(early, frames);
  frames = early;
  const Error error = group_error(record(), header);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, error.code);
}

TEST_F(Groups, SizeOfTheGroup) {
  EXPECT_EQ(ErrorCode::kPatchCorrupt, group_error(record(54), header).code);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, group_error(record(56), header).code);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, group_error(record(0), header).code);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, group_error(record(~std::uint64_t{0}), header).code);
}

TEST_F(Groups, EndBeforeTheTargetIsWhole) {
  EXPECT_EQ(ErrorCode::kPatchCorrupt, group_error({}, header).code);
  header.target_size = 56;
  EXPECT_EQ(ErrorCode::kPatchCorrupt, group_error(record(), header).code);
}

TEST_F(Groups, UnknownRecordsAreSkippedIfOdd) {
  for (unsigned tag = 1; tag < 256; ++tag) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{3}, std::size_t{3} << 20}) {
      if (size > 3 && tag > 5) continue;
      Bytes body = native::seal_record(static_cast<native::RecordTag>(tag), Bytes(size));
      append(body, record());
      append(body, native::seal_record(static_cast<native::RecordTag>(tag), Bytes(size)));
      body.push_back(0);
      header.group_bytes = 100;
      const auto made = apply_patch(kOld, with_header(header, body));
      const auto known = native::is_known(static_cast<std::uint8_t>(tag));
      if (!known && tag % 2 == 1) {
        ASSERT_OK(made);
        EXPECT_TRUE(same_bytes(kNew, *made));
        expect_rebuilt_in_pieces(kOld, with_header(header, body), kNew);
      } else {
        ASSERT_FALSE(static_cast<bool>(made)) << tag;
        EXPECT_TRUE(known || made.error().code == ErrorCode::kUnsupportedFeature) << tag;
      }
    }
  }
}

TEST_F(Groups, DamageInASkippedRecordIsSeen) {
  Bytes body = native::seal_record(static_cast<native::RecordTag>(3), Bytes(100));
  body[50] ^= 1;
  Bytes patch = native::encode_header(header);
  append(patch, body);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(kOld, patch));
}

TEST_F(Groups, GroupBeyondTheDeclaredLimit) {
  header.group_bytes = 54;
  Bytes body = record();
  body.push_back(0);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(kOld, with_header(header, body)));
}

TEST_F(Groups, UnusedBitOfThePresenceByteIsRefused) {
  windows[8] = 0xff;
  expect(ErrorCode::kPatchCorrupt);
}

TEST_F(Groups, UnknownFormsAreRefused) {
  for (const unsigned bad : {2u, 4u, 8u, 16u, 0x0bu, 0x0eu}) {
    form = {static_cast<std::uint8_t>(bad)};
    expect(ErrorCode::kUnsupportedFeature);
  }
  form = {0x91};  // tables of 2^9 times the least
  expect(ErrorCode::kUnsupportedFeature);
}

// --- packed groups that lie ---

// The second example of FORMAT.md: the group with all numbers in one code.
class Packed : public Groups {
 protected:
  Packed() {
    form = {0x03};
    windows = {0x3f, 0x01, 0xf1, 0x06, 0x70, 0xfc, 0xe9, 0x49, 0x01, 0x01};
    streams = {0};
    frames = {0x08, 0x05, 0xff, 0x2d, 0x8f, 0x59, 0x20, 0x06, 0x0a, 0x41, 0x6e, 0x64,
              0x20, 0x6d, 0x6f, 0x72, 0x65, 0x21, 0x0a};
    header.decoder_memory_bytes = model_memory_bytes({kModelStreams, 0});
  }
  [[nodiscard]] Result<Bytes> made() {
    header.group_bytes = 1000;
    Bytes body = record();
    body.push_back(0);
    return apply_patch(kOld, with_header(header, body));
  }
};

TEST_F(Packed, TheExampleApplies) {
  const auto applied = made();
  ASSERT_OK(applied);
  EXPECT_TRUE(same_bytes(kNew, *applied));
}

TEST_F(Packed, TheExampleIsWhatTheWriterGives) {
  header.group_bytes = 33;
  header.window_bytes = 55;
  Bytes body = record();
  body.push_back(0);
  Craft craft;
  craft.codec = {};
  craft.model = true;
  EXPECT_TRUE(same_bytes(with_header(header, body), craft_patch(kOld, kNew, {{0, 0, 45}}, craft)));
}

TEST_F(Packed, MoreMemoryThanDeclared) { --header.decoder_memory_bytes; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, LiteralsInTheCode) { windows[0] = 0x7f; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, NoStreamOfLiterals) { form = {0x01}; streams = {}; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, NothingBehindTheForm) { windows = {}; streams = {}; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, MoreRunsThanAWindowMayHave) {
  windows.pop_back();
  append_varint(windows, kMaxWindowRuns + 1);
  expect(ErrorCode::kPatchCorrupt);
}
TEST_F(Packed, MoreCopiesThanTheWindowHolds) { windows[8] = 0x7f; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, MoreRunsThanTheWindowHolds) { windows[9] = 0x7f; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, CodeOfNoBytes) { frames[1] = 0; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, CodeBehindWhatNeedsIt) {
  std::rotate(frames.begin(), frames.begin() + 7, frames.end());
  expect(ErrorCode::kPatchCorrupt);
}
TEST_F(Packed, CodeTwice) { append(frames, Bytes{8, 1, 0}); expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, CodeLongerThanItsWindowsUse) {
  frames[1] = 105;
  frames.insert(frames.begin() + 7, 100, 0x55);
  expect(ErrorCode::kPatchCorrupt);
}

TEST_F(Packed, CodeMayBeInAnyFrames) {
  Bytes apart;
  for (int i = 2; i < 7; ++i) append(apart, Bytes{8, 1, frames[static_cast<std::size_t>(i)]});
  frames.erase(frames.begin(), frames.begin() + 7);
  frames.insert(frames.begin(), apart.begin(), apart.end());
  const auto applied = made();
  ASSERT_OK(applied);
  EXPECT_TRUE(same_bytes(kNew, *applied));
}

// Literals are needed before modelled bytes.
TEST_F(Packed, ModelledBytesBeforeLiterals) {
  const Bytes source = wordy_bytes(3000, 1);
  Bytes target = source;
  for (std::size_t i = 100; i < 2500; i += 50) target[i] = '#';
  append(target, wordy_bytes(800, 2));
  Craft craft;
  craft.codec = {};
  craft.model = craft.modelled_misses = true;
  const SplitPatch split = split_patch(craft_patch(source, target, {{0, 0, 3000}}, craft));
  std::vector<CraftedRecord> records = records_of(split.body);
  ASSERT_OK(apply_patch(source, with_header(split.header, joined(records))));

  Bytes& body = records.front().body;
  ByteCursor cursor(body);
  cursor.varint();  // target bytes
  const ByteSpan head = cursor.bytes(cursor.varint());
  const bool has_stored_literals = head[head.size() - 2] == 0;
  std::vector<std::pair<std::size_t, unsigned>> frames_at;  // where each begins, and its stream
  while (cursor.available() > 0) {
    const std::size_t at = body.size() - cursor.available();
    frames_at.emplace_back(at, cursor.u8());
    const std::uint64_t coded_bytes = cursor.varint();
    if (frames_at.back().second == 6 && !has_stored_literals) cursor.varint();  // raw bytes
    cursor.bytes(coded_bytes);
  }
  ASSERT_TRUE(cursor.ok());
  ASSERT_GE(frames_at.size(), 2u);
  const auto last = frames_at.end() - 1, before = last - 1;
  ASSERT_EQ(last->second, 7u);
  ASSERT_EQ(before->second, 6u);
  const auto at = [&](std::size_t pos) { return body.begin() + static_cast<std::ptrdiff_t>(pos); };
  std::rotate(at(before->first), at(last->first), body.end());
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(source, with_header(split.header, joined(records))));
}

TEST_F(Packed, GivenStreamsThatDoNotFitTheirCounts) {
  // Literal lengths as a stream of their own: one number is what one copy needs.
  windows[0] = 0x3e;
  streams = {0, 0};
  for (const Bytes& given : {Bytes{0, 0}, Bytes{0x80}, Bytes{56}}) {
    windows.resize(9);
    windows.push_back(static_cast<std::uint8_t>(given.size()));
    frames = {0};
    append_varint(frames, given.size());
    append(frames, given);
    expect(ErrorCode::kPatchCorrupt);
  }
}

}  // namespace
}  // namespace bdelta::test::format_group_test
