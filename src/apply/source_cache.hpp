// The source as the executor reads it: from a view where there is one, else through a small cache.
//
// Copies of similar files walk forward through the source in small steps. So what is read lies in a block that
// was read just now. A far copy reads a place once and never again. So a block is loaded whole only at the second
// touch of its neighbourhood; the first reads exactly what is asked. Long reads go past the cache.
#pragma once

#include <array>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"

namespace bdelta {

// One thread at a time; several may share the RandomReader.
class SourceCache {
 public:
  explicit SourceCache(RandomReader& source) : source_(source), view_(source.view()) {}

  // Fills `out` from [pos, pos + out.size()), which lies inside the source.
  Status read(std::uint64_t pos, MutableByteSpan out);

  [[nodiscard]] ByteSpan view() const noexcept { return view_; }

 private:
  static constexpr std::uint64_t kBlockBytes = 64 * 1024;
  static constexpr std::size_t kSlots = 16;  // 1 MiB
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  struct Slot {
    std::uint64_t block = kNone;    // loaded
    std::uint64_t touched = kNone;  // asked for once
    std::uint64_t length = 0;
    Bytes bytes;
  };

  Status read_block(std::uint64_t pos, MutableByteSpan out);

  RandomReader& source_;
  const ByteSpan view_;
  std::array<Slot, kSlots> slots_;
};

}  // namespace bdelta
