// Where the streams of a file that are unpacked are in its last view. And where in that view is what is told in positions of
// the file, or of a view between.
//
// Level 0 is the file, level 1 its view, and so on. What a stream of level n holds counts in level n + 1.
#pragma once

#include <span>
#include <vector>

#include "view/packed_streams.hpp"

namespace bdelta::inspecting {

struct UnpackedStream {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::size_t inner_level = 0;  // of what it holds
};

class ViewLevels {
 public:
  // `streams`: those of each level, which must outlive the object. view_bytes: of the last view.
  ViewLevels(std::span<const view::PackedStreams> streams, std::uint64_t view_bytes);

  // Of a position of that level; for none inside a stream that is unpacked.
  [[nodiscard]] std::uint64_t in_view(std::uint64_t pos, std::size_t level = 0) const noexcept;

  // Where so many bytes of that level end that begin there, which is in no stream. Within the view.
  [[nodiscard]] std::uint64_t end_in_view(std::uint64_t begin, std::uint64_t bytes, std::size_t level) const noexcept;

  // The first stream that begins there or behind; null behind the last. Of several that begin together it is the outermost.
  [[nodiscard]] const UnpackedStream* first_from(std::uint64_t pos) const noexcept;

  // The stream that begins there, or null.
  [[nodiscard]] const UnpackedStream* stream_at(std::uint64_t pos) const noexcept {
    const UnpackedStream* const found = first_from(pos);
    return found && found->begin == pos ? found : nullptr;
  }

 private:
  // From positions of a level to those of the next one.
  class Step {
   public:
    explicit Step(const view::PackedStreams& streams);
    [[nodiscard]] std::uint64_t moved(std::uint64_t pos) const noexcept;
    [[nodiscard]] std::uint64_t moved_back(std::uint64_t pos) const noexcept;

   private:
    const view::PackedStreams& streams_;
    std::vector<std::uint64_t> shifts_;  // by each and those before it, modulo 2^64
  };

  std::vector<Step> steps_;
  std::vector<UnpackedStream> unpacked_;
  const std::uint64_t view_bytes_;
};

}  // namespace bdelta::inspecting
