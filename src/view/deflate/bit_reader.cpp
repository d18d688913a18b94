#include "view/deflate/bit_reader.hpp"

namespace bdelta::deflate {

void BitReader::refill_at_end() {
  if (pieces_) take_piece();
  if (end_ - at_ >= 8) return refill_at_once();
  while (count_ <= kRefilledBits) {
    if (at_ != end_) {
      bits_ |= std::uint64_t{*at_++} << count_;
    } else {
      ++missing_bytes_;
    }
    count_ += 8;
  }
}

void BitReader::take_piece() {
  const std::uint64_t at = pos(), behind = at < kBehindBytes ? at : kBehindBytes;
  const ByteSpan piece = (*pieces_)(at - behind);
  base_ = at - behind;
  begin_ = piece.data();
  end_ = begin_ + piece.size();
  at_ = piece.size() < behind ? end_ : begin_ + behind;
  if (end_ - at_ < 8) pieces_ = nullptr;  // it is the last
}

}  // namespace bdelta::deflate
