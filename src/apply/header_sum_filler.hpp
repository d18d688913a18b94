// Puts the checksums of archive headers into the target that the patch leaves out, while it comes by in order.
//
// A header is filled in when it is whole. What a window has of one that the next window goes on with is held back, so
// that a target that is a stream gets nothing that changes later.
#pragma once

#include <functional>

#include "base/bytes.hpp"
#include "delta/header_sums.hpp"

namespace bdelta {

class HeaderSumFiller {
 public:
  // Takes bytes of the target that have their checksums.
  using Pass = std::function<Status(std::uint64_t pos, MutableByteSpan bytes)>;

  // `spans` are sound and outlive the object.
  explicit HeaderSumFiller(const HeaderSumSpans& spans) : spans_(spans) {}

  // Whether bytes of a span are in the window: then it has to go through `fill`. By any thread.
  [[nodiscard]] bool fills(std::uint64_t pos, std::uint64_t length) const noexcept;

  // Each such window in the order of the target, one at a time: `pass` gets what was held back of the window before and
  // this one, but for what is held back of it. All spans end inside the target, so nothing is left in the end. Errors:
  // those of `pass`.
  Status fill(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass);

 private:
  [[nodiscard]] const HeaderSumSpan* span_of(std::uint64_t pos) const noexcept;
  Status complete(std::uint64_t& pos, MutableByteSpan& bytes, const Pass& pass);

  const HeaderSumSpans& spans_;
  Bytes held_;  // the beginning of a block, if any
};

}  // namespace bdelta
