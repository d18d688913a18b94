// One group of a version 2 patch: its table of windows, and their streams out of interleaved frames.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "codec/codec.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"
#include "model/streams.hpp"

namespace bdelta::native {

// All sizes are bounded by the header (which the caller has bounded) before anything is allocated for them.
class GroupReader {
 public:
  // `patch` stands at the body of the group and must outlive the reader.
  GroupReader(io::TypedReader& patch, const Header& header, std::uint64_t body_bytes);

  // Reads the head. target_bytes: what the group's windows must add up to.
  Status open(std::uint64_t target_bytes);

  [[nodiscard]] bool at_end() const noexcept { return next_window_ == windows_.size(); }

  // Record of the next window and, for a coded one, its raw streams. Not to be called at the end.
  Result<WindowRecord> next(StreamBytes& streams);

  // After the last window: nothing of the body may be left.
  Status close();

 private:
  struct Stream {
    bool present = false;
    CodecId codec = CodecId::kStore;
    unsigned window_log = 0;
    std::unique_ptr<FrameDecoder> decoder;
    Bytes raw;              // decoded
    std::size_t taken = 0;  // of it given to windows

    [[nodiscard]] bool has(std::uint64_t bytes) const noexcept { return raw.size() - taken >= bytes; }
  };

  Status read_windows(ByteSpan head, std::uint64_t target_bytes);
  Status open_streams(ByteSpan table);
  Status read_frame(const WindowRecord& window);
  [[nodiscard]] Error corrupt(const char* what) const;
  [[nodiscard]] Error unread(const char* what) const;

  io::TypedReader& patch_;
  const Header& header_;
  std::uint64_t body_end_;
  std::vector<WindowRecord> windows_;
  std::size_t next_window_ = 0;
  std::array<Stream, kStreamCount> streams_;
  Bytes coded_;  // the frame being read
};

}  // namespace bdelta::native
