// Large buffers are given their values by all threads: that memory is touched for the first time takes longer than
// writing to it.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/byte_buffer.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Calls write(begin, piece) for each piece of a new buffer.
template <class Write>
ByteBuffer written_by_all(std::size_t size, WorkerPool& pool, Write&& write) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  ByteBuffer buffer(size);
  pool.for_each((size + kPieceBytes - 1) / kPieceBytes, [&](std::size_t index) {
    const std::size_t begin = index * kPieceBytes;
    write(begin, buffer.span().subspan(begin, std::min(kPieceBytes, size - begin)));
  });
  return buffer;
}

inline ByteBuffer copy_of(ByteSpan bytes, WorkerPool& pool) {
  return written_by_all(bytes.size(), pool, [&](std::size_t begin, MutableByteSpan piece) {
    std::memcpy(piece.data(), bytes.data() + begin, piece.size());
  });
}

inline ByteBuffer filled_buffer(std::size_t size, std::uint8_t value, WorkerPool& pool) {
  return written_by_all(size, pool, [&](std::size_t, MutableByteSpan piece) {
    std::fill(piece.begin(), piece.end(), value);
  });
}

}  // namespace bdelta
