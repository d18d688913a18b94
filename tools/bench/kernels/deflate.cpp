// Deflate streams: inflating them, and making them again from what they unpack to. The floor is zlib on the same bytes, at the
// level that made the stream, or for one of Go at the level of that number.
#include "view/deflate/analyse.hpp"
#include "view/deflate/guesses.hpp"

#include <zlib.h>

#include <stdexcept>

#include "kernels.hpp"
#include "support/generate.hpp"
#include "support/own_deflate.hpp"
#include "support/rebuild.hpp"

namespace bdelta::bench {
namespace {

constexpr Size kStream{"8MiB", std::size_t{8} << 20};
constexpr int kLevels[] = {1, 3, 6, 9};

struct Stream {
  Bytes raw;
  Bytes packed;
};

// Raw streams of zlib, all at once.
Bytes zlib_deflate(ByteSpan raw, int level) {
  z_stream zlib{};
  if (deflateInit2(&zlib, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::runtime_error("zlib");
  Bytes packed(deflateBound(&zlib, static_cast<uLong>(raw.size())));
  zlib.next_in = const_cast<Bytef*>(raw.data());
  zlib.avail_in = static_cast<uInt>(raw.size());
  zlib.next_out = packed.data();
  zlib.avail_out = static_cast<uInt>(packed.size());
  const bool ended = ::deflate(&zlib, Z_FINISH) == Z_STREAM_END;
  packed.resize(zlib.total_out);
  deflateEnd(&zlib);
  if (!ended) throw std::runtime_error("zlib");
  return packed;
}

Bytes zlib_inflate(ByteSpan packed, std::size_t raw_bytes) {
  z_stream zlib{};
  if (inflateInit2(&zlib, -15) != Z_OK) throw std::runtime_error("zlib");
  Bytes raw(raw_bytes);
  zlib.next_in = const_cast<Bytef*>(packed.data());
  zlib.avail_in = static_cast<uInt>(packed.size());
  zlib.next_out = raw.data();
  zlib.avail_out = static_cast<uInt>(raw.size());
  const bool ended = ::inflate(&zlib, Z_FINISH) == Z_STREAM_END;
  inflateEnd(&zlib);
  if (!ended) throw std::runtime_error("zlib");
  return raw;
}

enum class Maker { kZlib, kGo, kGoTwo };

Stream make_stream(const std::string& content, const Size& size, int level, Maker maker) {
  Stream stream;
  stream.raw = content == "text" ? test::wordy_bytes(size.bytes, 1) : program_bytes(size.bytes);
  const auto number = static_cast<unsigned>(level);
  stream.packed = maker == Maker::kZlib ? zlib_deflate(stream.raw, level)
                  : maker == Maker::kGo ? test::own_deflate(stream.raw, deflate::go_parameters(number))
                                        : test::own_deflate(stream.raw, deflate::two_hash_parameters(number));
  return stream;
}

const Stream& stream_of(const std::string& content, const Size& size, int level, Maker maker = Maker::kZlib) {
  const std::string name = std::to_string(level) + "/" + std::to_string(static_cast<int>(maker));
  return input("deflate/" + content + "/" + name + "/" + size.name, [&] { return make_stream(content, size, level, maker); });
}

void bench_zlib_deflate(benchmark::State& state, const Stream& stream, int level) {
  measure(state, stream.raw.size(), 0, [&] { return zlib_deflate(stream.raw, level); });
}

// Without OLD's tokens, by one thread.
void bench_rebuild(benchmark::State& state, const Stream& stream) {
  deflate::Analyser analyser;
  const auto analysis = analyser.analyse(stream.packed);
  if (refused(state, static_cast<bool>(analysis))) return;
  const auto again = [&] { return test::rebuild(analyser.matchers(), analysis->recipe, stream.raw, stream.packed.size()); };
  const auto made = again();
  if (refused(state, made && *made == stream.packed)) return;
  measure(state, stream.raw.size(), 0, again);
}

void bench_analyse(benchmark::State& state, const Stream& stream) {
  deflate::Analyser analyser;
  if (refused(state, static_cast<bool>(analyser.analyse(stream.packed)))) return;
  measure(state, stream.raw.size(), 0, [&] { return analyser.analyse(stream.packed); });
}

void bench_zlib_inflate(benchmark::State& state, const Stream& stream) {
  measure(state, stream.raw.size(), 0, [&] { return zlib_inflate(stream.packed, stream.raw.size()); });
}

void bench_inflate(benchmark::State& state, const Stream& stream, bool keep_tokens) {
  deflate::InflateOptions options;
  options.keep_tokens = keep_tokens;
  const auto inflated = deflate::inflate(stream.packed, options);
  if (refused(state, inflated && inflated->text.size() == stream.raw.size() + deflate::kTextPadding)) return;
  measure(state, stream.raw.size(), 0, [&] { return deflate::inflate(stream.packed, options); });
}

void add_level(const std::string& content, const Size& size, int level) {
  const auto stream = [=]() -> const Stream& { return stream_of(content, size, level); };
  const auto of_go = [=]() -> const Stream& { return stream_of(content, size, level, Maker::kGo); };
  const std::string rebuild = "deflate/rebuild_" + content + "_" + std::to_string(level);
  add(rebuild + "/floor_zlib", size, [=](benchmark::State& state) { bench_zlib_deflate(state, stream(), level); });
  add(rebuild + "/rebuild", size, [=](benchmark::State& state) { bench_rebuild(state, stream()); });
  add(rebuild + "/analyse", size, [=](benchmark::State& state) { bench_analyse(state, stream()); });
  add(rebuild + "/rebuild_go", size, [=](benchmark::State& state) { bench_rebuild(state, of_go()); });
  add(rebuild + "/analyse_go", size, [=](benchmark::State& state) { bench_analyse(state, of_go()); });
  if (level != 6) return;  // the others have no such encoder
  const auto of_two = [=]() -> const Stream& { return stream_of(content, size, level, Maker::kGoTwo); };
  add(rebuild + "/rebuild_go127", size, [=](benchmark::State& state) { bench_rebuild(state, of_two()); });
  add(rebuild + "/analyse_go127", size, [=](benchmark::State& state) { bench_analyse(state, of_two()); });
}

void add_inflate(const std::string& content, const Size& size) {
  const auto stream = [=]() -> const Stream& { return stream_of(content, size, 6); };
  const std::string inflate = "deflate/inflate_" + content;
  add(inflate + "/floor_zlib", size, [=](benchmark::State& state) { bench_zlib_inflate(state, stream()); });
  add(inflate + "/bytes", size, [=](benchmark::State& state) { bench_inflate(state, stream(), false); });
  add(inflate + "/tokens", size, [=](benchmark::State& state) { bench_inflate(state, stream(), true); });
}

}  // namespace

void register_deflate() {
  for (const Size& size : {kCached, kStream}) {
    for (const char* content : {"text", "program"}) {
      add_inflate(content, size);
      for (const int level : kLevels) add_level(content, size, level);
    }
  }
}

}  // namespace bdelta::bench
