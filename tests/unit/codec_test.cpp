// Frames of every codec: they come back, in order, into exactly as many bytes as are asked for.
#include "codec/codec.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::codec_test {
namespace {

struct Frames {
  std::vector<Bytes> raw;
  std::vector<Bytes> coded;
  unsigned window_log = 0;
};

Frames encode(const CodecSettings& settings, const Bytes& bytes, std::size_t frame_bytes) {
  Frames frames;
  frames.window_log = window_log_for(bytes.size());
  auto encoder = make_encoder(settings, bytes.size());
  EXPECT_OK(encoder);
  for (std::size_t at = 0; at < bytes.size(); at += frame_bytes) {
    const std::size_t length = std::min(frame_bytes, bytes.size() - at);
    frames.raw.emplace_back(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                            bytes.begin() + static_cast<std::ptrdiff_t>(at + length));
    frames.coded.emplace_back();
    EXPECT_OK((*encoder)->encode(frames.raw.back(), at + length == bytes.size(), frames.coded.back()));
  }
  return frames;
}

class Codec : public ::testing::TestWithParam<CodecSettings> {
 protected:
  [[nodiscard]] std::unique_ptr<FrameDecoder> decoder(const Frames& frames) const {
    auto made = make_decoder(GetParam().id, frames.window_log);
    EXPECT_OK(made);
    return std::move(*made);
  }
};

TEST_P(Codec, FramesComeBack) {
  for (const std::size_t size : {1u, 24u, 1000u, 70'000u, 1'500'000u}) {
    for (const Bytes& bytes : {wordy_bytes(size, 1), random_bytes(size, 2), Bytes(size)}) {
      const Frames frames = encode(GetParam(), bytes, std::size_t{1} << 18);
      const auto reader = decoder(frames);
      for (std::size_t i = 0; i < frames.raw.size(); ++i) {
        Bytes out(frames.raw[i].size());
        ASSERT_OK(reader->decode(frames.coded[i], out)) << size << " frame " << i;
        ASSERT_TRUE(same_bytes(frames.raw[i], out));
      }
    }
  }
}

TEST_P(Codec, SameBytesEachTime) {
  const Bytes bytes = wordy_bytes(300'000, 3);
  EXPECT_EQ(encode(GetParam(), bytes, 100'000).coded, encode(GetParam(), bytes, 100'000).coded);
}

TEST_P(Codec, RefusesAFrameThatHoldsLess) {
  const Frames frames = encode(GetParam(), wordy_bytes(5000, 4), 5000);
  Bytes out(5001);
  EXPECT_FAILS(ErrorCode::kCodecFailed, decoder(frames)->decode(frames.coded[0], out));
}

TEST_P(Codec, RefusesAFrameThatHoldsMore) {
  const Frames frames = encode(GetParam(), wordy_bytes(5000, 4), 5000);
  Bytes out(4999);
  EXPECT_FAILS(ErrorCode::kCodecFailed, decoder(frames)->decode(frames.coded[0], out));
}

TEST_P(Codec, RefusesAFrameInTheMiddleThatHoldsMore) {
  const Frames frames = encode(GetParam(), wordy_bytes(5000, 4), 2500);
  Bytes out(2499);
  EXPECT_FAILS(ErrorCode::kCodecFailed, decoder(frames)->decode(frames.coded[0], out));
}

TEST_P(Codec, RefusesTruncatedFrames) {
  const Frames frames = encode(GetParam(), wordy_bytes(3000, 5), 3000);
  const Bytes& coded = frames.coded[0];
  for (std::size_t size = 0; size + 16 < coded.size(); ++size) {
    Bytes out(3000);
    EXPECT_FAILS(ErrorCode::kCodecFailed, decoder(frames)->decode(ByteSpan(coded).first(size), out));
  }
}

TEST_P(Codec, RefusesBytesBehindAFrame) {
  const Frames frames = encode(GetParam(), wordy_bytes(3000, 6), 3000);
  Bytes coded = frames.coded[0];
  coded.push_back(0x5a);
  Bytes out(3000);
  EXPECT_FAILS(ErrorCode::kCodecFailed, decoder(frames)->decode(coded, out));
}

TEST_P(Codec, NonsenseIsAnErrorOrOtherBytesButNoCrash) {
  Frames frames;
  frames.window_log = 16;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Bytes out(512);
    const Status status = decoder(frames)->decode(random_bytes(static_cast<std::size_t>(seed * 5), seed), out);
    if (!status) {
      EXPECT_EQ(ErrorCode::kCodecFailed, status.error().code);
    }
  }
}

TEST_P(Codec, MemoryGrowsWithTheWindowAndIsBounded) {
  const CodecId id = GetParam().id;
  for (unsigned log = kMinWindowLog; log < kMaxWindowLog; ++log) {
    EXPECT_LE(decoder_memory_bytes(id, log), decoder_memory_bytes(id, log + 1));
  }
  EXPECT_LE(decoder_memory_bytes(id, kMaxWindowLog), std::uint64_t{65} << 20);
}

TEST_P(Codec, RefusesAWindowBeyondTheLimit) {
  EXPECT_FAILS(ErrorCode::kCodecFailed, make_decoder(GetParam().id, kMaxWindowLog + 1));
  EXPECT_OK(make_decoder(GetParam().id, kMinWindowLog));
}

INSTANTIATE_TEST_SUITE_P(All, Codec,
                         ::testing::Values(CodecSettings{CodecId::kStore, 0, 0}, CodecSettings{CodecId::kZstd, 1, 0},
                                           CodecSettings{CodecId::kZstd, 9, 0}, CodecSettings{CodecId::kLzma, 6, 0},
                                           CodecSettings{CodecId::kLzma, 6, 2}));

TEST(CodecTable, UnknownIdsAreRefused) {
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, make_decoder(static_cast<CodecId>(kCodecCount), 16));
  EXPECT_STREQ("unknown", codec_name(static_cast<CodecId>(99)));
}

TEST(CodecTable, WindowLogCoversTheStreamWithinItsBounds) {
  EXPECT_EQ(kMinWindowLog, window_log_for(0));
  EXPECT_EQ(kMinWindowLog, window_log_for(4096));
  EXPECT_EQ(13u, window_log_for(4097));
  EXPECT_EQ(20u, window_log_for(1 << 20));
  EXPECT_EQ(kMaxWindowLog, window_log_for(std::uint64_t{1} << 40));
}

TEST(Zstd, RefusesAWindowLargerThanDeclared) {
  const Bytes bytes = random_bytes(std::size_t{1} << 20, 7);
  const Frames frames = encode({CodecId::kZstd, 3, 0}, bytes, bytes.size());
  auto decoder = make_decoder(CodecId::kZstd, 14);
  ASSERT_OK(decoder);
  Bytes out(bytes.size());
  EXPECT_FAILS(ErrorCode::kCodecFailed, (*decoder)->decode(frames.coded[0], out));
}

}  // namespace
}  // namespace bdelta::test::codec_test
