// Headers, groups and the readers of both versions, on patches made by hand.
#include "bdelta/inspect.hpp"
#include "format/native/group_reader.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test {
namespace {

Result<PatchInfo> inspected(ByteSpan patch) {
  io::MemorySequentialReader reader(patch);
  return inspect(reader);
}

const Bytes kOld = bytes_of("The quick brown fox jumps over the lazy dog. 0123456789\n");
const Bytes kNew = bytes_of("The quick brown fix jumps over the lazy dog. And more!\n");

// The example of FORMAT.md, byte for byte.
const Bytes kExample = {
    0x42, 0x44, 0x54, 0x02, 0x00, 0x03, 0x27, 0x00, 0x00, 0x38, 0x37, 0x74, 0x84, 0xd7, 0x04, 0x0d, 0x94, 0x03,
    0x04, 0x3d, 0x0d, 0x4e, 0x3c, 0x59, 0x52, 0x50, 0x9a, 0x59, 0x63, 0xf4, 0x00, 0x47, 0x9b, 0x2c, 0x11, 0x98,
    0xcc, 0xbc, 0x13, 0x35, 0x93, 0xcd, 0x01, 0x37, 0x36, 0x00, 0x18, 0xf4, 0xda, 0x7d, 0x01, 0x37, 0x36, 0x17,
    0x00, 0x01, 0x6f, 0x70, 0xfc, 0xe9, 0x49, 0x01, 0x7f, 0x01, 0x01, 0x01, 0x01, 0x01, 0x01, 0x0a, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x01, 0x2d, 0x02, 0x01, 0x00, 0x03, 0x01, 0x11, 0x04, 0x01,
    0x00, 0x05, 0x01, 0xfa, 0x06, 0x0a, 0x41, 0x6e, 0x64, 0x20, 0x6d, 0x6f, 0x72, 0x65, 0x21, 0x0a, 0x00};

TEST(NativeFormat, TheExampleOfTheSpecificationApplies) {
  ASSERT_EQ(108u, kExample.size());
  for (const Sink sink : {Sink::kPositioned, Sink::kSequential}) {
    const auto made = apply_patch(kOld, kExample, sink);
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(kNew, *made));
  }
}

TEST(NativeFormat, TheExampleIsWhatTheWriterGives) {
  Craft craft;
  craft.codec = {};
  EXPECT_TRUE(same_bytes(kExample, craft_patch(kOld, kNew, {{0, 0, 45}}, craft)));
}

TEST(NativeHeader, ComesBack) {
  native::Header header = header_of(kOld, kNew);
  header.optional_features = 0x8000'0000'0000'0001;
  header.source_size = ~std::uint64_t{0};
  header.window_bytes = 4096;
  header.group_bytes = 77;
  header.decoder_memory_bytes = 12345;
  const auto info = inspected(with_header(header, {}));
  ASSERT_OK(info);
  EXPECT_EQ("bdt2", info->format);
  EXPECT_EQ(2u, info->version);
  EXPECT_EQ(native::kDraft, info->draft);
  EXPECT_EQ(header.source_size, info->source_size);
  EXPECT_EQ(header.target_size, info->target_size);
  EXPECT_EQ(header.source_digest, info->source_digest);
  EXPECT_EQ(header.target_digest, info->target_digest);
  EXPECT_EQ(header.optional_features, info->optional_features);
  EXPECT_EQ(4096u, info->window_bytes);
  EXPECT_EQ(12345u, info->decoder_memory_bytes);
}

TEST(NativeHeader, UnknownRequiredFeaturesAreRefusedAndNamed) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((native::kKnownFeatures >> bit & 1) != 0) continue;
    native::Header header = header_of(kOld, kNew);
    header.required_features = std::uint64_t{1} << bit;
    const auto info = inspected(with_header(header, {}));
    EXPECT_FAILS(ErrorCode::kUnsupportedFeature, info);
    EXPECT_NE(std::string::npos, info.error().detail.find("feature " + std::to_string(bit))) << info.error().detail;
  }
}

TEST(NativeHeader, FieldsOfLaterVersionsAreSkipped) {
  Bytes fields = {0, 4, 0, 0};
  fields.resize(4 + 32);
  append(fields, Bytes{0, 0, 0});
  append(fields, bytes_of("more to come"));
  EXPECT_OK(native::decode_header_fields(fields));
}

TEST(NativeHeader, EndingInsideAFieldIsRefused) {
  Bytes fields = {0, 0, 0, 0};
  fields.resize(4 + 32 + 3);
  EXPECT_OK(native::decode_header_fields(fields));
  for (std::size_t size = 0; size < fields.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, native::decode_header_fields(ByteSpan(fields).first(size)));
  }
}

TEST(NativeHeader, AnyDamageIsSeenByTheChecksum) {
  const Bytes patch = with_header(header_of(kOld, kNew), {});
  for (std::size_t at = 7; at < patch.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      Bytes bad = patch;
      bad[at] = static_cast<std::uint8_t>(bad[at] ^ (1u << bit));
      EXPECT_FAILS(ErrorCode::kHeaderChecksum, inspected(bad));
    }
  }
}

TEST(NativeHeader, AnImpossibleLengthIsRefusedAtOnce) {
  Bytes patch = {'B', 'D', 'T', 2, 0, native::kDraft};
  append_varint(patch, std::uint64_t{1} << 40);
  EXPECT_FAILS(ErrorCode::kHeaderChecksum, inspected(patch));
}

TEST(Detect, VersionsDraftsAndStrangers) {
  EXPECT_FAILS(ErrorCode::kUnsupportedVersion, inspected(Bytes{'B', 'D', 'T', 3, 0, 4, 0, 0}));
  EXPECT_FAILS(ErrorCode::kUnsupportedVersion, inspected(Bytes{'B', 'D', 'T', 0, 0, 4, 0, 0}));
  EXPECT_FAILS(ErrorCode::kUnsupportedVersion, inspected(Bytes{'B', 'D', 'T', 2, 1, 4, 0, 0}));
  EXPECT_FAILS(ErrorCode::kUnsupportedVersion, inspected(Bytes{'B', 'D', 'T', 2, 0, native::kDraft + 1, 0, 0}));
  EXPECT_FAILS(ErrorCode::kUnsupportedVersion, inspected(Bytes{'B', 'D', 'T', 2, 0, 0, 0, 0}));
  EXPECT_FAILS(ErrorCode::kNotAPatch, inspected(bytes_of("BSDIFF40 and so on")));
  EXPECT_FAILS(ErrorCode::kNotAPatch, inspected(bytes_of("x")));
  EXPECT_FAILS(ErrorCode::kPatchTruncated, inspected({}));
  for (const char* cut : {"B", "BD", "BDT"}) EXPECT_FAILS(ErrorCode::kPatchTruncated, inspected(bytes_of(cut)));
}

// --- groups that lie ---

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
  Bytes windows{kExample.begin() + 55, kExample.begin() + 70};
  Bytes streams = Bytes(7, 0);
  Bytes frames{kExample.begin() + 77, kExample.end() - 1};

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
TEST_F(Groups, FramesMissing) { frames.resize(3); expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, FrameTooMany) { append(frames, Bytes{0, 1, 0}); expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, CopyBeyondTheWindow) { frames[5] = 56; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, CopyFromBeforeTheSource) { frames[8] = 1; expect(ErrorCode::kOpOutOfRange); }
TEST_F(Groups, OtherBytes) { frames[17] = 0xfb; expect(ErrorCode::kWindowChecksum); }
TEST_F(Groups, MoreWindowsThanBytes) { windows[0] = 0x7f; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, NoWindows) { windows[0] = 0; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Groups, EmptyWindow) { windows[1] = 1; expect(ErrorCode::kPatchCorrupt); }

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

TEST_F(Groups, UnknownRecords) {
  for (unsigned tag = 2; tag < 256; ++tag) {
    EXPECT_EQ(ErrorCode::kPatchCorrupt, group_error({static_cast<std::uint8_t>(tag)}, header).code);
  }
}

TEST_F(Groups, GroupBeyondTheDeclaredLimit) {
  header.group_bytes = 53;
  Bytes body = record();
  body.push_back(0);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(kOld, with_header(header, body)));
}

TEST_F(Groups, UnusedBitOfThePresenceByteIsRefused) {
  windows[7] = 0xff;
  expect(ErrorCode::kPatchCorrupt);
}

// Numbers told as ways to places: only where the header says so, and only in packed groups.
TEST_F(Groups, PlacesNeedTheirFeatureAndTheCoder) {
  form = {0x0b};
  expect(ErrorCode::kUnsupportedFeature);
  header.required_features = native::kFeaturePlaces;
  form = {0x08};
  expect(ErrorCode::kUnsupportedFeature);
}

TEST_F(Groups, UnknownFormsAreRefused) {
  for (const unsigned bad : {2u, 4u, 8u, 16u, 0x0eu}) {
    form = {static_cast<std::uint8_t>(bad)};
    expect(ErrorCode::kUnsupportedFeature);
  }
  form = {0xb1};  // tables of 2^11 times the least
  expect(ErrorCode::kUnsupportedFeature);
}

// --- packed groups that lie ---

// The second example of FORMAT.md: the group with all numbers in one code.
class Packed : public Groups {
 protected:
  Packed() {
    header.required_features = native::kFeaturePlaces;
    form = {0x0b};
    windows = {0x3f, 0x01, 0x6f, 0x70, 0xfc, 0xe9, 0x49, 0x01, 0x01};
    streams = {0};
    frames = {0x07, 0x05, 0xff, 0x2d, 0x8f, 0x59, 0x20, 0x06, 0x0a, 0x41, 0x6e, 0x64,
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

TEST_F(Packed, TheSameWithoutPlaces) {
  header.required_features = 0;
  form = {0x03};
  const auto applied = made();
  ASSERT_OK(applied);
  EXPECT_TRUE(same_bytes(kNew, *applied));
}

TEST_F(Packed, TheExampleIsWhatTheWriterGives) {
  header.group_bytes = 31;
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
TEST_F(Packed, MoreCopiesThanTheWindowHolds) { windows[7] = 0x7f; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, MoreRunsThanTheWindowHolds) { windows[8] = 0x7f; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, CodeOfNoBytes) { frames[1] = 0; expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, CodeBehindWhatNeedsIt) {
  std::rotate(frames.begin(), frames.begin() + 7, frames.end());
  expect(ErrorCode::kPatchCorrupt);
}
TEST_F(Packed, CodeTwice) { append(frames, Bytes{7, 1, 0}); expect(ErrorCode::kPatchCorrupt); }
TEST_F(Packed, CodeLongerThanItsWindowsUse) {
  frames[1] = 105;
  frames.insert(frames.begin() + 7, 100, 0x55);
  expect(ErrorCode::kPatchCorrupt);
}

TEST_F(Packed, CodeMayBeInAnyFrames) {
  Bytes apart;
  for (int i = 2; i < 7; ++i) append(apart, Bytes{7, 1, frames[static_cast<std::size_t>(i)]});
  frames.erase(frames.begin(), frames.begin() + 7);
  frames.insert(frames.begin(), apart.begin(), apart.end());
  const auto applied = made();
  ASSERT_OK(applied);
  EXPECT_TRUE(same_bytes(kNew, *applied));
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

// --- version 1 ---

TEST(Bdt1Reader, MatchesMayGoBackAndEndAnywhere) {
  const Bytes old = bytes_of("0123456789");
  // "89" + x, then back to "012", then "89" again.
  const Bytes patch = bdt1_patch(10, 8, {{8, 0, 2}, {-10, 1, 3}, {5, 0, 2}}, bytes_of("x"));
  const auto made = apply_patch(old, patch);
  ASSERT_OK(made);
  EXPECT_EQ(bytes_of("89x01289"), *made);
}

TEST(Bdt1Reader, AllLiteral) {
  const auto made = apply_patch({}, bdt1_patch(0, 5, {}, bytes_of("hello")));
  ASSERT_OK(made);
  EXPECT_EQ(bytes_of("hello"), *made);
}

TEST(Bdt1Reader, NothingAtAll) {
  const auto made = apply_patch({}, bdt1_patch(0, 0, {}, {}));
  ASSERT_OK(made);
  EXPECT_TRUE(made->empty());
}

TEST(Bdt1Reader, EmptyMatchesCostNothing) {
  const Bytes old = bytes_of("0123456789");
  const auto made = apply_patch(old, bdt1_patch(10, 3, {{0, 0, 0}, {4, 0, 0}, {0, 0, 3}, {0, 0, 0}}, {}));
  ASSERT_OK(made);
  EXPECT_EQ(bytes_of("456"), *made);
}

TEST(Bdt1Reader, CopiesOutsideOldAreRefused) {
  const Bytes old = bytes_of("0123456789");
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, apply_patch(old, bdt1_patch(10, 3, {{-1, 0, 3}}, {})));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, apply_patch(old, bdt1_patch(10, 3, {{8, 0, 3}}, {})));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, apply_patch(old, bdt1_patch(10, 3, {{0x7fffffff, 0, 3}}, {})));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange,
               apply_patch(old, bdt1_patch(10, 3, {{std::numeric_limits<std::int32_t>::min(), 0, 3}}, {})));
}

TEST(Bdt1Reader, IntegersOfOtherSizesAreRefused) {
  Bytes patch = bdt1_patch(0, 0, {}, {});
  patch[5] = 8;
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, apply_patch({}, patch));
}

TEST(Bdt1Reader, WindowsCutMatchesAndLiterals) {
  const Bytes old = random_bytes(std::size_t{9} << 20, 1);
  const Bytes literal = random_bytes(std::size_t{5} << 20, 2);
  Bytes expected = literal;
  append(expected, old);
  const auto size = static_cast<std::uint32_t>(expected.size());
  const Bytes patch = bdt1_patch(9 << 20, size, {{0, 5 << 20, 9 << 20}}, literal);
  for (const Sink sink : {Sink::kPositioned, Sink::kSequential}) {
    ApplyOptions options;
    options.threads = 3;
    const auto made = apply_patch(old, patch, sink, options);
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(expected, *made));
  }
}

// --- the price of packing ---

std::uint64_t body_bytes(ByteSpan source, ByteSpan target, bool model, std::uint64_t model_byte_ns) {
  WorkerPool pool(1);
  io::Spool body;
  const CodecSettings lzma{CodecId::kLzma, 6, 0};
  native::Writer writer({lzma, lzma, lzma, model, 0, model_byte_ns}, body, pool);
  std::vector<GroupDraft> drafts;
  drafts.push_back(encode_group(source, target, {{0, 0, target.size()}}, {{0, target.size(), false, 0}}, 4 << 20));
  EXPECT_OK(writer.add_groups(drafts));
  EXPECT_OK(writer.finish());
  return body.size();
}

TEST(PriceOfPacking, WhatDecodesTooSlowlyForItsBytesStaysInItsCodec) {
  const Bytes source = random_bytes(1'000'000, 1);
  Bytes target = source;
  Random random(2);
  for (std::size_t i = 0; i < target.size(); i += 3 + random.below(4) * random.below(10)) target[i] ^= 1;
  const std::uint64_t in_codecs = body_bytes(source, target, false, 0);
  const std::uint64_t packed = body_bytes(source, target, true, 0);
  ASSERT_LT(packed + 500, in_codecs) << "there is something to choose";
  EXPECT_LT(packed + 500, body_bytes(source, target, true, 1)) << "a nanosecond for a byte: the gaps stay";
  EXPECT_EQ(packed, body_bytes(source, target, true, 1'000'000)) << "a millisecond for a byte: all that is smaller";
}

}  // namespace
}  // namespace bdelta::test
