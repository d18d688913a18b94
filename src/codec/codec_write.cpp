#include <lzma.h>
#define ZSTD_STATIC_LINKING_ONLY  // for ZSTD_c_useRowMatchFinder, which shared libraries take as well
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "base/try.hpp"
#include "codec/codec.hpp"

namespace bdelta {
namespace {

Error encoder_error(const char* codec, const std::string& what) {
  return {ErrorCode::kInternal, std::string(codec) + " could not compress: " + what};
}

Error no_memory() { return {ErrorCode::kOutOfMemory, "for the compressor"}; }

class StoreEncoder final : public FrameEncoder {
 public:
  Status encode(ByteSpan raw, bool, Bytes& out) override {
    append(out, raw);
    return {};
  }
};

// Left to itself, zstd finds matches by rows in windows of more than 2^17 bytes. Where it was built with SIMD, more
// than 2^14 are enough, so other processors give other bytes. This is its choice with SIMD, for all of them. Levels
// that have no rows disregard it.
void choose_match_finder(ZSTD_CCtx* context, unsigned window_log) {
#if ZSTD_VERSION_NUMBER >= 10501
  constexpr unsigned kMostLogWithoutRows = 14;
  const auto choice = window_log > kMostLogWithoutRows ? ZSTD_ps_enable : ZSTD_ps_disable;
  ZSTD_CCtx_setParameter(context, ZSTD_c_useRowMatchFinder, choice);
#else
  (void)context, (void)window_log;
#endif
}

// One thread always: the library's own threads change the bytes with their number.
class ZstdEncoder final : public FrameEncoder {
 public:
  ZstdEncoder(const CodecSettings& settings, std::uint64_t total_bytes) : context_(ZSTD_createCCtx()) {
    if (!context_) return;
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, settings.level);
    const unsigned window_log = window_log_for(total_bytes, settings.max_window_log);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_windowLog, static_cast<int>(window_log));
    choose_match_finder(context_, window_log);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 0);
    ZSTD_CCtx_setPledgedSrcSize(context_, total_bytes);
  }
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }
  ZstdEncoder(const ZstdEncoder&) = delete;
  ZstdEncoder& operator=(const ZstdEncoder&) = delete;

  Status encode(ByteSpan raw, bool last, Bytes& out) override {
    if (!context_) return no_memory();
    ZSTD_inBuffer input{raw.data(), raw.size(), 0};
    const std::size_t bound = ZSTD_compressBound(raw.size()) + 1024;
    for (;;) {
      const std::size_t begin = out.size();
      out.resize(begin + bound);
      ZSTD_outBuffer output{out.data() + begin, bound, 0};
      const std::size_t left = ZSTD_compressStream2(context_, &output, &input, last ? ZSTD_e_end : ZSTD_e_flush);
      out.resize(begin + output.pos);
      if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) return no_memory();
      if (ZSTD_isError(left)) return encoder_error("zstd", ZSTD_getErrorName(left));
      if (left == 0 && input.pos == input.size) return {};
    }
  }

 private:
  ZSTD_CCtx* context_;
};

lzma_options_lzma lzma_options(const CodecSettings& settings, std::uint64_t total_bytes) {
  lzma_options_lzma options;
  lzma_lzma_preset(&options, static_cast<std::uint32_t>(settings.level));
  options.dict_size = std::uint32_t{1} << window_log_for(total_bytes, settings.max_window_log);
  options.pb = settings.align_log;
  options.lc = settings.context_bits;
  options.lp = settings.literal_align_log;
  return options;
}

class LzmaEncoder final : public FrameEncoder {
 public:
  LzmaEncoder(const CodecSettings& settings, std::uint64_t total_bytes, Watch* watch) : watch_(watch) {
    lzma_options_lzma options = lzma_options(settings, total_bytes);
    const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    ready_ = lzma_raw_encoder(&stream_, filters) == LZMA_OK;
  }
  ~LzmaEncoder() override { lzma_end(&stream_); }
  LzmaEncoder(const LzmaEncoder&) = delete;
  LzmaEncoder& operator=(const LzmaEncoder&) = delete;

  Status encode(ByteSpan raw, bool last, Bytes& out) override {
    if (!ready_) return no_memory();
    while (raw.size() > kPieceBytes) {
      BDELTA_TRY(run(raw.first(kPieceBytes), LZMA_RUN, out));
      raw = raw.subspan(kPieceBytes);
      if (watch_) watch_->advance();
    }
    return run(raw, last ? LZMA_FINISH : LZMA_SYNC_FLUSH, out);
  }

 private:
  static constexpr std::size_t kPieceBytes = 32 * 1024;  // of input between two looks at the watch: up to 30 ms

  // Feeds one piece. The library looks ahead by itself, so the coded bytes don't depend on where pieces end.
  Status run(ByteSpan raw, lzma_action action, Bytes& out) {
    stream_.next_in = raw.data();
    stream_.avail_in = raw.size();
    for (;;) {
      const std::size_t begin = out.size();
      const std::size_t room = raw.size() / 4 + 4096;
      out.resize(begin + room);
      stream_.next_out = out.data() + begin;
      stream_.avail_out = room;
      const lzma_ret code = lzma_code(&stream_, action);
      out.resize(begin + room - stream_.avail_out);
      if (code == LZMA_STREAM_END || (code == LZMA_BUF_ERROR && action == LZMA_RUN)) return {};
      if (code == LZMA_MEM_ERROR) return no_memory();
      if (code != LZMA_OK) return encoder_error("lzma", "code " + std::to_string(static_cast<int>(code)));
      if (action == LZMA_RUN && stream_.avail_in == 0 && stream_.avail_out != 0) return {};
    }
  }

  Watch* const watch_;
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_ = false;
};

// What LZMA looks at to predict: text, machine code, tables of 4-byte and of 2-byte fields.
struct LzmaShape {
  unsigned align_log;
  unsigned context_bits;
  unsigned literal_align_log;
};
constexpr LzmaShape kLzmaShapes[] = {{2, 3, 0}, {0, 3, 0}, {2, 2, 2}, {2, 0, 2}, {1, 3, 1}};
constexpr std::size_t kLeastFitted = 4096;          // below, the shapes differ by a few bytes
constexpr std::size_t kSampleBytes = 8 * 1024;      // of each of the samples, which lie evenly
constexpr std::size_t kSampleCount = 4;             // more bytes or samples hardly make another choice
constexpr int kSampleLevel = 1;                     // order of the shapes hardly depends on it
constexpr std::size_t kFitGain = 128;               // a shape must save one byte in so many: samples may mislead

Bytes sample_of(ByteSpan raw) {
  if (raw.size() <= kSampleCount * kSampleBytes) return {raw.begin(), raw.end()};
  Bytes sample;
  for (std::size_t i = 0; i < kSampleCount; ++i) {
    // In the middle of each part of the stream. Positions keep their alignment.
    const std::size_t part_bytes = raw.size() / kSampleCount;
    const std::size_t at = (part_bytes * i + (part_bytes - kSampleBytes) / 2) & ~std::size_t{15};
    append(sample, raw.subspan(at, kSampleBytes));
  }
  return sample;
}

}  // namespace

unsigned window_log_for(std::uint64_t total_bytes, unsigned max_window_log) noexcept {
  const unsigned log = static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(total_bytes, 2) - 1));
  return std::clamp(log, kMinWindowLog, std::clamp(max_window_log, kMinWindowLog, kMaxWindowLog));
}

std::uint64_t encoder_memory_bytes(const CodecSettings& settings, std::uint64_t total_bytes) noexcept {
  const std::uint64_t window = std::uint64_t{1} << window_log_for(total_bytes, settings.max_window_log);
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  switch (settings.id) {
    case CodecId::kStore: return 0;
    // Tables have 2^21 entries at level 9 and fewer below, and no more than twice the window. An entry has 4 bytes.
    // Chains or trees, and the bytes that find rows, take as much again.
    case CodecId::kZstd: {
      const std::uint64_t entries = settings.level < 3 ? kMiB / 8 : settings.level < 10 ? 2 * kMiB : 16 * kMiB;
      return window + 8 * std::min(entries, 2 * window) + kMiB;
    }
    case CodecId::kLzma: {
      lzma_options_lzma options = lzma_options(settings, total_bytes);
      const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options},
                                     {LZMA_VLI_UNKNOWN, nullptr}};
      // The library counts its own structures, which are smaller with 32 bits; whole pages are the same.
      constexpr std::uint64_t kPageBytes = 4096;
      return (lzma_raw_encoder_memusage(filters) + kPageBytes - 1) / kPageBytes * kPageBytes;
    }
  }
  return 0;
}

Result<std::unique_ptr<FrameEncoder>> make_encoder(const CodecSettings& settings, std::uint64_t total_bytes, Watch* watch) {
  switch (settings.id) {
    case CodecId::kStore: return std::unique_ptr<FrameEncoder>(std::make_unique<StoreEncoder>());
    case CodecId::kZstd:
      return std::unique_ptr<FrameEncoder>(std::make_unique<ZstdEncoder>(settings, total_bytes));
    case CodecId::kLzma:
      return std::unique_ptr<FrameEncoder>(std::make_unique<LzmaEncoder>(settings, total_bytes, watch));
  }
  return Error{ErrorCode::kInternal, "no such codec"};
}

Result<CodecSettings> fitted_settings(ByteSpan raw, const CodecSettings& settings, Watch* watch) {
  if (settings.id != CodecId::kLzma || raw.size() < kLeastFitted) return settings;
  const Bytes sample = sample_of(raw);
  CodecSettings best = settings;
  std::size_t best_bytes = 0;
  std::vector<LzmaShape> shapes = {{settings.align_log, settings.context_bits, settings.literal_align_log}};
  shapes.insert(shapes.end(), std::begin(kLzmaShapes), std::end(kLzmaShapes));
  for (const LzmaShape& shape : shapes) {
    CodecSettings tried = settings;
    tried.align_log = shape.align_log;
    tried.context_bits = shape.context_bits;
    tried.literal_align_log = shape.literal_align_log;
    CodecSettings quick = tried;
    quick.level = std::min(settings.level, kSampleLevel);
    auto encoder = make_encoder(quick, sample.size(), watch);
    if (!encoder) return std::move(encoder).error();
    Bytes coded;
    Status done = (*encoder)->encode(sample, true, coded);
    if (!done) return std::move(done).error();
    const bool first = best_bytes == 0;
    if (first || coded.size() + best_bytes / kFitGain < best_bytes) {
      best_bytes = coded.size();
      best = tried;
    }
  }
  return best;
}

}  // namespace bdelta
