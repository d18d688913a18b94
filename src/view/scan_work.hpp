// The work of what only looks like a stream: a file can be made of heads, behind each of which much is inflated in vain.
//
// It is counted in bytes and tables. It may be as much as the bytes are worth in which streams are looked for, and that of one
// more.
#pragma once

#include "base/deciding/archives.hpp"
#include "view/deflate/inflate.hpp"

namespace bdelta::view {

class ScanWork {
 public:
  // Adds what so many bytes are worth.
  void allow(std::uint64_t bytes) noexcept { left_ += static_cast<std::int64_t>(kScanWorkRatio * bytes); }

  // A head alone takes some as well.
  void count(const deflate::InflateWork& work) noexcept {
    left_ -= static_cast<std::int64_t>(kHeadWork + work.sizes.packed_bytes + work.sizes.raw_bytes / kRawBytesPerWork +
                                       work.table_count * kTableWork);
  }

  [[nodiscard]] bool is_done() const noexcept { return left_ <= 0; }

 private:
  std::int64_t left_ = 0;
};

}  // namespace bdelta::view
