// LEB128 numbers as compilers and linkers write them: unlike those of a patch they may be longer than needed.
#pragma once

#include <algorithm>
#include <vector>

#include "base/byte_cursor.hpp"

namespace bdelta::exe {

// A number may be as long as the file, and a hostile table may have it read from each of its bytes: this keeps that from
// taking quadratic time. Of each block of the file is known how far the bytes with the high bit go on.
class LongNumbers {
 public:
  static constexpr std::size_t kReadBytes = 10;  // those behind them say nothing

  // `file` must outlive the object. Nothing is looked at before there is a long number.
  explicit LongNumbers(ByteSpan file) noexcept : file_(file) {}

  // Moves a cursor over `file` up to the next byte without the high bit, or to its end.
  void skip(ByteCursor& cursor) {
    if (runs_.empty()) find_runs();
    const std::uint8_t* at = cursor.position();
    const std::uint8_t* const end = at + cursor.available();
    const auto go_on = [&](std::size_t most_bytes) {
      const std::uint8_t* const stop = at + std::min(most_bytes, static_cast<std::size_t>(end - at));
      at = std::find_if(at, stop, [](std::uint8_t byte) { return byte < 0x80; });
      return at == stop && at != end;
    };
    const auto pos = static_cast<std::size_t>(at - file_.data());
    if (go_on((kBlockBytes - pos % kBlockBytes) % kBlockBytes)) {
      const std::size_t run_bytes = kBlockBytes * runs_[static_cast<std::size_t>(at - file_.data()) / kBlockBytes];
      at += std::min(run_bytes, static_cast<std::size_t>(end - at));
      go_on(kBlockBytes);
    }
    (void)cursor.bytes(static_cast<std::uint64_t>(at - cursor.position()));
  }

 private:
  static constexpr std::size_t kBlockBytes = 64;

  void find_runs() {
    runs_.resize(file_.size() / kBlockBytes + 1);
    for (std::size_t block = file_.size() / kBlockBytes; block-- > 0;) {
      const ByteSpan bytes = file_.subspan(block * kBlockBytes, kBlockBytes);
      const bool goes_on = std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte >= 0x80; });
      runs_[block] = goes_on ? runs_[block + 1] + 1 : 0;
    }
  }

  ByteSpan file_;
  std::vector<std::uint32_t> runs_;  // by block: how many from it on have the high bit in all bytes
};

// Bits beyond 64 are lost. What ends too early fails the cursor. `numbers`, of the bytes that hold the cursor's, is for those
// who read from the same bytes again and again.
inline std::uint64_t read_uleb(ByteCursor& cursor, LongNumbers* numbers = nullptr) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; cursor.ok(); shift += 7) {
    if (shift == 7 * LongNumbers::kReadBytes && numbers != nullptr) numbers->skip(cursor);
    const std::uint64_t byte = cursor.u8();
    if (shift < 64) value |= (byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}

inline std::int64_t read_sleb(ByteCursor& cursor, LongNumbers* numbers = nullptr) {
  std::uint64_t value = 0;
  unsigned shift = 0;
  std::uint64_t byte = 0x80;
  while (cursor.ok() && byte >= 0x80) {
    if (shift == 7 * LongNumbers::kReadBytes && numbers != nullptr) numbers->skip(cursor);
    byte = cursor.u8();
    if (shift < 64) value |= (byte & 0x7f) << shift;
    shift += 7;
  }
  if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t{0} << shift;
  return static_cast<std::int64_t>(value);
}

}  // namespace bdelta::exe
