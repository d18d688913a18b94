// Which bytes of copies differ from the target, and by what: the three streams of the residual.
#pragma once

#include <array>

#include "base/bytes.hpp"
#include "base/varint.hpp"
#include "model/streams.hpp"

namespace bdelta {

class ResidualWriter {
 public:
  // Appends to those, which must outlive the object.
  explicit ResidualWriter(StreamBytes& streams) noexcept : streams_(streams) {}

  // Runs and gaps begin anew.
  void begin_window() noexcept { run_count_ = unchanged_ = 0; }
  [[nodiscard]] std::uint64_t run_count() const noexcept { return run_count_; }

  // Bytes behind those before. A run ends with them.
  void add(const std::uint8_t* copied, const std::uint8_t* wanted, std::uint64_t length) {
    std::uint64_t at = 0;
    while (at < length) {
      const std::uint64_t equal = count_equal(copied + at, wanted + at, length - at);
      unchanged_ += equal;
      at += equal;
      if (at == length) return;
      std::uint64_t end = at;
      for (; end < length && copied[end] != wanted[end]; ++end) {
        streams_[kResidualValues].push_back(static_cast<std::uint8_t>(wanted[end] - copied[end]));
      }
      append_varint(streams_[kResidualGaps], unchanged_);
      append_varint(streams_[kResidualLengths], end - at - 1);
      ++run_count_;
      unchanged_ = 0;
      at = end;
    }
  }

  // Where it stands, to go back to.
  struct Mark {
    std::uint64_t run_count;
    std::uint64_t unchanged;
    std::array<std::size_t, kResidualStreams.size()> sizes;
  };
  [[nodiscard]] Mark mark() const noexcept {
    return {run_count_, unchanged_, {streams_[kResidualGaps].size(), streams_[kResidualLengths].size(),
                                     streams_[kResidualValues].size()}};
  }
  void go_back(const Mark& mark) {
    run_count_ = mark.run_count;
    unchanged_ = mark.unchanged;
    for (std::size_t i = 0; i < kResidualStreams.size(); ++i) streams_[kResidualStreams[i]].resize(mark.sizes[i]);
  }

 private:
  StreamBytes& streams_;
  std::uint64_t run_count_ = 0;
  std::uint64_t unchanged_ = 0;
};

}  // namespace bdelta
