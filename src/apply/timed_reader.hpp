// The patch as it comes in, with each read on the timeline: reading is told apart from decoding. Decoding looks at the
// watch here: what it makes of one read takes no more than some ms.
#pragma once

#include "base/timeline.hpp"
#include "base/try.hpp"
#include "bdelta/io.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

class TimedReader final : public SequentialReader {
 public:
  // Everything must outlive this object; `timeline` and `watch` may be null.
  TimedReader(SequentialReader& from, Timeline* timeline, Watch* watch) noexcept
      : from_(from), timeline_(timeline), watch_(watch) {}

  Result<std::size_t> read(MutableByteSpan out) override {
    if (watch_) BDELTA_TRY(watch_->check());
    Span span(timeline_, PhaseId::kRead);
    Result<std::size_t> count = from_.read(out);
    if (count) span.set_bytes(*count);
    return count;
  }

 private:
  SequentialReader& from_;
  Timeline* const timeline_;
  Watch* const watch_;
};

}  // namespace bdelta
