// One group of a version 2 patch: its table of windows, and their streams out of interleaved frames.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "codec/codec.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"
#include "model/contents_scope.hpp"
#include "model/window_decoder.hpp"
#include "model/window_unpacker.hpp"

namespace bdelta::native {

// All sizes are bounded by the header (which the caller has bounded) before anything is allocated for them.
class GroupReader final : private CodeFeed {
 public:
  // `patch` stands at the body of the group and must outlive the reader, as must `covers`, which are what the windows
  // of a group of kind kContents copy (null for the other kinds).
  GroupReader(io::TypedReader& patch, const Header& header, std::uint64_t body_bytes, GroupKind kind = GroupKind::kWhole,
              CoverStreams* covers = nullptr);

  // Reads the head. target_bytes: what the group's windows must add up to.
  Status open(std::uint64_t target_bytes);

  [[nodiscard]] bool at_end() const noexcept { return next_window_ == windows_.size(); }

  // Record of the next window and, for a coded one, its raw streams. Not to be called at the end.
  Result<WindowRecord> next(StreamBytes& streams);

  // Where the code of the window that `next` gave last belongs; nothing where its contents are not coded. Group and
  // source_before are the caller's to set.
  [[nodiscard]] std::optional<ContentsPart> contents_part() const;

  // After the last window: nothing of the body may be left.
  Status close();

 private:
  struct Stream {
    bool present = false;
    CodecId codec = CodecId::kStore;
    unsigned window_log = 0;
    std::unique_ptr<FrameDecoder> decoder;
    Bytes raw;              // decoded, of frames that are not for one window alone
    std::size_t taken = 0;  // of it given to windows

    [[nodiscard]] bool has(std::uint64_t bytes) const noexcept { return raw.size() - taken >= bytes; }
  };

  struct FrameHead {
    std::size_t id = 0;  // of its stream
    std::uint64_t coded_bytes = 0;
    std::uint64_t raw_bytes = 0;
  };

  Status read_form(ByteSpan& head);
  Status read_contents_scope(ByteSpan& head);
  Status read_windows(ByteSpan head, std::uint64_t target_bytes);
  [[nodiscard]] bool is_bounded(const WindowRecord& window) const;
  Status open_streams(ByteSpan table);
  Status take_memory(std::uint64_t bytes);
  Result<unsigned> next_frame_id();
  Result<FrameHead> read_frame_head(const WindowRecord& window, std::size_t lacks);
  Status read_frame(const FrameHead& head, MutableByteSpan out);
  Status keep_frame(const FrameHead& head);
  [[nodiscard]] bool carries(std::size_t stream) const noexcept { return (streams_of(kind_) >> stream & 1) != 0; }
  Status take(const WindowRecord& window, std::size_t stream, StreamBytes& streams);
  Status unpack(WindowRecord& window, StreamBytes& streams);
  ByteSpan more() override;  // the next frame of a packed group's code
  Status read_code(ByteSpan& code);
  [[nodiscard]] Error corrupt(const char* what) const;
  [[nodiscard]] Error unread(const char* what) const;

  io::TypedReader& patch_;
  const Header& header_;
  const std::uint64_t body_end_;
  const GroupKind kind_;
  CoverStreams* const covers_;
  std::vector<WindowRecord> windows_;
  std::size_t next_window_ = 0;
  std::array<Stream, kStreamCount> streams_;
  Bytes coded_;  // the frame being read
  std::uint64_t memory_bytes_ = 0;        // of all decoders
  std::optional<unsigned> frame_id_;      // read ahead

  // A packed group.
  bool packed_ = false;
  bool has_literals_ = false;
  ModelScope scope_;
  std::optional<ContentsScope> contents_;
  std::uint64_t coded_count_ = 0;    // of windows that are not plain
  std::uint64_t coded_number_ = 0;   // of those, given by `next`
  std::unique_ptr<WindowUnpacker> unpacker_;
  Bytes code_;  // the frame of the code in use
  Status code_status_;
};

}  // namespace bdelta::native
