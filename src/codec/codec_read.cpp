#include <lzma.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "codec/codec.hpp"

namespace bdelta {
namespace {

Error codec_error(const char* codec, const char* what) {
  return {ErrorCode::kCodecFailed, std::string(codec) + ": " + what + "; fetch the patch again"};
}

// Want of memory is nobody's damage.
Error zstd_error(std::size_t result) {
  if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) {
    return {ErrorCode::kOutOfMemory, "for the decompressor"};
  }
  return codec_error("zstd", ZSTD_getErrorName(result));
}

Error lzma_error(lzma_ret code) {
  if (code == LZMA_MEM_ERROR) return {ErrorCode::kOutOfMemory, "for the decompressor"};
  return codec_error("lzma", "the data is invalid");
}

constexpr const char* kWrongSize = "a frame holds another number of bytes than declared";

class StoreDecoder final : public FrameDecoder {
 public:
  Status decode(ByteSpan coded, MutableByteSpan out) override {
    if (coded.size() != out.size()) return codec_error("store", "a frame has another size than declared");
    std::copy(coded.begin(), coded.end(), out.begin());
    return {};
  }
};

class ZstdDecoder final : public FrameDecoder {
 public:
  explicit ZstdDecoder(unsigned window_log) : context_(ZSTD_createDCtx()) {
    if (context_) ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, static_cast<int>(std::max(10u, window_log)));
  }
  ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
  ZstdDecoder(const ZstdDecoder&) = delete;
  ZstdDecoder& operator=(const ZstdDecoder&) = delete;

  [[nodiscard]] bool ready() const { return context_ != nullptr; }

  Status decode(ByteSpan coded, MutableByteSpan out) override {
    ZSTD_inBuffer input{coded.data(), coded.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    while (input.pos < input.size || output.pos < output.size) {
      if (ended_) return codec_error("zstd", kWrongSize);
      const std::size_t in_before = input.pos;
      const std::size_t out_before = output.pos;
      const std::size_t hint = ZSTD_decompressStream(context_, &output, &input);
      if (ZSTD_isError(hint)) return zstd_error(hint);
      ended_ = hint == 0;
      if (input.pos == in_before && output.pos == out_before) return codec_error("zstd", kWrongSize);
    }
    return ended_ ? Status() : nothing_left();
  }

 private:
  // The library may have decoded more than it was asked for; another byte of room shows it.
  Status nothing_left() {
    std::uint8_t more;
    ZSTD_inBuffer input{nullptr, 0, 0};
    ZSTD_outBuffer output{&more, 1, 0};
    const std::size_t hint = ZSTD_decompressStream(context_, &output, &input);
    if (ZSTD_isError(hint)) return zstd_error(hint);
    if (output.pos != 0) return codec_error("zstd", kWrongSize);
    ended_ = hint == 0;
    return {};
  }

  ZSTD_DCtx* context_;
  bool ended_ = false;
};

class LzmaDecoder final : public FrameDecoder {
 public:
  explicit LzmaDecoder(unsigned window_log) {
    lzma_options_lzma options;
    std::memset(&options, 0, sizeof options);
    options.dict_size = std::uint32_t{1} << window_log;
    const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
    ready_ = lzma_raw_decoder(&stream_, filters) == LZMA_OK;
  }
  ~LzmaDecoder() override { lzma_end(&stream_); }
  LzmaDecoder(const LzmaDecoder&) = delete;
  LzmaDecoder& operator=(const LzmaDecoder&) = delete;

  [[nodiscard]] bool ready() const { return ready_; }

  Status decode(ByteSpan coded, MutableByteSpan out) override {
    stream_.next_in = coded.data();
    stream_.avail_in = coded.size();
    stream_.next_out = out.data();
    stream_.avail_out = out.size();
    if (ended_) return codec_error("lzma", kWrongSize);
    while (stream_.avail_in > 0 || stream_.avail_out > 0) {
      const std::size_t before = stream_.avail_in + stream_.avail_out;
      const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
      const bool done = stream_.avail_in == 0 && stream_.avail_out == 0;
      if (code == LZMA_STREAM_END) {
        ended_ = true;
        return done ? Status() : codec_error("lzma", kWrongSize);
      }
      if (code != LZMA_OK) return lzma_error(code);
      if (!done && stream_.avail_in + stream_.avail_out == before) return codec_error("lzma", kWrongSize);
    }
    return nothing_left();
  }

 private:
  // As for zstd. Finding nothing to do is no error of this library's streams.
  Status nothing_left() {
    std::uint8_t more;
    stream_.next_out = &more;
    stream_.avail_out = 1;
    const lzma_ret code = lzma_code(&stream_, LZMA_RUN);
    if (stream_.avail_out == 0) return codec_error("lzma", kWrongSize);
    ended_ = code == LZMA_STREAM_END;
    return code == LZMA_OK || code == LZMA_BUF_ERROR || ended_ ? Status() : lzma_error(code);
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
  bool ready_ = false;
  bool ended_ = false;
};

template <class Decoder>
Result<std::unique_ptr<FrameDecoder>> ready_or_memory(std::unique_ptr<Decoder> decoder) {
  if (!decoder->ready()) return Error{ErrorCode::kOutOfMemory, "for a decoder"};
  return std::unique_ptr<FrameDecoder>(std::move(decoder));
}

}  // namespace

const char* codec_name(CodecId id) noexcept {
  switch (id) {
    case CodecId::kStore: return "store";
    case CodecId::kZstd: return "zstd";
    case CodecId::kLzma: return "lzma";
  }
  return "unknown";
}

const char* zstd_version() noexcept { return ZSTD_versionString(); }
const char* lzma_version() noexcept { return lzma_version_string(); }

Result<std::unique_ptr<FrameDecoder>> make_decoder(CodecId id, unsigned window_log) {
  if (window_log > kMaxWindowLog) return codec_error(codec_name(id), "the declared window is too large");
  switch (id) {
    case CodecId::kStore: return std::unique_ptr<FrameDecoder>(std::make_unique<StoreDecoder>());
    case CodecId::kZstd: return ready_or_memory(std::make_unique<ZstdDecoder>(window_log));
    case CodecId::kLzma: return ready_or_memory(std::make_unique<LzmaDecoder>(window_log));
  }
  return Error{ErrorCode::kUnsupportedFeature, "codec " + std::to_string(static_cast<unsigned>(id))};
}

std::uint64_t decoder_memory_bytes(CodecId id, unsigned window_log) noexcept {
  constexpr std::uint64_t kZstdFixed = 512 * 1024;  // context, tables and one block of look-ahead
  constexpr std::uint64_t kLzmaFixed = 128 * 1024;
  const std::uint64_t window = std::uint64_t{1} << window_log;
  switch (id) {
    case CodecId::kStore: return 0;
    case CodecId::kZstd: return window + kZstdFixed;
    case CodecId::kLzma: return window + kLzmaFixed;
  }
  return window;
}

}  // namespace bdelta
