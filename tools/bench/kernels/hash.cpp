// Digests of files and checksums of windows. The floor is memcpy, the other pass over all bytes that applying makes.
#include "hash/xxh3.hpp"

#include <algorithm>

#include "kernels.hpp"
#include "support/generate.hpp"

namespace bdelta::bench {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;  // fed to the streaming form at a time

Digest128 streamed(ByteSpan bytes) {
  Xxh3Hasher hasher;
  for (std::size_t at = 0; at < bytes.size(); at += kPieceBytes) {
    hasher.update(bytes.subspan(at, std::min(kPieceBytes, bytes.size() - at)));
  }
  return hasher.digest();
}

}  // namespace

void register_hash() {
  for (const Size& size : {Size{"4KiB", 4096}, kCached, kBeyond}) {
    const auto bytes = [size]() -> const Bytes& {
      return input(std::string("random/") + size.name, [size] { return test::random_bytes(size.bytes, 1); });
    };
    add("hash/xxh3/floor_memcpy", size, [=](benchmark::State& state) { measure_memcpy(state, bytes()); });
    add("hash/xxh3/128_one_shot", size, [=](benchmark::State& state) {
      const Bytes& in = bytes();
      measure(state, in.size(), 0, [&] { return xxh3_128(in); });
    });
    add("hash/xxh3/128_streamed", size, [=](benchmark::State& state) {
      const Bytes& in = bytes();
      if (refused(state, streamed(in) == xxh3_128(in))) return;
      measure(state, in.size(), 0, [&] { return streamed(in); });
    });
    add("hash/xxh3/32_window", size, [=](benchmark::State& state) {
      const Bytes& in = bytes();
      measure(state, in.size(), 0, [&] { return xxh3_32(in); });
    });
  }
}

}  // namespace bdelta::bench
