// Frames of the codecs, with setting the coder up, as every stream of a patch does. Bytes are those of the raw side.
//
// The input is of the kind of a program, not of the kind of a residual: that makes it comparable with published figures
// of the codecs. 1 MiB is the largest frame of a patch, 16 KiB a stream of a small one, where setting up costs most.
#include "codec/codec.hpp"

#include "kernels.hpp"

namespace bdelta::bench {
namespace {

// Empty after an error, which the check of the caller then notices.
Bytes encoded(ByteSpan raw, const CodecSettings& settings) {
  Bytes coded;
  auto encoder = make_encoder(settings, raw.size());
  if (!encoder || !(*encoder)->encode(raw, true, coded)) return {};
  return coded;
}

bool decode(ByteSpan coded, CodecId id, MutableByteSpan raw) {
  auto decoder = make_decoder(id, window_log_for(raw.size()));
  return decoder && (*decoder)->decode(coded, raw);
}

struct Frame {
  Bytes raw;
  Bytes coded;
};

void add_codec(const std::string& name, const CodecSettings& settings, const Size& size) {
  const auto raw = [size]() -> const Bytes& {
    return input(std::string("program/") + size.name, [size] { return program_bytes(size.bytes); });
  };
  add("codec/compress/" + name, size, [=](benchmark::State& state) {
    const Bytes& in = raw();
    if (refused(state, !encoded(in, settings).empty())) return;
    measure(state, in.size(), 0, [&] { return encoded(in, settings); });
  });
  add("codec/decompress/" + name, size, [=](benchmark::State& state) {
    const Frame& frame = input("frame/" + name + "/" + size.name, [&] {
      Frame made{program_bytes(size.bytes), {}};
      made.coded = encoded(made.raw, settings);
      return made;
    });
    Bytes out(frame.raw.size());
    if (refused(state, decode(frame.coded, settings.id, out) && out == frame.raw)) return;
    measure(state, frame.raw.size(), 0, [&] { return decode(frame.coded, settings.id, out); });
    state.counters["ratio"] = static_cast<double>(frame.raw.size()) / static_cast<double>(frame.coded.size());
  });
}

}  // namespace

void register_codec() {
  for (const Size& size : {Size{"16KiB", 16 << 10}, Size{"1MiB", 1 << 20}}) {
    for (const char* group : {"compress", "decompress"}) {
      add(std::string("codec/") + group + "/floor_memcpy", size, [size](benchmark::State& state) {
        measure_memcpy(state, input(std::string("program/") + size.name, [size] { return program_bytes(size.bytes); }));
      });
    }
    add_codec("store", {CodecId::kStore, 0, 0}, size);
    add_codec("zstd_1", {CodecId::kZstd, 1, 0}, size);
    add_codec("zstd_9", {CodecId::kZstd, 9, 0}, size);
    add_codec("lzma_6", {CodecId::kLzma, 6, 2}, size);
  }
}

}  // namespace bdelta::bench
