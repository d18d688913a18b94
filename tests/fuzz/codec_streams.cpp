// Streams of frames for the codecs: hostile ones for the decoder, and any bytes in any pieces through encoder and
// decoder. Searches for frames that write more than their room, and for streams that don't come back.
#include "codec/codec.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

constexpr unsigned kMostWindowLog = 16;  // larger ones take long to make and are no different

void decode(Input& input, CodecId id) {
  const unsigned window_log = kMinWindowLog + input.u8() % (kMostWindowLog - kMinWindowLog + 1u);
  const auto decoder = make_decoder(id, window_log);
  require(static_cast<bool>(decoder), "decoders can be made");
  while (!input.empty()) {
    const std::size_t coded_bytes = input.u16() % 2048;
    test::GuardedBytes out(std::size_t{input.u16()} % 8192 + 1);
    const test::GuardedBytes coded(input.bytes(coded_bytes));
    if (!(*decoder)->decode(coded.bytes(), out.writable())) return;
  }
}

void encode_and_decode(Input& input, CodecId id) {
  CodecSettings settings{id, 1 + input.u8() % (id == CodecId::kLzma ? 6 : 19), input.u8() % 3u, 16};
  settings.context_bits = input.u8() % 4u;
  settings.literal_align_log = input.u8() % (5u - settings.context_bits);
  const std::size_t piece_bytes = 1 + input.u16() % 1024;
  const std::uint64_t total_bytes = input.rest().size();
  auto encoder = make_encoder(settings, total_bytes);
  auto decoder = make_decoder(id, window_log_for(total_bytes, settings.max_window_log));
  require(encoder && decoder, "codecs can be made");
  while (!input.empty()) {
    const ByteSpan raw = input.bytes(piece_bytes);
    Bytes coded;
    require(static_cast<bool>((*encoder)->encode(raw, input.empty(), coded)), "any bytes can be encoded");
    const test::GuardedBytes guarded(coded);
    test::GuardedBytes out(raw.size());
    require(static_cast<bool>((*decoder)->decode(guarded.bytes(), out.writable())), "what was encoded can be decoded");
    require(std::equal(raw.begin(), raw.end(), out.bytes().begin()), "what was encoded comes back");
  }
}

}  // namespace

void run(Input& input) {
  const std::uint8_t options = input.u8();
  const auto id = static_cast<CodecId>((options >> 1) % kCodecCount);
  (options & 1) != 0 ? encode_and_decode(input, id) : decode(input, id);
}

}  // namespace bdelta::fuzz
