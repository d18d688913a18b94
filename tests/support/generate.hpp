// Inputs for tests, made from seeds: the same on every machine.
#pragma once

#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace bdelta::test {

// SplitMix64: small, and its low bits are as good as its high ones.
class Random {
 public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}

  std::uint64_t next() noexcept;
  std::uint64_t below(std::uint64_t bound) noexcept { return bound == 0 ? 0 : next() % bound; }
  std::uint64_t between(std::uint64_t low, std::uint64_t high) noexcept { return low + below(high - low + 1); }

 private:
  std::uint64_t state_;
};

[[nodiscard]] Bytes random_bytes(std::size_t size, std::uint64_t seed);

// Bytes that compress and repeat like text: words out of a small vocabulary.
[[nodiscard]] Bytes wordy_bytes(std::size_t size, std::uint64_t seed);

// Puts so many equal bytes behind both versions that work as it is without a limit takes more than 64 MiB, and less than 300.
void append_ballast(Bytes& old_version, Bytes& new_version);

// `size` bytes that repeat every `period`.
[[nodiscard]] Bytes periodic_bytes(std::size_t size, std::size_t period, std::uint64_t seed);

[[nodiscard]] Bytes bytes_of(std::string_view text);

// One change. Positions are taken modulo what is there, lengths are cut to fit, so any list is valid.
struct Edit {
  enum Kind { kInsert, kDelete, kOverwrite, kMove, kCopy, kRepeat } kind;
  std::size_t at = 0;      // where it happens
  std::size_t length = 0;  // bytes concerned
  std::size_t from = 0;    // kMove, kCopy: where the bytes come from
  std::uint64_t seed = 0;  // kInsert, kOverwrite: the new bytes
};
using Edits = std::vector<Edit>;

[[nodiscard]] Bytes edited(Bytes bytes, const Edits& edits);
[[nodiscard]] Edits random_edits(std::size_t count, std::size_t size, std::size_t longest, std::uint64_t seed);

}  // namespace bdelta::test
