#include "view/deflate/bit_reader.hpp"

namespace bdelta::deflate {

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
