// Bytes to fewer bytes and back, through the libraries of the field.
//
// A stream is coded as a sequence of frames that share the codec's state: every frame decodes as soon as it is there,
// and only in order. The reading half needs nothing of the writing half.
// Not thread-safe: one object, one thread.
#pragma once

#include <cstdint>
#include <memory>

#include "base/bytes.hpp"
#include "bdelta/error.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// Fixed on disk: never reordered, never reused.
enum class CodecId : std::uint8_t { kStore = 0, kZstd = 1, kLzma = 2 };
inline constexpr std::uint8_t kCodecCount = 3;

[[nodiscard]] const char* codec_name(CodecId id) noexcept;

// Name and version of the libraries in use, e.g. "zstd 1.5.4, liblzma 5.4.1".
[[nodiscard]] const char* zstd_version() noexcept;
[[nodiscard]] const char* lzma_version() noexcept;

class FrameDecoder {
 public:
  virtual ~FrameDecoder() = default;

  // Decodes one frame into exactly out.size() bytes. kCodecFailed if the frame holds more, less or nonsense.
  virtual Status decode(ByteSpan coded, MutableByteSpan out) = 0;
};

// window_log: log2 of the bytes that a frame may refer back to, as the patch declares; the caller has bounded it.
Result<std::unique_ptr<FrameDecoder>> make_decoder(CodecId id, unsigned window_log);

// Upper bound of the bytes a decoder allocates.
[[nodiscard]] std::uint64_t decoder_memory_bytes(CodecId id, unsigned window_log) noexcept;

inline constexpr unsigned kMinWindowLog = 12;
inline constexpr unsigned kMaxWindowLog = 26;  // 64 MiB

struct CodecSettings {
  CodecId id = CodecId::kStore;
  int level = 0;             // the codec's own scale
  unsigned align_log = 0;    // LZMA's position bits: 2 where the data has 4-byte structure
  unsigned max_window_log = kMaxWindowLog;  // the codec looks back no further than 2^this bytes; less = less memory on both sides
  unsigned context_bits = 3;       // LZMA: bits of the byte before that predict a literal
  unsigned literal_align_log = 0;  // LZMA: position bits that do; with context_bits at most 4
};

// A fast codec in place of a slow one, where all that is asked is how well a stream compresses. It takes an eighth of the
// time of LZMA or the context coder.
inline constexpr CodecSettings kQuickCodec{CodecId::kZstd, 9};

// `settings` with those position and context bits of LZMA that do clearly best on samples of `raw`. A decoder need not
// be told. `watch` may be null.
Result<CodecSettings> fitted_settings(ByteSpan raw, const CodecSettings& settings, Watch* watch = nullptr);

class FrameEncoder {
 public:
  virtual ~FrameEncoder() = default;

  // Appends the frame of `raw` to `out`; `last` ends the stream.
  virtual Status encode(ByteSpan raw, bool last, Bytes& out) = 0;
};

// The smallest window_log that sees all of a stream of total_bytes, within what readers accept and max_window_log.
[[nodiscard]] unsigned window_log_for(std::uint64_t total_bytes, unsigned max_window_log = kMaxWindowLog) noexcept;

// Upper bound of the bytes that an encoder for a stream of total_bytes allocates.
[[nodiscard]] std::uint64_t encoder_memory_bytes(const CodecSettings& settings, std::uint64_t total_bytes) noexcept;

// `watch` may be null; codecs that take more than some ms for a frame look at it while they work.
Result<std::unique_ptr<FrameEncoder>> make_encoder(const CodecSettings& settings, std::uint64_t total_bytes,
                                                   Watch* watch = nullptr);

}  // namespace bdelta
