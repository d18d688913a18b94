#include <cstdio>
#include <stdexcept>

#include "kernels.hpp"
#include "make_pair/release.hpp"
#include "support/generate.hpp"

namespace bdelta::bench {

detail::Kept& detail::kept() noexcept {
  static Kept kept;
  return kept;
}

Pair similar_pair(std::size_t size, std::uint64_t one_in) {
  Pair pair{test::random_bytes(size, 1), {}};
  pair.target = pair.source;
  if (one_in == 0) return pair;
  test::Random random(2);
  for (std::uint64_t count = size / one_in; count > 0; --count) {
    pair.target[static_cast<std::size_t>(random.below(size))] ^= static_cast<std::uint8_t>(random.between(1, 255));
  }
  return pair;
}

Pair strange_pair(std::size_t size) { return {test::random_bytes(size, 1), test::random_bytes(size, 3)}; }

Bytes program_bytes(std::size_t size) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::tmpfile(), std::fclose);
  Bytes bytes(size);
  if (!file || !make_pair::write_old(make_pair::make_plan(size, 1), file.get()) ||
      std::fseek(file.get(), 0, SEEK_SET) != 0 || std::fread(bytes.data(), 1, size, file.get()) != size) {
    throw std::runtime_error("the sample program could not be written to a temporary file and read back");
  }
  return bytes;
}

}  // namespace bdelta::bench
