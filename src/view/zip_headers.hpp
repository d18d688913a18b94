// Local headers of a zip archive as its bytes go by: where each stands, and what its entry in the directory repeats of it.
#pragma once

#include <array>
#include <vector>

#include "base/bytes.hpp"

namespace bdelta::view {

inline constexpr std::size_t kZipSharedBytes = 22;  // of a local header from byte 4 on, of an entry from byte 6: version to raw size

struct ZipHeader {
  std::uint64_t pos = 0;  // in the file
  std::array<std::uint8_t, kZipSharedBytes> shared{};
  std::size_t name_pos = 0;
  std::size_t name_bytes = 0;
};

// What is found is part of the format: FORMAT.md, "View". It is the same however the bytes are cut into pieces.
class ZipHeaders {
 public:
  // Finds no more than entries of that many bytes could be of. Memory: twice as much, and a header.
  explicit ZipHeaders(std::uint64_t directory_bytes);

  // The next bytes of the file that stand in no unpacked stream; at pos.
  void pass(std::uint64_t pos, ByteSpan bytes);

  // Ascending.
  [[nodiscard]] const std::vector<ZipHeader>& found() const noexcept { return found_; }
  [[nodiscard]] ByteSpan name_of(const ZipHeader& header) const noexcept {
    return ByteSpan(names_).subspan(header.name_pos, header.name_bytes);
  }

 private:
  bool skip_to_record(ByteSpan& bytes) const;
  void drop_first();
  bool note(std::uint64_t pos);
  void note_header(std::uint64_t pos);

  std::uint64_t left_bytes_;    // of a directory, for entries of further headers
  bool full_;                   // there was no room for one
  std::uint64_t end_ = 0;       // of what has passed
  std::uint64_t skip_to_ = 0;   // in front of it is what a header says that its member has
  std::uint64_t data_pos_ = 0;  // of the last header, if its sizes are to stand behind the member; else 0
  Bytes held_;                  // what may be the start of a record, up to end_ or what is still to pass
  Bytes names_;
  std::vector<ZipHeader> found_;
};

}  // namespace bdelta::view
