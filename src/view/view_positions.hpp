// From positions of a file to those of its view.
#pragma once

#include <algorithm>

#include "view/packed_streams.hpp"

namespace bdelta::view {

// Goes through a file in its order, and knows positions of its view.
class ViewPositions {
 public:
  explicit ViewPositions(const PackedStreams& streams) : streams_(streams) {}

  // Of a stream's start, if file_pos is inside of it. No less than file_pos of the call before.
  std::uint64_t at(std::uint64_t file_pos) {
    for (; next_ < streams_.size() && streams_[next_].file_end() <= file_pos; ++next_) {
      shift_ += streams_[next_].raw_bytes - streams_[next_].packed_bytes;  // modulo 2^64
    }
    return shift_ + (next_ < streams_.size() ? std::min(file_pos, streams_[next_].file_pos) : file_pos);
  }

  // Whether a stream begins there, where at() was called.
  [[nodiscard]] bool is_stream(std::uint64_t file_pos) const {
    return next_ < streams_.size() && streams_[next_].file_pos == file_pos;
  }

 private:
  const PackedStreams& streams_;
  std::size_t next_ = 0;
  std::uint64_t shift_ = 0;
};

}  // namespace bdelta::view
