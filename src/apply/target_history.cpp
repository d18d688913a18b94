#include "apply/target_history.hpp"

#include <algorithm>
#include <cstring>

namespace bdelta {

void TargetHistory::append(ByteSpan bytes) noexcept {
  if (ring_.empty()) return;
  end_pos_ += bytes.size();
  bytes = bytes.last(std::min(bytes.size(), ring_.size()));
  while (!bytes.empty()) {
    const auto at = static_cast<std::size_t>((end_pos_ - bytes.size()) % ring_.size());
    const std::size_t length = std::min(bytes.size(), ring_.size() - at);
    std::memcpy(&ring_[at], bytes.data(), length);
    bytes = bytes.subspan(length);
  }
}

void TargetHistory::read(std::uint64_t pos, MutableByteSpan out) const noexcept {
  while (!out.empty()) {
    const auto at = static_cast<std::size_t>(pos % ring_.size());
    const std::size_t length = std::min(out.size(), ring_.size() - at);
    std::memcpy(out.data(), &ring_[at], length);
    pos += length;
    out = out.subspan(length);
  }
}

}  // namespace bdelta
