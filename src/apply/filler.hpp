// Puts the bytes into the target that a patch leaves to who applies it (delta/fills.hpp), while the target comes by.
//
// What lies in one window and holds no place of a fill is hashed by the thread that makes the window, at any time. All else
// is done when it is the window's turn, as turns follow the target. Two things are held back, so that a target that is a
// stream gets nothing that changes later:
// - all from a place that lies in front of its range, until that range has come. All that stands there is filled then.
// - what a window has of a block that may be a tar header, until that is whole.
// All other places lie behind what they are of, so their results are known at their turn.
#pragma once

#include <functional>
#include <vector>

#include "apply/range_digests.hpp"
#include "delta/fills.hpp"

namespace bdelta {

class Filler {
 public:
  // Takes bytes of the target as they shall be.
  using Pass = std::function<Status(std::uint64_t pos, ByteSpan bytes)>;

  // `fills` are sound. Takes held_bytes of them.
  explicit Filler(const Fills& fills);

  // Whether the window may have bytes to be filled in: then it has to go through `fill`. By any thread.
  [[nodiscard]] bool fills(std::uint64_t pos, std::uint64_t length) const noexcept;

  // Once for each window, by any thread: `bytes` go to `pos`, and are as the window gives them. Takes time in proportion to
  // what it hashes and the window.
  void hash_early(std::uint64_t pos, ByteSpan bytes);

  // Then all windows in the order of the target, one at a time. A window goes to `hash` if nothing is filled in, else to
  // `fill`. `pass` gets what was held back of windows before, then this window. What is held back of this window comes
  // later. Nothing is left in the end. Errors: those of `pass`.
  void hash(std::uint64_t pos, ByteSpan bytes);
  Status fill(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass);

 private:
  struct Headers {
    std::uint64_t begin;
    std::uint64_t end;
    FillEncoding form;
  };

  [[nodiscard]] std::vector<Headers>::const_iterator headers_at(std::uint64_t pos) const noexcept;
  [[nodiscard]] const Stretch* held_at(std::uint64_t pos) const noexcept;
  [[nodiscard]] bool is_final(std::uint64_t begin, std::uint64_t end, std::uint64_t pos, ByteSpan window) const noexcept;
  std::uint64_t fill_headers(std::uint64_t pos, MutableByteSpan bytes) const noexcept;
  Status fill_places(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass);
  Status fill_final(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass);
  Status fill_held(const Stretch& held, MutableByteSpan bytes, const Pass& pass);

  RangeDigests digests_;
  std::vector<Stretch> held_parts_;  // in the order of the target
  std::vector<Headers> headers_;     // likewise
  Bytes held_;                       // what has come of a held part
  Bytes block_;                      // likewise of a block that may be a header
};

}  // namespace bdelta
