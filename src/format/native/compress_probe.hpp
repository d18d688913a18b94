// Which codec is worth its time for a stream: asked before a slow one is let loose, answered from samples.
#pragma once

#include "codec/codec.hpp"

namespace bdelta::native {

// `settings`, fitted to the stream, where they are worth their time or quick anyway. In place of LZMA zstd 19 with the same
// window, where samples say that it makes no more, or that only its entropy coder saves something. Storing, for data that is
// compressed or random. There a fast codec saves next to nothing in samples of `raw`, next to nothing of it repeats
// anywhere, and no entropy coder as thorough as `settings` gains. `watch` may be null. Fails as codecs do.
Result<CodecSettings> codec_worth_trying(ByteSpan raw, const CodecSettings& settings, Watch* watch);

// Private memory that coding a stream of so many bytes takes at most, by whichever codec is found worth it.
[[nodiscard]] std::uint64_t codec_memory_bytes(const CodecSettings& settings, std::uint64_t raw_bytes) noexcept;

}  // namespace bdelta::native
