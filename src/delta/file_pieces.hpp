// A file of which some pieces are in memory, under the positions of the file.
//
// Mostly that is one piece, the whole file. Where a limit of memory does not allow it, it is a segment of the target, or
// those parts of the source that a segment needs. What is asked for lies inside one piece.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace bdelta {

// Does not own the bytes.
class FilePieces {
 public:
  struct Piece {
    std::uint64_t file_pos;
    ByteSpan bytes;
  };

  FilePieces(ByteSpan whole) : FilePieces(whole, 0) {}
  FilePieces(const Bytes& whole) : FilePieces(ByteSpan(whole), 0) {}
  FilePieces(ByteSpan piece, std::uint64_t file_pos) : first_{file_pos, piece} {}

  // Ascending and apart, at least one.
  explicit FilePieces(std::vector<Piece> pieces) : first_(pieces.front()), pieces_(std::move(pieces)) {}

  [[nodiscard]] const std::uint8_t* at(std::uint64_t file_pos) const noexcept {
    const Piece& piece = pieces_.size() < 2 ? first_ : piece_of(file_pos);
    return piece.bytes.data() + (file_pos - piece.file_pos);
  }

  [[nodiscard]] ByteSpan span(std::uint64_t file_pos, std::uint64_t length) const noexcept {
    return {at(file_pos), static_cast<std::size_t>(length)};
  }

 private:
  [[nodiscard]] const Piece& piece_of(std::uint64_t file_pos) const noexcept {
    const auto behind = std::upper_bound(pieces_.begin(), pieces_.end(), file_pos,
                                         [](std::uint64_t pos, const Piece& piece) { return pos < piece.file_pos; });
    return *std::prev(behind);
  }

  Piece first_;
  std::vector<Piece> pieces_;  // empty where first_ is all
};

}  // namespace bdelta
