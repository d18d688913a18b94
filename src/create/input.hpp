// An input of create as memory: a view where the reader has one, else a copy on the heap.
#pragma once

#include <memory>

#include "base/bytes.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Fills `out` from pos on, in calls of a decent size. Bytes are units of `watch`, which may be null.
Status read_pieces(RandomReader& reader, std::uint64_t pos, MutableByteSpan out, Watch* watch);

class InputBytes {
 public:
  // Reads what has to be read, on all threads. The reader must outlive this object.
  static Result<InputBytes> load(RandomReader& reader, WorkerPool& pool);

  // Memory of the caller's, which may be changed where it is; it must outlive this object.
  static InputBytes over(MutableByteSpan bytes) noexcept;

  // To change the bytes: what was a view becomes a copy, made by all threads, and spans of it lead to the old bytes.
  Result<MutableByteSpan> edit(WorkerPool& pool);

  [[nodiscard]] ByteSpan bytes() const noexcept { return view_; }
  [[nodiscard]] bool is_edited() const noexcept { return is_edited_; }  // no longer what the reader has

 private:
  std::unique_ptr<std::uint8_t[]> owned_;  // empty for a view
  MutableByteSpan changeable_;             // owned_, or the caller's
  bool is_edited_ = false;
  ByteSpan view_;
};

}  // namespace bdelta
