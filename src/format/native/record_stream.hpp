// The records of a patch behind its header, one after the other. Of each only its body is given out, and of that only what
// its checksums have proven.
#pragma once

#include "format/native/envelope.hpp"
#include "hash/sha256.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// One thread at a time. Holds one piece of a record.
class RecordStream final : public SequentialReader {
 public:
  // `patch` stands in front of a record; it and the header must outlive the stream. `tap`, which may be null, gets all bytes
  // that are taken from it, checksums and heads included.
  RecordStream(io::TypedReader& patch, const Header& header, Sha256Hasher* tap = nullptr) noexcept
      : patch_(patch), header_(header), tap_(tap) {}

  // Goes to the next record; the body of the one before must have been read. Passes over records that may be skipped.
  // The end record has no body, and nothing is to be opened behind it. Errors: kUnsupportedFeature for a tag that is not
  // known, kPatchTruncated, kPatchCorrupt, those of reading.
  Result<RecordTag> open();

  // The same, but stops at records that may be skipped, too. Gives the tag.
  Result<std::uint8_t> open_any();

  // Proves what has not been read of the body.
  Status skip();

  // Where the body of this record begins and ends, counted from the start of the patch and without checksums inside of it.
  [[nodiscard]] std::uint64_t body_pos() const noexcept { return body_pos_; }
  [[nodiscard]] std::uint64_t body_end() const noexcept { return body_pos_ + body_bytes_; }

  // Bytes of the body; fewer than asked for at its end alone.
  Result<std::size_t> read(MutableByteSpan out) override;

 private:
  Status read_piece();

  io::TypedReader& patch_;
  const Header& header_;
  Sha256Hasher* const tap_;
  PieceNumbers numbers_;
  Bytes piece_;  // behind the head of its record and its number
  std::size_t head_bytes_ = 0;
  std::size_t given_end_ = 0;     // of piece_: given out up to here
  std::uint64_t unread_bytes_ = 0;  // of the body, in pieces behind this one
  std::uint64_t body_pos_ = 0;
  std::uint64_t body_bytes_ = 0;
};

}  // namespace bdelta::native
