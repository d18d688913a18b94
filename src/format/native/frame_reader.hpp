// The body of a group behind its head: frames of several streams in turns, in the order in which windows need them.
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "format/native/group_tables.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// What is held stays within one window's needs and a frame for each stream.
class FrameReader {
 public:
  // `patch` stands behind the group's head, must outlive the reader, and is read up to body_end at most.
  FrameReader(io::TypedReader& patch, std::uint64_t body_end) : patch_(patch), body_end_(body_end) {}

  // packed: of the group.
  Status open(const std::array<StreamCode, kStreamCount>& codes, bool packed);

  // What the window needs of a stream, to `out`.
  Status take(const WindowRecord& window, std::size_t stream, Bytes& out);

  // The next frame of a packed group's code, valid until the next call; empty where another frame or the end of the group
  // stands.
  Status take_code(ByteSpan& code);

  // What has been read: of each stream, and of the code.
  [[nodiscard]] const StreamSizes& coded_bytes() const noexcept { return coded_bytes_; }
  [[nodiscard]] std::uint64_t code_bytes() const noexcept { return code_bytes_; }

  // Nothing may be left of the streams, nor of the body.
  Status close() const;

  // An error where the patch stands.
  [[nodiscard]] Error corrupt(const char* what) const;

  // The same after a failed read: truncation and I/O errors speak for themselves.
  [[nodiscard]] Error unread(const char* what) const;

 private:
  struct Stream {
    StreamCode code;
    std::unique_ptr<FrameDecoder> decoder;
    Bytes raw;              // decoded, of frames that are not for one window alone
    std::size_t taken = 0;  // of it given to windows

    [[nodiscard]] bool has(std::uint64_t bytes) const noexcept { return raw.size() - taken >= bytes; }
    [[nodiscard]] bool is_stored() const noexcept { return code.codec == CodecId::kStore; }
  };

  struct FrameHead {
    std::size_t id = 0;  // of its stream
    std::uint64_t coded_bytes = 0;
    std::uint64_t raw_bytes = 0;
  };

  [[nodiscard]] bool at_end() const noexcept { return !next_id_ && patch_.position() >= body_end_; }
  [[nodiscard]] bool is_early(std::size_t id, std::size_t lacks) const noexcept;
  [[nodiscard]] bool reaches_beyond(std::uint64_t bytes) const noexcept;
  Result<unsigned> next_id();
  Result<FrameHead> read_head(const WindowRecord& window, std::size_t lacks);
  Status read(const FrameHead& head, MutableByteSpan out);
  Status keep(const FrameHead& head);

  io::TypedReader& patch_;
  const std::uint64_t body_end_;
  std::array<Stream, kStreamCount> streams_;
  bool is_packed_ = false;
  StreamSizes coded_bytes_{};
  std::uint64_t code_bytes_ = 0;
  Bytes coded_;  // the frame being read
  Bytes code_;   // the frame of the code in use
  std::optional<unsigned> next_id_;  // read ahead
};

}  // namespace bdelta::native
