// Views of OLD and NEW where both or NEW alone hold compressed streams: what the patch is then made of.
#pragma once

#include <memory>
#include <optional>

#include "bdelta/create.hpp"
#include "create/input.hpp"
#include "create/tree_pair.hpp"
#include "io/memory_io.hpp"
#include "view/deflate/recipe.hpp"
#include "view/geometry.hpp"

namespace bdelta {

// Holds both views in memory, and the files where these have no view of their own.
class FileViews {
 public:
  // Nothing if there is nothing to unpack, or no room for it. Each stream of NEW that is unpacked was rebuilt by what applies,
  // and is what NEW has. Readers must outlive the object. trees: those whose streams the files are; null for plain files.
  static Result<std::unique_ptr<FileViews>> make(RandomReader& source, RandomReader& target, const TreePair* trees,
                                                 const CreateOptions& options, WorkerPool& pool);

  [[nodiscard]] RandomReader& source_view() noexcept { return *source_reader_; }
  [[nodiscard]] RandomReader& target_view() noexcept { return *target_reader_; }

  // The files as they are.
  [[nodiscard]] RandomReader& source_file() const noexcept { return source_; }
  [[nodiscard]] RandomReader& target_file() const noexcept { return target_; }
  [[nodiscard]] ByteSpan source_bytes() const noexcept { return source_input_.bytes(); }
  [[nodiscard]] ByteSpan target_bytes() const noexcept { return target_input_.bytes(); }

  [[nodiscard]] const view::ViewPlan& plan() const noexcept { return plan_; }
  [[nodiscard]] std::uint64_t stream_count() const noexcept { return plan_.target_count; }

  // What of the files is unpacked.
  [[nodiscard]] const view::PackedStreams& source_streams() const noexcept { return source_streams_; }
  [[nodiscard]] const view::PackedStreams& target_streams() const noexcept { return target_streams_; }

  // Where a tar archive begins in a view, if it is of a packed one: with the first stream.
  [[nodiscard]] std::uint64_t source_archive_pos() const noexcept { return archive_pos(source_streams_); }
  [[nodiscard]] std::uint64_t target_archive_pos() const noexcept { return archive_pos(target_streams_); }

  // Private memory that it takes.
  [[nodiscard]] std::uint64_t held_bytes() const noexcept { return source_view_.size() + target_view_.size(); }

 private:
  [[nodiscard]] static std::uint64_t archive_pos(const view::PackedStreams& streams) noexcept {
    return streams.empty() ? 0 : streams.front().file_pos;
  }

  FileViews(RandomReader& source, RandomReader& target) : source_(source), target_(target) {}

  RandomReader& source_;
  RandomReader& target_;
  InputBytes source_input_;
  InputBytes target_input_;
  Bytes source_view_;
  Bytes target_view_;
  std::optional<io::MemoryReader> source_reader_;
  std::optional<io::MemoryReader> target_reader_;
  view::PackedStreams source_streams_;
  view::PackedStreams target_streams_;
  view::ViewPlan plan_;
};

}  // namespace bdelta
