// The inflater against zlib's: the same bytes, the same verdict; and tokens that say the same text.
#include "view/deflate/inflate.hpp"

#include "deflate/zlib_stream.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "support/guard_page.hpp"
#include "view/deflate/bit_writer.hpp"

namespace bdelta::test::inflate_test {
namespace {

using namespace bdelta::deflate;

Bytes text_of(const Inflated& stream) {
  Bytes text;
  for (const Block& block : stream.blocks) {
    EXPECT_EQ(text.size(), block.raw_pos);
    if (block.type == BlockType::kStored) append(text, stream.raw().subspan(block.raw_pos, block.raw_bytes));
    for (std::uint64_t i = 0; i < block.token_count; ++i) {
      const Token token = stream.tokens[block.first_token + i];
      if (!is_match(token)) {
        text.push_back(static_cast<std::uint8_t>(token));
        continue;
      }
      for (unsigned n = length_of(token); n > 0; --n) text.push_back(text[text.size() - distance_of(token)]);
    }
    EXPECT_EQ(text.size(), block.raw_pos + block.raw_bytes);
  }
  return text;
}

// All that zlib can do to a text.
std::vector<Bytes> streams_of(ByteSpan raw) {
  std::vector<Bytes> streams;
  for (int level = 0; level <= 9; ++level) streams.push_back(zlib_deflate(raw, {.level = level}));
  for (const int strategy : {Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED}) {
    streams.push_back(zlib_deflate(raw, {.strategy = strategy}));
  }
  for (const int flush : {Z_SYNC_FLUSH, Z_FULL_FLUSH, Z_PARTIAL_FLUSH, Z_BLOCK}) {
    streams.push_back(zlib_deflate(raw, {.flush = flush, .step_bytes = 777}));
  }
  return streams;
}

TEST(Inflate, GivesTheTextAndItsTokens) {
  for (const std::size_t size : {0u, 1u, 2u, 3u, 300u, 70'000u, 400'000u}) {
    for (const Bytes& raw : {wordy_bytes(size, 1), random_bytes(size, 2), Bytes(size)}) {
      for (Bytes packed : streams_of(raw)) {
        const std::size_t packed_bytes = packed.size();
        packed.push_back(0x5a);  // what follows is not the stream's
        const auto stream = inflate(packed);
        ASSERT_OK(stream);
        EXPECT_EQ(packed_bytes, stream->packed_bytes);
        EXPECT_TRUE(same_bytes(raw, stream->raw()));
        EXPECT_TRUE(same_bytes(raw, text_of(*stream)));
        const auto plain = inflate(packed, {.keep_tokens = false});
        ASSERT_OK(plain);
        EXPECT_TRUE(same_bytes(raw, plain->raw()));
        EXPECT_TRUE(plain->tokens.empty());
      }
    }
  }
}

TEST(Inflate, JudgesDamagedStreamsAsZlibDoes) {
  Random random(3);
  const Bytes raw = wordy_bytes(3000, 4);
  unsigned refused = 0;
  for (const Bytes& whole : streams_of(raw)) {
    for (unsigned i = 0; i < 400; ++i) {
      Bytes packed = whole;
      for (std::uint64_t n = random.between(1, 3); n > 0; --n) {
        packed[random.below(packed.size())] ^= static_cast<std::uint8_t>(1 << random.below(8));
      }
      const auto expected = zlib_inflate(packed);
      const GuardedBytes guarded(packed);
      const auto found = inflate(guarded.bytes());
      ASSERT_EQ(expected.has_value(), static_cast<bool>(found));
      if (!expected) {
        ++refused;
        EXPECT_EQ(ErrorCode::kCodecFailed, found.error().code);
        continue;
      }
      EXPECT_TRUE(same_bytes(expected->raw, found->raw()));
      EXPECT_EQ(expected->packed_bytes, found->packed_bytes);
    }
  }
  EXPECT_GT(refused, 1000u);
}

TEST(Inflate, RefusesStreamsThatAreCutShort) {
  const Bytes packed = zlib_deflate(wordy_bytes(2000, 5), {});
  for (std::size_t size = 0; size < packed.size(); ++size) {
    const GuardedBytes guarded(ByteSpan(packed).first(size));
    EXPECT_FAILS(ErrorCode::kCodecFailed, inflate(guarded.bytes()));
  }
}

TEST(Inflate, TakesNoMoreThanItMay) {
  const Bytes packed = zlib_deflate(Bytes(1'000'000), {});
  EXPECT_FAILS(ErrorCode::kOutputLimit, inflate(packed, {.most_raw_bytes = 999'999}));
  EXPECT_OK(inflate(packed, {.most_raw_bytes = 1'000'000}));
  const Bytes stored = zlib_deflate(random_bytes(100'000, 6), {});
  EXPECT_FAILS(ErrorCode::kOutputLimit, inflate(stored, {.most_raw_bytes = 99'999}));
  EXPECT_OK(inflate(stored, {.most_raw_bytes = 100'000}));
  EXPECT_FAILS(ErrorCode::kOutputLimit, inflate(zlib_deflate(bytes_of("a"), {}), {.most_raw_bytes = 0}));
}

// Streams as they come from a file that is read: each piece stands somewhere else, and is gone with the next one.
class Pieces {
 public:
  Pieces(ByteSpan packed, std::size_t piece_bytes) : packed_(packed), piece_bytes_(piece_bytes) {}

  ByteSpan from(std::uint64_t pos) {
    const ByteSpan left = packed_.subspan(static_cast<std::size_t>(pos));
    piece_ = std::make_unique<GuardedBytes>(left.first(std::min(left.size(), piece_bytes_)));
    return piece_->bytes();
  }

 private:
  const ByteSpan packed_;
  const std::size_t piece_bytes_;
  std::unique_ptr<GuardedBytes> piece_;
};

Result<InflatedSizes> inflate_pieces(ByteSpan packed, std::size_t piece_bytes, std::uint64_t most_raw_bytes, Bytes& text) {
  Pieces pieces(packed, piece_bytes);
  static Bytes room;  // whatever is in it
  return inflate_into([&](std::uint64_t pos) { return pieces.from(pos); }, most_raw_bytes, room, [&](ByteSpan bytes) -> Status {
    append(text, bytes);
    return {};
  });
}

TEST(InflateInto, GivesTheTextInPieces) {
  for (const std::size_t size : {0u, 1u, 300u, 70'000u, 400'000u, 2'000'000u}) {
    for (const bool is_random : {false, true}) {
      const Bytes raw = is_random ? random_bytes(size, 2) : wordy_bytes(size, 1);
      for (Bytes packed : streams_of(raw)) {
        const std::size_t packed_bytes = packed.size();
        packed.push_back(0x5a);
        Bytes text;
        const auto sizes = inflate_pieces(packed, kLeastPieceBytes, size, text);
        ASSERT_OK(sizes);
        EXPECT_EQ(packed_bytes, sizes->packed_bytes);
        EXPECT_EQ(size, sizes->raw_bytes);
        EXPECT_TRUE(same_bytes(raw, text));
      }
    }
  }
}

// Shorter than any file gives them, for streams without stored blocks.
TEST(InflateInto, WherePiecesEndMakesNoDifference) {
  const Bytes raw = wordy_bytes(20'000, 3);
  for (const int level : {1, 6}) {
    const Bytes packed = zlib_deflate(raw, {.level = level});
    for (std::size_t piece = 17; piece < 300; ++piece) {
      Bytes text;
      ASSERT_OK(inflate_pieces(packed, piece, raw.size(), text)) << piece;
      ASSERT_TRUE(same_bytes(raw, text)) << piece;
    }
  }
}

TEST(InflateInto, TakesNoMoreThanItMay) {
  for (const Bytes& raw : {Bytes(1'000'000), random_bytes(700'000, 4), wordy_bytes(600'000, 5)}) {
    const Bytes packed = zlib_deflate(raw, {});
    Bytes text;
    EXPECT_FAILS(ErrorCode::kOutputLimit, inflate_pieces(packed, kLeastPieceBytes, raw.size() - 1, text));
    EXPECT_LT(text.size(), raw.size());
    for (const std::size_t size : {packed.size() - 1, packed.size() / 2, std::size_t{0}}) {
      text.clear();
      EXPECT_FAILS(ErrorCode::kCodecFailed, inflate_pieces(ByteSpan(packed).first(size), kLeastPieceBytes, raw.size(), text));
    }
  }
}

TEST(InflateInto, EndsWithAnErrorOfTheSink) {
  const Bytes packed = zlib_deflate(wordy_bytes(1'000'000, 6), {});
  Bytes room;
  unsigned calls = 0;
  const auto sink = [&](ByteSpan) -> Status { return ++calls < 3 ? Status() : Error{ErrorCode::kCancelled, "enough"}; };
  EXPECT_FAILS(ErrorCode::kCancelled, inflate_into([&](std::uint64_t pos) { return ByteSpan(packed).subspan(static_cast<std::size_t>(pos)); }, ~std::uint64_t{0}, room, sink));
  EXPECT_EQ(3u, calls);
}

TEST(TryInflate, TellsHowFarItWent) {
  const Bytes text = wordy_bytes(1'000'000, 6), packed = zlib_deflate(text, {});
  Bytes room, given;
  const auto take = [&](ByteSpan piece) -> Status {
    append(given, piece);
    return {};
  };
  InflateWork whole, half, none;
  const Bytes empty_block = {0x07, 0x00};
  ASSERT_OK(try_inflate(pieces_of(packed), text.size(), room, take, whole));
  EXPECT_TRUE(same_bytes(text, given));
  EXPECT_EQ(packed.size(), whole.sizes.packed_bytes);
  EXPECT_EQ(text.size(), whole.sizes.raw_bytes);
  const std::uint64_t block_count = inflate(packed)->trees.size();
  EXPECT_EQ(3 * block_count, whole.table_count);
  EXPECT_FAILS(ErrorCode::kOutputLimit, try_inflate(pieces_of(packed), text.size() / 2, room, take, half));
  EXPECT_LT(text.size() / 2 - 1000, half.sizes.raw_bytes);
  EXPECT_LT(packed.size() / 3, half.sizes.packed_bytes);
  EXPECT_GT(packed.size() * 2 / 3, half.sizes.packed_bytes);
  EXPECT_FAILS(ErrorCode::kCodecFailed, try_inflate(pieces_of(empty_block), text.size(), room, take, none));
  EXPECT_EQ(0u, none.sizes.raw_bytes);
  EXPECT_EQ(0u, none.table_count);
}

// Wherever the text's memory happens to end.
TEST(Inflate, TakesAllThatItMay) {
  const Bytes text = wordy_bytes(20'000, 8);
  for (std::size_t size = 1; size < text.size(); size += size < 3700 || size > 4200 ? 97 : 1) {
    const Bytes packed = zlib_deflate(ByteSpan(text).first(size), {.level = 1});
    for (const bool keep_tokens : {false, true}) {
      const auto all = inflate(packed, {.most_raw_bytes = size, .keep_tokens = keep_tokens});
      ASSERT_OK(all) << size;
      ASSERT_EQ(size, all->raw().size());
      const auto less = inflate(packed, {.most_raw_bytes = size - 1, .keep_tokens = keep_tokens});
      ASSERT_FALSE(less) << size;
      EXPECT_EQ(ErrorCode::kOutputLimit, less.error().code);
    }
  }
}

// What RFC 1951 leaves to the encoder and no encoder uses.
TEST(Inflate, TellsWhatIsNotCanonical) {
  const Bytes raw = random_bytes(100, 7);
  Bytes stored = zlib_deflate(raw, {.level = 0});
  EXPECT_TRUE(inflate(stored)->canonical);
  stored[0] |= 0x80;  // a bit between the block's type and its length
  ASSERT_OK(inflate(stored));
  EXPECT_FALSE(inflate(stored)->canonical);

  Bytes fixed = zlib_deflate(bytes_of("a"), {});
  EXPECT_TRUE(inflate(fixed)->canonical);
  fixed.back() |= 0x80;  // behind the end of the last block
  ASSERT_OK(inflate(fixed));
  EXPECT_FALSE(inflate(fixed)->canonical);

  for (const bool plain : {false, true}) {
    BitWriter out;
    out.put(1 | 1 << 1, 3);                                // the last block, of fixed trees
    out.put(0x0c, 8);                                      // a byte 0
    if (plain) out.put(0xa3, 8);                           // length 258
    if (!plain) out.put(0x23 | 31 << 8, 13);               // length 227, and 31 more
    out.put(0, 5);                                         // distance 1
    out.put(0, 7);                                         // the end
    out.align();
    const auto stream = inflate(out.bytes());
    ASSERT_OK(stream);
    EXPECT_TRUE(same_bytes(Bytes(259), stream->raw()));
    EXPECT_EQ(plain, stream->canonical);
  }
}

}  // namespace
}  // namespace bdelta::test::inflate_test
