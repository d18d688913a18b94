// Large buffers are given their first values by all threads: that memory is touched for the first time takes longer than
// writing to it.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/raw_buffer.hpp"
#include "bdelta/io.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// A new buffer, of which write(begin, piece) is called for each piece.
template <class T, class Write>
RawBuffer<T> written_by_all(std::size_t size, WorkerPool& pool, Write&& write) {
  constexpr std::size_t kPiece = (std::size_t{1} << 20) / sizeof(T);
  RawBuffer<T> buffer(size);
  pool.for_each((size + kPiece - 1) / kPiece, [&](std::size_t index) {
    const std::size_t begin = index * kPiece;
    write(begin, buffer.span().subspan(begin, std::min(kPiece, size - begin)));
  });
  return buffer;
}

template <class T>
RawBuffer<T> filled_buffer(std::size_t size, T value, WorkerPool& pool) {
  return written_by_all<T>(size, pool, [&](std::size_t, std::span<T> piece) {
    std::fill(piece.begin(), piece.end(), value);
  });
}

inline ByteBuffer copy_of(ByteSpan bytes, WorkerPool& pool) {
  return written_by_all<std::uint8_t>(bytes.size(), pool, [&](std::size_t begin, MutableByteSpan piece) {
    std::memcpy(piece.data(), bytes.data() + begin, piece.size());
  });
}

}  // namespace bdelta
