// Two questions, because codecs win in two ways. What is uneven or repeats nearby shows in any part: a quarter of the
// stream, in pieces spread evenly, goes through a fast codec until it has saved enough; so what compresses costs next to
// nothing. What repeats megabytes away (compressed files inside of which the same file stands twice) no sample of
// pieces shows, nor does a fast codec with its small tables: so the 8 bytes at one position in 32, chosen by their hash
// and thus the same wherever they stand, are looked up among those before.
#include "format/native/compress_probe.hpp"

#include <algorithm>
#include <bit>

#include "base/try.hpp"
#include "format/native/layout.hpp"
#include "match/sample_hash.hpp"

namespace bdelta::native {
namespace {

constexpr CodecSettings kFast{CodecId::kZstd, 1, 0};
constexpr std::uint64_t kLeastBytes = 256 * 1024;            // a shorter stream is quick with any codec
constexpr std::uint64_t kGainShare = 500;                    // the fast codec must save one byte in so many
constexpr std::uint64_t kRepeatShare = 1000;                 // or one sample in so many must have stood before …
constexpr std::uint64_t kRepeatShareSlow = 200;              // … where the codec takes ten times as long
constexpr std::size_t kPieceBytes = 16 * 1024;               // of each …
constexpr std::size_t kPieceStride = 64 * 1024;              // … stretch of so many
constexpr std::size_t kFirstLook = 64 * 1024;                // bytes of pieces coded before the gain is first looked at
constexpr std::uint32_t kThreshold = std::uint32_t{1} << 27;  // one position in 32 is a sample
constexpr std::size_t kScanBytes = 256 * 1024;               // searched for samples at a time

Bytes spread_pieces(ByteSpan raw) {
  Bytes pieces;
  pieces.reserve((raw.size() / kPieceStride + 1) * kPieceBytes);
  for (std::size_t begin = 0; begin < raw.size(); begin += kPieceStride) {
    append(pieces, raw.subspan(begin, std::min(kPieceBytes, raw.size() - begin)));
  }
  return pieces;
}

Result<bool> pieces_compress(ByteSpan raw, Watch* watch) {
  const Bytes pieces = spread_pieces(raw);
  BDELTA_ASSIGN(const auto encoder, make_encoder(kFast, pieces.size()));
  std::uint64_t gain = 0;
  std::size_t length = kFirstLook;
  for (std::size_t begin = 0; begin < pieces.size(); begin += length, length = kMaxFrameBytes) {
    length = std::min(length, pieces.size() - begin);
    Bytes coded;
    BDELTA_TRY(encoder->encode(ByteSpan(pieces).subspan(begin, length), begin + length == pieces.size(), coded));
    if (watch) watch->advance();
    gain += length - std::min(length, coded.size());
    if (gain > pieces.size() / kGainShare) return true;
  }
  return false;
}

// The table keeps half of each sample's bits, enough to make chance repeats rare, and the last sample of each slot.
bool repeats_itself(ByteSpan raw, std::uint64_t share, Watch* watch) {
  static const SampleScan scan = best_sample_scan();
  const std::uint64_t slot_count = std::bit_ceil(raw.size() / 16);
  const unsigned shift = 64 - static_cast<unsigned>(std::countr_zero(slot_count));
  std::vector<std::uint32_t> slots;
  resize_watched(slots, static_cast<std::size_t>(slot_count), watch);
  std::vector<std::uint32_t> positions;
  std::uint64_t sample_count = 0;
  std::uint64_t repeat_count = 0;
  const std::size_t last = raw.size() - kHashSpan + 1;
  for (std::size_t begin = 0; begin < last; begin += kScanBytes) {
    positions.clear();
    scan(raw.data() + begin, static_cast<std::uint32_t>(std::min(kScanBytes, last - begin)), kThreshold, positions);
    for (const std::uint32_t offset : positions) {
      const std::uint64_t mixed = load_le<std::uint64_t>(raw.data() + begin + offset) * 0x9FB21C651E98DF25ull;
      std::uint32_t& slot = slots[static_cast<std::size_t>(mixed >> shift)];
      const auto print = static_cast<std::uint32_t>((mixed ^ (mixed >> 32)) | 1);
      repeat_count += slot == print;
      slot = print;
    }
    sample_count += positions.size();
    if (watch) watch->advance();
  }
  return repeat_count * share > sample_count;
}

}  // namespace

Result<bool> looks_compressible(ByteSpan raw, const CodecSettings& settings, Watch* watch) {
  if (raw.size() < kLeastBytes || (settings.id == kFast.id && settings.level <= kFast.level)) return true;
  BDELTA_ASSIGN(const bool compress, pieces_compress(raw, watch));
  return compress || repeats_itself(raw, settings.id == CodecId::kLzma ? kRepeatShareSlow : kRepeatShare, watch);
}

}  // namespace bdelta::native
