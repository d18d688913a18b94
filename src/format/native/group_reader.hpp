// One group of a version 2 patch: its windows, and their streams.
#pragma once

#include <memory>
#include <optional>

#include "format/native/frame_reader.hpp"
#include "format/native/group_tables.hpp"
#include "format/patch_meter.hpp"
#include "model/window_decoder.hpp"
#include "model/window_unpacker.hpp"

namespace bdelta::native {

// All sizes are bounded by the header (which the caller has bounded) before anything is allocated for them.
class GroupReader final : private CodeFeed {
 public:
  // `patch` stands behind the target bytes of the group, which ends at body_end. It must outlive the reader, as must
  // `covers`, which are what windows copy that are predicted (null without prediction).
  GroupReader(io::TypedReader& patch, const Header& header, std::uint64_t body_end, GroupKind kind = GroupKind::kWhole,
              CoverStreams* covers = nullptr);

  // Reads the head. target_bytes: what the group's windows must add up to.
  Status open(std::uint64_t target_bytes);

  [[nodiscard]] bool at_end() const noexcept { return next_window_ == tables_.windows.size(); }

  // Record of the next window and, for a coded one, its raw streams. It begins at target_pos, behind one that has left
  // the coder's state at `diagonal`. Not to be called at the end.
  Result<WindowRecord> next(std::uint64_t target_pos, std::int64_t diagonal, StreamBytes& streams);

  // Where the code of the window that `next` gave last belongs; nothing where it has no modelled bytes. Group and
  // source_before are the caller's to set.
  [[nodiscard]] std::optional<ModelledPart> modelled_part() const;

  // After the last window: sets what its frames and tables tell.
  void measure(MeteredGroup& group) const;

  // After the last window: nothing of the body may be left.
  Status close();

 private:
  // Whether the covers that stand apart have filled the stream.
  [[nodiscard]] static bool stands_apart(const WindowRecord& window, std::size_t stream) noexcept {
    return window.predicted && stream < kOpStreamCount;
  }
  Status unpack(WindowRecord& window, StreamBytes& streams);
  ByteSpan more() override;  // the next frame of a packed group's code

  io::TypedReader& patch_;
  const Header& header_;
  const std::uint64_t body_end_;
  const GroupKind kind_;
  CoverStreams* const covers_;
  FrameReader frames_;
  GroupTables tables_;
  std::size_t next_window_ = 0;
  std::uint64_t modelled_number_ = 0;  // of windows with modelled bytes, given by `next`
  std::unique_ptr<WindowUnpacker> unpacker_;  // of a packed group
  Status code_status_;
};

}  // namespace bdelta::native
