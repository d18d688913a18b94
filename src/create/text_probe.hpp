// What is missing in OLD's view, looked for in texts of OLD that stay packed, and in what is packed in these. No view is made.
#pragma once

#include "create/alike_streams.hpp"
#include "create/missing_text.hpp"
#include "create/view_parts.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

class TextProbe {
 public:
  // apply_byte_ns: nominal nanoseconds of applying that a saved byte may take; 0: any.
  TextProbe(MissingText& missing, const PartSearch& search, std::uint64_t apply_byte_ns, WorkerPool& pool);

  void look(ByteSpan file, const FoundStreams& streams);

  // Those that save more than it takes to say so, and to unpack them.
  [[nodiscard]] const WantedTexts& wanted() const noexcept { return wanted_; }
  [[nodiscard]] std::uint64_t saved_bytes() const noexcept { return saved_bytes_; }  // by these

 private:
  struct Found {
    std::uint64_t saved_bits = 0;
    std::uint64_t raw_bytes = 0;
  };
  [[nodiscard]] Found look_into(ByteSpan text, unsigned depth);

  MissingText& missing_;
  PartSearch search_;  // most_raw_bytes: that may yet be unpacked
  const std::uint64_t apply_byte_ns_;
  WorkerPool& pool_;
  WantedTexts wanted_;
  std::uint64_t saved_bytes_ = 0;
};

}  // namespace bdelta
