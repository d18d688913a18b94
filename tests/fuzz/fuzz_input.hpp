// What the targets share: taking numbers off an input, saying that a promise was broken, and what a target is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/bytes.hpp"

namespace bdelta::fuzz {

// Ends the program if `kept` is false; the fuzzer then saves the input.
inline void require(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

// Takes from the front. Behind the end everything is 0 and empty, so that any input is a valid one.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) noexcept : rest_(data, size) {}

  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  [[nodiscard]] ByteSpan rest() const noexcept { return rest_; }

  std::uint8_t u8() noexcept { return number<std::uint8_t>(); }
  std::uint16_t u16() noexcept { return number<std::uint16_t>(); }
  std::uint32_t u32() noexcept { return number<std::uint32_t>(); }
  std::uint64_t u64() noexcept { return number<std::uint64_t>(); }

  ByteSpan bytes(std::size_t count) noexcept {
    const ByteSpan taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  template <class T>
  T number() noexcept {
    std::uint8_t raw[sizeof(T)] = {};
    const ByteSpan taken = bytes(sizeof(T));
    std::copy(taken.begin(), taken.end(), raw);
    return load_le<T>(raw);
  }

  ByteSpan rest_;
};

// The target: each defines it, and entry.cpp gives it what the fuzzer or standalone_main.cpp brings.
void run(Input& input);

}  // namespace bdelta::fuzz
