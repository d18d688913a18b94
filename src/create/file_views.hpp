// Views of OLD and NEW where both or NEW alone hold compressed streams: what the patch is then made of. Where there are
// streams in what was unpacked, those are views of views.
#pragma once

#include <memory>
#include <optional>

#include "bdelta/create.hpp"
#include "create/input.hpp"
#include "create/tree_pair.hpp"
#include "create/unpack_alike.hpp"
#include "io/memory_io.hpp"

namespace bdelta {

// Both files, or their views that were made last.
struct ViewPair {
  ByteSpan source, target;
  ViewParts source_parts, target_parts;
};

// Holds both views in memory, and the files where these have no view of their own.
class FileViews {
 public:
  // Nothing if there is nothing to unpack, or no room for it. Each stream of NEW that is unpacked was rebuilt by what applies,
  // and is what NEW has. Readers must outlive the object. trees: those whose streams the files are; null for plain files.
  // scans: looks for streams anywhere in files that are no archives. The report counts NEW's streams.
  static Result<std::unique_ptr<FileViews>> make(RandomReader& source, RandomReader& target, const TreePair* trees, bool scans,
                                                 const CreateOptions& options, WorkerPool& pool, UnpackReport& report);

  [[nodiscard]] RandomReader& source_view() noexcept { return *source_reader_; }
  [[nodiscard]] RandomReader& target_view() noexcept { return *target_reader_; }

  // The files as they are.
  [[nodiscard]] RandomReader& source_file() const noexcept { return source_; }
  [[nodiscard]] RandomReader& target_file() const noexcept { return target_; }
  [[nodiscard]] ByteSpan source_bytes() const noexcept { return source_input_.bytes(); }
  [[nodiscard]] ByteSpan target_bytes() const noexcept { return target_input_.bytes(); }

  [[nodiscard]] ByteSpan source_view_bytes() const noexcept { return source_view_; }
  [[nodiscard]] ByteSpan target_view_bytes() const noexcept { return target_view_; }

  [[nodiscard]] const view::ViewPlans& plans() const noexcept { return plans_; }

  // What the first views replace of the files.
  [[nodiscard]] const view::Replacements& source_replaced() const noexcept { return source_replaced_; }
  [[nodiscard]] const view::Replacements& target_replaced() const noexcept { return target_replaced_; }

  // What archives in the views hold.
  [[nodiscard]] const view::Members& source_members() const noexcept { return source_members_; }
  [[nodiscard]] const view::Members& target_members() const noexcept { return target_members_; }

  // Where a tar archive begins in a view, if it is of a packed one: with the first stream.
  [[nodiscard]] std::uint64_t source_archive_pos() const noexcept { return source_archive_pos_; }
  [[nodiscard]] std::uint64_t target_archive_pos() const noexcept { return target_archive_pos_; }

  // Of NEW, but for streams that OLD has alike.
  [[nodiscard]] std::uint64_t changed_bytes() const noexcept { return changed_bytes_; }

  // Private memory that it takes.
  [[nodiscard]] std::uint64_t held_bytes() const noexcept { return source_view_.size() + target_view_.size(); }

 private:
  FileViews(RandomReader& source, RandomReader& target) : source_(source), target_(target) {}

  ViewPair take(ViewLayer& layer);
  void settle(AlikeSearch search, ViewParts source_parts, WorkerPool& pool);

  RandomReader& source_;
  RandomReader& target_;
  InputBytes source_input_;
  InputBytes target_input_;
  Bytes source_view_;
  Bytes target_view_;
  std::optional<io::MemoryReader> source_reader_;
  std::optional<io::MemoryReader> target_reader_;
  view::Members source_members_;
  view::Members target_members_;
  std::uint64_t source_archive_pos_ = 0;
  std::uint64_t target_archive_pos_ = 0;
  std::uint64_t changed_bytes_ = 0;
  view::ViewPlans plans_;
  view::Replacements source_replaced_;
  view::Replacements target_replaced_;
};

}  // namespace bdelta
