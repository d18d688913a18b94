// Views of OLD and NEW where both or NEW alone hold compressed streams: what the patch is then made of. Where there are
// streams in what was unpacked, those are views of views.
#pragma once

#include <memory>
#include <optional>

#include "apply/applied_views.hpp"
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
  // scans: looks for streams anywhere in files that are no archives. The report counts NEW's streams. needed_bytes becomes a limit
  // of memory that has room for it, where that of the options has none.
  static Result<std::unique_ptr<FileViews>> make(RandomReader& source, RandomReader& target, const TreePair* trees, bool scans,
                                                 const CreateOptions& options, WorkerPool& pool, UnpackReport& report,
                                                 std::uint64_t& needed_bytes);

  [[nodiscard]] RandomReader& source_view() noexcept { return *source_reader_; }
  [[nodiscard]] RandomReader& target_view() noexcept { return *target_reader_; }

  // For the one who changes it where it is: target_view() is no longer NEW's afterwards.
  [[nodiscard]] MutableByteSpan take_target_view() noexcept { return target_view_; }
  // Remembers what stands there in NEW's view, before it is changed, and puts all of that back.
  void keep_target(std::uint64_t pos, std::size_t count);
  void restore_target() noexcept;

  // The files as they are.
  [[nodiscard]] RandomReader& source_file() const noexcept { return source_; }
  [[nodiscard]] RandomReader& target_file() const noexcept { return target_; }
  [[nodiscard]] ByteSpan source_bytes() const noexcept { return source_input_.bytes(); }
  [[nodiscard]] ByteSpan target_bytes() const noexcept { return target_input_.bytes(); }

  [[nodiscard]] ByteSpan source_view_span() const noexcept { return source_view_; }
  [[nodiscard]] ByteSpan target_view_span() const noexcept { return target_view_; }

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

  [[nodiscard]] std::uint64_t target_view_bytes() const noexcept { return plans_.back().target_view_bytes; }

  // For who proves a patch. recipe: what it has for the first view, where it is said, too, which streams take OLD's tokens. It has
  // to outlive the result.
  [[nodiscard]] KnownViews known(ByteSpan recipe) const noexcept { return {source_view_, recipe, &proven_}; }

  // Once the patch is coded: nobody reads NEW's view any more.
  void drop_target_view() noexcept;

  // Of NEW, but for streams that OLD has alike.
  [[nodiscard]] std::uint64_t changed_bytes() const noexcept { return changed_bytes_; }

  // Nominal nanoseconds that applying takes for them.
  [[nodiscard]] std::uint64_t apply_ns() const noexcept { return apply_ns_; }

  // Likewise, that making each of NEW's streams takes; none where they are chunks.
  [[nodiscard]] const std::vector<std::uint64_t>& rebuilding_ns() const noexcept { return rebuilding_ns_; }

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
  std::uint64_t apply_ns_ = 0;
  std::vector<std::uint64_t> rebuilding_ns_;
  view::ViewPlans plans_;
  std::vector<std::pair<std::uint64_t, Bytes>> kept_;  // of NEW's view
  std::vector<view::ProvenStream> proven_;  // NEW's, that stand in the file
  view::Replacements source_replaced_;
  view::Replacements target_replaced_;
};

}  // namespace bdelta
