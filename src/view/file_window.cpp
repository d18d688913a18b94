#include "view/file_window.hpp"

namespace bdelta::view {

ByteSpan FileWindow::from(std::uint64_t pos, std::size_t least_bytes) {
  if (!file_ || !view_.empty()) return view_.subspan(static_cast<std::size_t>(pos));
  if (!status_) return {};
  const std::uint64_t wanted_end = pos + std::min<std::uint64_t>(least_bytes, size_ - pos);
  if (pos < read_pos_ || wanted_end > read_pos_ + read_.size()) {
    read_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kPieceBytes, size_ - pos)));
    read_pos_ = pos;
    status_ = file_->read_at(pos, read_);
    if (!status_) return {};
  }
  return ByteSpan(read_).subspan(static_cast<std::size_t>(pos - read_pos_));
}

}  // namespace bdelta::view
