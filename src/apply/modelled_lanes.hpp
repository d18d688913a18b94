// The lanes of the group that is being applied: where modelled bytes are decoded, in order within each lane.
#pragma once

#include <memory>
#include <vector>

#include "model/modelled_unpacker.hpp"

namespace bdelta {

class ModelledLanes {
 public:
  // `source` must outlive the object. Takes the memory that the scope says, each lane as its first window comes: groups
  // may have more lanes than windows.
  ModelledLanes(std::uint64_t group, const ModelledScope& scope, RandomReader& source)
      : group_(group), scope_(scope), source_(source), lanes_(scope.lane_count) {}

  [[nodiscard]] std::uint64_t group() const noexcept { return group_; }

  // Whether it is the window's turn. This and end_turn: under the caller's lock.
  [[nodiscard]] bool is_turn(const ModelledPart& part) const noexcept { return lanes_[part.lane].turn == part.turn; }
  void end_turn(const ModelledPart& part) noexcept { ++lanes_[part.lane].turn; }

  // Copied bytes that the windows so far have changed; once all are done.
  [[nodiscard]] std::uint64_t changed_count() const noexcept {
    std::uint64_t count = 0;
    for (const Lane& lane : lanes_) count += lane.unpacker ? lane.unpacker->changed_count() : 0;
    return count;
  }

  // For the window whose turn it is; without a lock.
  Status unpack(const WindowDelta& window, MutableByteSpan out, Watch* watch) {
    Lane& lane = lanes_[window.modelled->lane];
    if (!lane.unpacker) lane.unpacker = std::make_unique<ModelledUnpacker>(scope_, source_);
    return lane.unpacker->unpack(window, out, watch);
  }

 private:
  struct Lane {
    std::unique_ptr<ModelledUnpacker> unpacker;
    std::uint64_t turn = 0;
  };

  const std::uint64_t group_;
  const ModelledScope scope_;
  RandomReader& source_;
  std::vector<Lane> lanes_;
};

}  // namespace bdelta
