// Two questions, because codecs win in two ways. What is uneven or repeats nearby shows in any part. So a quarter of the
// stream, in pieces spread evenly, goes through a fast codec until it has saved enough. So what compresses costs next to
// nothing. What repeats megabytes away shows in no sample of pieces (compressed files inside of which the same file stands
// twice). Nor does a fast codec find it with its small tables. So the 8 bytes at one position in 32 are looked up among
// those before. These positions are chosen by the hash of their bytes and are thus the same wherever the bytes stand.
//
// LZMA is asked a third one: whether it saves anything of what stands near, and more than a thorough zstd does. Where a
// stream has far repeats alone, or bytes that are only somewhat uneven (archives of compressed files, fonts), LZMA makes
// what that one does, within 0.8 % either way. It takes up to twice the time for it, and five to fifteen times that for
// decoding. Floats, of which zstd makes nothing, LZMA has a way with: so it is asked itself. That thorough zstd also takes
// what the entropy coder of a fast one does not find worth its tables: counts tell where it saves a byte in 200
// (pictures).
#include "format/native/compress_probe.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "base/deciding/coding.hpp"
#include "base/fixed_log2.hpp"
#include "base/try.hpp"
#include "format/native/layout.hpp"
#include "match/sample_hash.hpp"

namespace bdelta::native {
namespace {

constexpr CodecSettings kFast{CodecId::kZstd, kFastLevel, 0};
constexpr CodecSettings kThorough{CodecId::kZstd, kThoroughLevel, 0};    // in place of LZMA
constexpr std::uint32_t kThreshold = static_cast<std::uint32_t>((std::uint64_t{1} << 32) >> kRepeatSampleShift);
constexpr std::size_t kScanBytes = 256 * 1024;               // searched for samples at a time

Bytes spread_pieces(ByteSpan raw, std::size_t stride) {
  Bytes pieces;
  pieces.reserve((raw.size() / stride + 1) * kProbePieceBytes);
  for (std::size_t begin = 0; begin < raw.size(); begin += stride) {
    append(pieces, raw.subspan(begin, std::min(kProbePieceBytes, raw.size() - begin)));
  }
  return pieces;
}

Result<bool> pieces_compress(ByteSpan raw, Watch* watch) {
  const Bytes pieces = spread_pieces(raw, kProbeStrideBytes);
  BDELTA_ASSIGN(const auto encoder, make_encoder(kFast, pieces.size()));
  std::uint64_t gain = 0;
  std::size_t length = kFirstLookBytes;
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

CodecSettings thorough_in_place_of(const CodecSettings& settings) noexcept {
  CodecSettings thorough = kThorough;
  thorough.max_window_log = settings.max_window_log;
  return thorough;
}

Result<std::uint64_t> saved_bytes(ByteSpan pieces, const CodecSettings& settings, Watch* watch) {
  BDELTA_ASSIGN(const auto encoder, make_encoder(settings, pieces.size(), watch));
  Bytes coded;
  BDELTA_TRY(encoder->encode(pieces, true, coded));
  return pieces.size() - std::min(coded.size(), pieces.size());
}

// Whether counts of the bytes of pieces leave an entropy coder something, each piece with a table of its own. The fourth power of a count, which fits into 64 bits, has
// a logarithm four times as exact.
bool is_uneven(ByteSpan raw) noexcept {
  std::uint64_t seen_bytes = 0;
  std::uint64_t bits = 0;  // in 1 / (4 * kLog2One)
  for (std::size_t begin = 0; begin + kProbePieceBytes <= raw.size(); begin += kProbeStrideBytes) {
    std::array<std::uint32_t, 256> counts{};
    for (const std::uint8_t byte : raw.subspan(begin, kProbePieceBytes)) ++counts[byte];
    for (const std::uint64_t count : counts) {
      if (count == 0) continue;
      const std::int64_t rarity = log2_fixed(kProbePieceBytes) * 4 - log2_fixed(count * count * count * count);
      bits += count * static_cast<std::uint64_t>(rarity);
    }
    seen_bytes += kProbePieceBytes;
  }
  const std::uint64_t plain_bits = seen_bytes * 8 * 4 * kLog2One;
  return bits + plain_bits / kUnevenShare < plain_bits;
}

Bytes trial_pieces(ByteSpan raw) { return spread_pieces(raw, std::max(kProbeStrideBytes, raw.size() / kMostTrialBytes * kProbePieceBytes)); }

// What LZMA saves of pieces tells what it saves of all of the stream, but for far repeats, which zstd finds as well.
Result<bool> saves_nearby(ByteSpan raw, CodecSettings lzma, Watch* watch) {
  lzma.level = std::min(lzma.level, kTrialLevel);
  const Bytes pieces = trial_pieces(raw);
  BDELTA_ASSIGN(const std::uint64_t saved, saved_bytes(pieces, lzma, watch));
  if (saved > pieces.size() / kMuchGainShare) return true;
  if (saved < pieces.size() / kNearGainShare) return false;
  BDELTA_ASSIGN(const std::uint64_t saved_by_zstd, saved_bytes(pieces, kThorough, watch));
  return saved > saved_by_zstd;
}

// Counts cost next to nothing; where they promise something, the codec says how much of it its own codes can take.
Result<bool> entropy_pays(ByteSpan raw, const CodecSettings& settings, Watch* watch) {
  if (settings.id == CodecId::kZstd && settings.level < kThorough.level) return false;
  if (!is_uneven(raw)) return false;
  const Bytes pieces = trial_pieces(raw);
  BDELTA_ASSIGN(const std::uint64_t saved, saved_bytes(pieces, kThorough, watch));
  return saved > pieces.size() / kEntropyGainShare;
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

Result<CodecSettings> codec_worth_trying(ByteSpan raw, const CodecSettings& settings, Watch* watch) {
  if (settings.id == CodecId::kStore) return settings;
  const bool is_quick = settings.id == kFast.id && settings.level <= kFast.level;
  if (raw.size() < kProbedBytes || is_quick) return fitted_settings(raw, settings, watch);
  BDELTA_ASSIGN(const bool compress, pieces_compress(raw, watch));
  if (!compress && !repeats_itself(raw, kRepeatShare, watch)) {
    BDELTA_ASSIGN(const bool pays, entropy_pays(raw, settings, watch));
    return pays ? thorough_in_place_of(settings) : CodecSettings{};
  }
  if (settings.id != CodecId::kLzma) return settings;
  BDELTA_ASSIGN(const CodecSettings fitted, fitted_settings(raw, settings, watch));
  BDELTA_ASSIGN(const bool saves, saves_nearby(raw, fitted, watch));
  if (saves) return fitted;
  return thorough_in_place_of(settings);
}

std::uint64_t codec_memory_bytes(const CodecSettings& settings, std::uint64_t raw_bytes) noexcept {
  const std::uint64_t bytes = encoder_memory_bytes(settings, raw_bytes);
  if (settings.id != CodecId::kLzma || raw_bytes < kProbedBytes) return bytes;
  return std::max(bytes, encoder_memory_bytes(thorough_in_place_of(settings), raw_bytes));
}

}  // namespace bdelta::native
