// What each thread did when: the spans behind the phases of a Report, one by one.
//
//   struct Printer final : bdelta::TraceSink {
//     void span(const bdelta::TraceSpan& s) noexcept override {
//       std::printf("%u %s %llu ns\n", s.thread, s.name, (unsigned long long)(s.end_ns - s.begin_ns));
//     }
//   } printer;
//   options.trace = &printer;
//
// Spans are coarse: a pass, a chunk of some MiB, a group, a window, a refill of a buffer. So a call gives hundreds or
// thousands of them, and recording them takes no measurable share of its time.
#pragma once

#include <cstdint>

#include "bdelta/export.hpp"

namespace bdelta {

// Something that one thread did without a break. Spans of one thread nest or are apart. Each nanosecond belongs to the
// innermost span open on its thread, so over all spans of a phase the `self_ns` add up to Phase::seconds.
struct TraceSpan {
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  const char* name = "";         // what is done; never freed
  const char* phase = "";        // whose seconds it counts as: a name of Report::phases; never freed. Differs from
                                 // `name` only inside the self-check of create, where all but waiting is "verify"
  unsigned thread = 0;           // 0: the thread that called; 1 and up: those that the call started
  std::uint64_t begin_ns = 0;    // nanoseconds of a steady clock since the call began its work
  std::uint64_t end_ns = 0;
  std::uint64_t self_ns = 0;     // of end_ns - begin_ns, what no span nested directly in this one took
  std::uint64_t index = kNone;   // of the window, chunk, group or stream worked on; kNone for a whole step
  std::uint64_t bytes = 0;       // gone through; 0 where that has no meaning
};

class BDELTA_PUBLIC TraceSink {
 public:
  virtual ~TraceSink() = default;

  // Called as each span ends, hence a nested one before the one around it; from any thread of the call, one at a time.
  // Other threads may wait meanwhile, so be quick. Must not throw: that ends the process.
  virtual void span(const TraceSpan& span) noexcept = 0;
};

}  // namespace bdelta
