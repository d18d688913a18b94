// Headers, on patches made by hand.
#include "bdelta/inspect.hpp"
#include "format/foreign_formats.hpp"
#include "format/format.hpp"
#include "support/craft.hpp"
#include "support/format_example.hpp"
#include "support/generate.hpp"

namespace bdelta::test::format_test {
namespace {

Result<PatchInfo> inspected(ByteSpan patch) {
  io::MemorySequentialReader reader(patch);
  return inspect(reader);
}

TEST(NativeFormat, TheExampleOfTheSpecificationApplies) {
  ASSERT_EQ(113u, kExample.size());
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

// Counts what is taken of it.
class CountingReader final : public SequentialReader {
 public:
  explicit CountingReader(ByteSpan bytes) : reader_(bytes) {}
  Result<std::size_t> read(MutableByteSpan out) override {
    auto count = reader_.read(out);
    if (count) taken_bytes += *count;
    return count;
  }
  std::size_t taken_bytes = 0;

 private:
  io::MemorySequentialReader reader_;
};

// What follows the head may not have come yet.
TEST(NativeHeader, IsDescribedByItselfAlone) {
  Bytes patch = with_header(header_of(kOld, kNew), {});
  const std::size_t head_bytes = patch.size();
  patch.resize(1 << 20);
  CountingReader reader(patch);
  EXPECT_OK(inspect(reader));
  EXPECT_LE(reader.taken_bytes, head_bytes + 64);
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

TEST(Formats, ForeignOnesAreNamed) {
  for (const ForeignFormat& format : kForeignFormats) {
    ASSERT_LE(format.magic.size(), kDetectBytes) << format.name;
    Bytes file = bytes_of(format.magic);
    EXPECT_EQ(format.name, foreign_format(file)->name) << "one that begins alike stands before it";
    file.resize(100);
    const auto info = inspected(file);
    EXPECT_FAILS(ErrorCode::kNotAPatch, info);
    EXPECT_EQ("it is " + std::string(format.name), info.error().detail);
    EXPECT_EQ(format.remedy, info.error().remedy);
    file.resize(format.magic.size() - 1);
    EXPECT_NE("it is " + std::string(format.name), inspected(file).error().detail) << "cut off";
  }
  EXPECT_EQ(nullptr, foreign_format(bytes_of("\x7f" "ELF, an ordinary file")));
}

}  // namespace
}  // namespace bdelta::test::format_test
