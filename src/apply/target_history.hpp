// The last bytes of the target, for windows that copy from it. A ring: what is older is overwritten.
#pragma once

#include <cstdint>

#include "base/raw_buffer.hpp"
#include "bdelta/io.hpp"

namespace bdelta {

// One thread at a time.
class TargetHistory {
 public:
  // Takes so much memory.
  explicit TargetHistory(std::uint64_t capacity_bytes) : ring_(static_cast<std::size_t>(capacity_bytes)) {}

  // The next bytes of the target.
  void append(ByteSpan bytes) noexcept;

  // Fills `out` from [pos, + out.size()) of the target: bytes that were appended, of which no more than the capacity lies
  // behind pos.
  void read(std::uint64_t pos, MutableByteSpan out) const noexcept;

 private:
  ByteBuffer ring_;             // position p of the target stands at p modulo the size
  std::uint64_t end_pos_ = 0;   // of what was appended
};

}  // namespace bdelta
