#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <bit>
#include <string>

#include "codec/codec.hpp"

namespace bdelta {
namespace {

Error encoder_error(const char* codec, const std::string& what) {
  return {ErrorCode::kInternal, std::string(codec) + " could not compress: " + what};
}

class StoreEncoder final : public FrameEncoder {
 public:
  Status encode(ByteSpan raw, bool, Bytes& out) override {
    append(out, raw);
    return {};
  }
};

// One thread always: the library's own threads change the bytes with their number.
class ZstdEncoder final : public FrameEncoder {
 public:
  ZstdEncoder(const CodecSettings& settings, std::uint64_t total_bytes) : context_(ZSTD_createCCtx()) {
    if (!context_) return;
    ZSTD_CCtx_setParameter(context_, ZSTD_c_compressionLevel, settings.level);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_windowLog, static_cast<int>(window_log_for(total_bytes, settings.max_window_log)));
    ZSTD_CCtx_setParameter(context_, ZSTD_c_contentSizeFlag, 0);
    ZSTD_CCtx_setParameter(context_, ZSTD_c_checksumFlag, 0);
    ZSTD_CCtx_setPledgedSrcSize(context_, total_bytes);
  }
  ~ZstdEncoder() override { ZSTD_freeCCtx(context_); }
  ZstdEncoder(const ZstdEncoder&) = delete;
  ZstdEncoder& operator=(const ZstdEncoder&) = delete;

  Status encode(ByteSpan raw, bool last, Bytes& out) override {
    if (!context_) return Error{ErrorCode::kOutOfMemory, "no memory for the compressor"};
    ZSTD_inBuffer input{raw.data(), raw.size(), 0};
    const std::size_t bound = ZSTD_compressBound(raw.size()) + 1024;
    for (;;) {
      const std::size_t begin = out.size();
      out.resize(begin + bound);
      ZSTD_outBuffer output{out.data() + begin, bound, 0};
      const std::size_t left = ZSTD_compressStream2(context_, &output, &input, last ? ZSTD_e_end : ZSTD_e_flush);
      out.resize(begin + output.pos);
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
  return options;
}

class LzmaEncoder final : public FrameEncoder {
 public:
  LzmaEncoder(const CodecSettings& settings, std::uint64_t total_bytes) {
    lzma_options_lzma options = lzma_options(settings, total_bytes);
    const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    ready_ = lzma_raw_encoder(&stream_, filters) == LZMA_OK;
  }
  ~LzmaEncoder() override { lzma_end(&stream_); }
  LzmaEncoder(const LzmaEncoder&) = delete;
  LzmaEncoder& operator=(const LzmaEncoder&) = delete;

  Status encode(ByteSpan raw, bool last, Bytes& out) override {
    if (!ready_) return Error{ErrorCode::kOutOfMemory, "no memory for the compressor"};
    stream_.next_in = raw.data();
    stream_.avail_in = raw.size();
    for (;;) {
      const std::size_t begin = out.size();
      const std::size_t room = raw.size() / 4 + 4096;
      out.resize(begin + room);
      stream_.next_out = out.data() + begin;
      stream_.avail_out = room;
      const lzma_ret code = lzma_code(&stream_, last ? LZMA_FINISH : LZMA_SYNC_FLUSH);
      out.resize(begin + room - stream_.avail_out);
      if (code == LZMA_STREAM_END) return {};
      if (code != LZMA_OK) return encoder_error("lzma", "code " + std::to_string(static_cast<int>(code)));
    }
  }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_ = false;
};

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
    // Tables have 2^21 entries at level 9 and fewer below, and no more than twice the window; each of 4 bytes, with as
    // much again for chains or trees and for the bytes that find rows.
    case CodecId::kZstd: {
      const std::uint64_t entries = settings.level < 3 ? kMiB / 8 : settings.level < 10 ? 2 * kMiB : 16 * kMiB;
      return window + 8 * std::min(entries, 2 * window) + kMiB;
    }
    case CodecId::kLzma: {
      lzma_options_lzma options = lzma_options(settings, total_bytes);
      const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options},
                                     {LZMA_VLI_UNKNOWN, nullptr}};
      return lzma_raw_encoder_memusage(filters);
    }
  }
  return 0;
}

Result<std::unique_ptr<FrameEncoder>> make_encoder(const CodecSettings& settings, std::uint64_t total_bytes) {
  switch (settings.id) {
    case CodecId::kStore: return std::unique_ptr<FrameEncoder>(std::make_unique<StoreEncoder>());
    case CodecId::kZstd:
      return std::unique_ptr<FrameEncoder>(std::make_unique<ZstdEncoder>(settings, total_bytes));
    case CodecId::kLzma: return std::unique_ptr<FrameEncoder>(std::make_unique<LzmaEncoder>(settings, total_bytes));
  }
  return Error{ErrorCode::kInternal, "no such codec"};
}

}  // namespace bdelta
