// The patch as it comes in, with each read on the timeline: reading is told apart from decoding.
#pragma once

#include "base/timeline.hpp"
#include "bdelta/io.hpp"

namespace bdelta {

class TimedReader final : public SequentialReader {
 public:
  // Both must outlive this object; `timeline` may be null.
  TimedReader(SequentialReader& from, Timeline* timeline) noexcept : from_(from), timeline_(timeline) {}

  Result<std::size_t> read(MutableByteSpan out) override {
    Span span(timeline_, PhaseId::kRead);
    Result<std::size_t> count = from_.read(out);
    if (count) span.set_bytes(*count);
    return count;
  }

 private:
  SequentialReader& from_;
  Timeline* const timeline_;
};

}  // namespace bdelta
