// Bytes of a file, a piece at a time: of one in memory as they stand there, of any other copied.
#pragma once

#include <algorithm>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"

namespace bdelta::view {

// One thread at a time.
class FileWindow {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{512} << 10;
  static constexpr std::size_t kMostAskedBytes = std::size_t{72} << 10;  // much less than a piece: most are at hand then

  explicit FileWindow(ByteSpan file) noexcept : view_(file), size_(file.size()) {}
  // The file must outlive the object. Memory of up to kPieceBytes, unless it is mapped.
  explicit FileWindow(RandomReader& file) noexcept : file_(&file), view_(file.view()), size_(file.size()) {}

  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  // The bytes from pos on, which is no more than size(): those that are at hand, and no fewer than least_bytes (up to
  // kMostAskedBytes) or up to the file's end. Valid until the next call. Empty after an error, which status() tells.
  [[nodiscard]] ByteSpan from(std::uint64_t pos, std::size_t least_bytes);

  // The first error of reading the file, if there was one.
  [[nodiscard]] const Status& status() const noexcept { return status_; }

  // Gives all bytes from begin to end to `sink`, in pieces; ends at its first error.
  template <class Sink>
  Status pass(std::uint64_t begin, std::uint64_t end, const Sink& sink) {
    while (begin < end) {
      ByteSpan piece = from(begin, kLeastPassedBytes);
      if (!status_) return status_;
      piece = piece.first(static_cast<std::size_t>(std::min<std::uint64_t>({piece.size(), kPieceBytes, end - begin})));
      if (Status status = sink(piece); !status) return status;
      begin += piece.size();
    }
    return {};
  }

 private:
  static constexpr std::size_t kLeastPassedBytes = std::size_t{1} << 10;

  RandomReader* file_ = nullptr;
  ByteSpan view_;  // of all of it; empty: it is read
  std::uint64_t size_;
  Bytes read_;     // from read_pos_ on
  std::uint64_t read_pos_ = 0;
  Status status_;
};

}  // namespace bdelta::view
