#include "view/unpack.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/try.hpp"
#include "view/deflate/inflate.hpp"
#include "view/png_chunks.hpp"
#include "view/member_fields.hpp"
#include "view/recipe_memory.hpp"
#include "view/unpack_ahead.hpp"

namespace bdelta::view {
namespace {

// The patch was made from a file that has a stream there, and OLD's digest was proven, so the patch is to blame.
Error no_stream(std::uint64_t pos) {
  return {ErrorCode::kPatchCorrupt, "it says that OLD has a compressed stream at " + std::to_string(pos) +
                                        ", and there is none; fetch the patch again"};
}

// Gives a view to its sink.
class ViewFeed {
 public:
  ViewFeed(const ViewPlan& plan, const ViewSink& sink) : plan_(plan), sink_(sink) {}

  [[nodiscard]] std::uint64_t left_bytes() const noexcept { return plan_.source_view_bytes - given_bytes_; }

  // The bytes up to a stream, a directory or the end, but for the last of them, which become gap().
  Status begin_gap(FileWindow& file, std::uint64_t begin, std::uint64_t end) {
    gap_.clear();
    const std::uint64_t gap_pos = end - begin > 2 * kMostGapBytes ? end - kMostGapBytes : begin;
    BDELTA_TRY(file.pass(begin, gap_pos, [&](ByteSpan bytes) { return add_piece(bytes, nullptr); }));
    return file.pass(gap_pos, end, [&](ByteSpan bytes) -> Status {
      append(gap_, bytes);
      return {};
    });
  }
  [[nodiscard]] ByteSpan gap() const noexcept { return gap_; }
  Status end_gap(const MemberFields* next) { return add_piece(gap_, plan_.kind == StreamKind::kDeflate ? next : nullptr); }

  // Of the stream behind the last gap, where its sizes were not known yet.
  void set_fields(const MemberFields& fields) noexcept { gaps_.set_fields(fields); }

  // What is no gap; all that is given has room.
  Status add(ByteSpan bytes) {
    given_bytes_ += bytes.size();
    return sink_(bytes);
  }

 private:
  static constexpr std::size_t kMostGapBytes = std::size_t{64} << 10;
  static_assert(kMostGapBytes >= kMostHeadBytes && kMostGapBytes >= kMostFieldsBehindBytes);

  Status add_piece(ByteSpan gap, const MemberFields* next) {
    piece_.clear();
    (void)gaps_.add(gap, next, piece_);
    return add(piece_);
  }

  const ViewPlan& plan_;
  const ViewSink& sink_;
  GapTeller gaps_;
  Bytes gap_;
  Bytes piece_;
  std::uint64_t given_bytes_ = 0;
};

// Goes through what is replaced of OLD, and tells what stands around it as well.
class SourceUnpacker {
  static_assert(FileWindow::kMostAskedBytes >= deflate::kLeastPieceBytes);

 public:
  // ahead: null where one thread does all.
  SourceUnpacker(FileWindow& file, const ViewPlan& plan, ByteCursor& geometry, Watch* watch, ViewFeed& feed, UnpackAhead* ahead)
      : file_(file), plan_(plan), geometry_(geometry), positions_(file, plan, geometry), watch_(watch), feed_(feed), ahead_(ahead) {
    if (plan.kind == StreamKind::kDeflate) held_.reserve(static_cast<std::size_t>(std::min(plan.source_largest_bytes, kMostHeldTextBytes)));
  }

  Result<Replacements> run() {
    for (std::uint64_t i = 0; i < plan_.source_count; ++i) BDELTA_TRY(add_stream());
    BDELTA_TRY(add_directories());
    if (!positions_.is_at_end()) return no_directory();
    BDELTA_TRY(add_rest());
    BDELTA_TRY(add_kept_ranges());
    return std::move(replaced_);
  }

 private:
  static Error no_directory() {
    return {ErrorCode::kPatchCorrupt, "OLD has another directory of an archive than it says; fetch the patch again"};
  }
  static Error other_size() { return {ErrorCode::kPatchCorrupt, "OLD unpacked has another size than it says; fetch the patch again"}; }

  // The next stream, and the directories in front of it.
  Status add_stream() {
    BDELTA_TRY(add_directories());
    std::uint64_t pos = 0;
    const bool is_there = positions_.next_stream(end_, pos);
    BDELTA_TRY(file_.status());
    if (!is_there || pos - end_ > feed_.left_bytes()) return no_stream(pos);
    BDELTA_TRY(feed_.begin_gap(file_, end_, pos));
    const std::uint64_t most_bytes = std::min(feed_.left_bytes() - feed_.gap().size(), plan_.source_largest_bytes);
    const auto sizes = plan_.kind == StreamKind::kDeflate ? add_inflated(pos, most_bytes) : add_joined(pos, most_bytes);
    BDELTA_TRY(file_.status());
    if (!sizes) return sizes.error();
    replaced_.streams.push_back({pos, sizes->packed_bytes, sizes->raw_bytes});
    add_part(replaced_.streams.back());
    return {};
  }

  Result<deflate::InflatedSizes> add_joined(std::uint64_t pos, std::uint64_t most_bytes) {
    const auto joined = join_chunks(file_, pos, most_bytes);
    if (!joined) return no_stream(pos);
    BDELTA_TRY(feed_.end_gap(nullptr));
    BDELTA_TRY(feed_.add(joined->data));
    if (watch_) BDELTA_TRY(watch_->check(joined->data.size()));
    return deflate::InflatedSizes{joined->packed_bytes, joined->data.size()};
  }

  // A text is held until it is whole where a header in front has its size. One of more bytes is inflated once more for that, and
  // goes to the view while it comes, as do all others.
  Result<deflate::InflatedSizes> add_inflated(std::uint64_t pos, std::uint64_t most_bytes) {
    if (auto text = ahead_ ? ahead_->take(pos, most_bytes) : std::nullopt) return add_text(*text);
    const deflate::PackedPieces packed = pieces_of(file_, pos);
    bool is_held = find_fields(feed_.gap()).kind == FieldKind::kZipHeader, has_begun = false;
    held_.clear();
    const auto take = [&](ByteSpan bytes) -> Status {
      if (watch_) BDELTA_TRY(watch_->check(bytes.size()));
      if (is_held && held_.size() + bytes.size() <= kMostHeldTextBytes) {
        append(held_, bytes);
        return {};
      }
      is_held = false;
      if (!std::exchange(has_begun, true)) BDELTA_TRY(begin_text(pos, most_bytes));
      return feed_.add(bytes);
    };
    const auto sizes = deflate::inflate_into(packed, most_bytes, room_, take);
    if (!sizes) {
      const ErrorCode code = sizes.error().code;
      return code == ErrorCode::kCodecFailed || code == ErrorCode::kOutputLimit ? no_stream(pos) : sizes.error();
    }
    const MemberFields fields{{}, sizes->packed_bytes, sizes->raw_bytes, 0};
    if (has_begun) {
      feed_.set_fields(fields);
    } else {
      BDELTA_TRY(feed_.end_gap(&fields));
      BDELTA_TRY(feed_.add(held_));
    }
    return *sizes;
  }

  Result<deflate::InflatedSizes> add_text(const AheadText& text) {
    if (watch_) BDELTA_TRY(watch_->check(text.bytes.size()));
    const MemberFields fields{{}, text.sizes.packed_bytes, text.sizes.raw_bytes, 0};
    BDELTA_TRY(feed_.end_gap(&fields));
    BDELTA_TRY(feed_.add(text.bytes));
    return text.sizes;
  }

  static deflate::PackedPieces pieces_of(FileWindow& file, std::uint64_t pos) {
    return [&file, pos](std::uint64_t at) { return file.from(std::min(file.size(), pos + at), deflate::kLeastPieceBytes); };
  }

  // What is held of a text that is too large for it.
  Status begin_text(std::uint64_t pos, std::uint64_t most_bytes) {
    MemberFields fields;
    if (find_fields(feed_.gap()).kind == FieldKind::kZipHeader) {
      Bytes room;
      const auto pass = [&](ByteSpan) { return watch_ ? watch_->check() : Status(); };
      FileWindow file(file_);  // of its own: the stream is being read there
      auto sizes_of = deflate::inflate_into(pieces_of(file, pos), most_bytes, room, pass);
      BDELTA_TRY(file.status());
      BDELTA_ASSIGN(const deflate::InflatedSizes sizes, std::move(sizes_of));
      fields = {{}, sizes.packed_bytes, sizes.raw_bytes, 0};
    }
    BDELTA_TRY(feed_.end_gap(&fields));
    return feed_.add(held_);
  }

  Status add_directories() {
    while (positions_.is_directory_next(replaced_.streams.size())) {
      ZipDirectory directory;
      if (!positions_.next_directory(end_, directory)) return no_directory();
      const auto description = describe_directory(file_, parts_, directory);
      BDELTA_TRY(file_.status());
      if (!description) return no_directory();
      if (directory.file_pos - end_ + description->size() > feed_.left_bytes()) return other_size();
      BDELTA_TRY(feed_.begin_gap(file_, end_, directory.file_pos));
      BDELTA_TRY(feed_.end_gap(nullptr));
      BDELTA_TRY(feed_.add(*description));
      directory.description_bytes = description->size();
      replaced_.directories.push_back(directory);
      add_part({directory.file_pos, directory.bytes, directory.description_bytes});
    }
    return {};
  }

  void add_part(const PackedStream& part) {
    parts_.push_back(part);
    end_ = part.file_end();
  }

  // What is behind all that is replaced.
  Status add_rest() {
    if (file_.size() - end_ > feed_.left_bytes()) return other_size();
    BDELTA_TRY(feed_.begin_gap(file_, end_, file_.size()));
    return feed_.end_gap(nullptr);
  }

  Status add_kept_ranges() {
    KeptRange range;
    for (std::uint64_t count = plan_.kept_count; count > 0; --count) {
      if (!read_kept_range(geometry_, file_.size(), range.file_end(), range)) {
        return Error{ErrorCode::kPatchCorrupt, "it keeps a range that OLD has not; fetch the patch again"};
      }
      if (range.bytes > feed_.left_bytes()) return other_size();
      BDELTA_TRY(file_.pass(range.file_pos, range.file_end(), [&](ByteSpan bytes) { return feed_.add(bytes); }));
    }
    return feed_.left_bytes() == 0 ? Status() : other_size();
  }

  FileWindow& file_;
  const ViewPlan& plan_;
  ByteCursor& geometry_;
  SourcePositions positions_;
  Watch* const watch_;
  ViewFeed& feed_;
  UnpackAhead* const ahead_;
  Replacements replaced_;
  PackedStreams parts_;    // the same, in the order of the file
  Bytes held_;             // of the text at hand
  Bytes room_;             // of the inflater
  std::uint64_t end_ = 0;  // of what is replaced
};

}  // namespace

Result<Replacements> unpack_source(FileWindow& file, const ViewPlan& plan, ByteCursor& geometry, WorkerPool* pool, const ViewSink& sink) {
  ViewFeed feed(plan, sink);
  Watch* const watch = pool ? pool->watch() : nullptr;
  std::optional<UnpackAhead> ahead;
  if (pool && pool->thread_count() > 1 && plan.kind == StreamKind::kDeflate && plan.source_count > 1) ahead.emplace(file, plan, geometry, *pool);
  return SourceUnpacker(file, plan, geometry, watch, feed, ahead ? &*ahead : nullptr).run();
}

}  // namespace bdelta::view
