#include "view/unpack.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/try.hpp"
#include "view/deflate/inflate.hpp"
#include "view/png_chunks.hpp"
#include "view/member_fields.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta::view {
namespace {

// The patch was made from a file that has a stream there, and OLD's digest was proven, so the patch is to blame.
Error no_stream(std::uint64_t pos) {
  return {ErrorCode::kPatchCorrupt, "it says that OLD has a compressed stream at " + std::to_string(pos) +
                                        ", and there is none; fetch the patch again"};
}

// Gives a view to its sink.
class ViewTeller {
 public:
  ViewTeller(const ViewPlan& plan, const ViewSink& sink) : plan_(plan), sink_(sink) {}

  [[nodiscard]] std::uint64_t left_bytes() const noexcept { return plan_.source_view_bytes - told_bytes_; }

  // The bytes up to a stream, or without one to the directory. In pieces, as only their ends can be told otherwise.
  Status add_gap(ByteSpan gap, const MemberFields* next) {
    while (gap.size() > 2 * kPieceBytes) {
      BDELTA_TRY(add_piece(gap.first(kPieceBytes), nullptr));
      gap = gap.subspan(kPieceBytes);
    }
    return add_piece(gap, plan_.kind == StreamKind::kDeflate ? next : nullptr);
  }

  // Of the stream behind the last gap, where its sizes were not known yet.
  void set_fields(const MemberFields& fields) noexcept { gaps_.set_fields(fields); }

  // What is no gap; all that is given has room.
  Status add(ByteSpan bytes) {
    told_bytes_ += bytes.size();
    return sink_(bytes);
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
  static_assert(kPieceBytes >= kMostHeadBytes && kPieceBytes >= kMostFieldsBehindBytes);

  Status add_piece(ByteSpan gap, const MemberFields* next) {
    piece_.clear();
    (void)gaps_.add(gap, next, piece_);
    return add(piece_);
  }

  const ViewPlan& plan_;
  const ViewSink& sink_;
  GapTeller gaps_;
  Bytes piece_;
  std::uint64_t told_bytes_ = 0;
};

Error other_size() { return {ErrorCode::kPatchCorrupt, "OLD unpacked has another size than it says; fetch the patch again"}; }

// Goes through what is replaced of OLD, and tells what stands around it as well.
class SourceUnpacker {
 public:
  SourceUnpacker(ByteSpan file, const ViewPlan& plan, ByteCursor& geometry, ViewTeller& teller)
      : file_(file), plan_(plan), positions_(file, plan, geometry), teller_(teller) {}

  // The next stream, and the directories in front of it.
  Status add_stream(Watch* watch) {
    BDELTA_TRY(add_directories());
    std::uint64_t pos = 0;
    if (!positions_.next_stream(end_, pos) || pos - end_ > teller_.left_bytes()) return no_stream(pos);
    const std::uint64_t most_bytes = std::min(teller_.left_bytes() - (pos - end_), plan_.source_largest_bytes);
    const bool is_deflated = plan_.kind == StreamKind::kDeflate;
    const auto sizes = is_deflated ? tell_inflated(pos, most_bytes, watch) : tell_joined(pos, most_bytes, watch);
    if (!sizes) return sizes.error();
    replaced_.streams.push_back({pos, sizes->packed_bytes, sizes->raw_bytes});
    add_part(replaced_.streams.back());
    return {};
  }

  // What is behind the last stream.
  Result<Replacements> finish() {
    BDELTA_TRY(add_directories());
    if (!positions_.is_at_end()) return no_directory();
    if (file_.size() - end_ > teller_.left_bytes()) return other_size();
    BDELTA_TRY(teller_.add_gap(between(end_, file_.size()), nullptr));
    return std::move(replaced_);
  }

 private:
  static Error no_directory() {
    return {ErrorCode::kPatchCorrupt, "OLD has another directory of an archive than it says; fetch the patch again"};
  }

  [[nodiscard]] ByteSpan between(std::uint64_t begin, std::uint64_t end) const {
    return file_.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }

  Result<deflate::InflatedSizes> tell_joined(std::uint64_t pos, std::uint64_t most_bytes, Watch* watch) {
    const auto joined = join_chunks(file_.subspan(static_cast<std::size_t>(pos)), 0, most_bytes);
    if (!joined) return no_stream(pos);
    BDELTA_TRY(teller_.add_gap(between(end_, pos), nullptr));
    BDELTA_TRY(teller_.add(joined->data));
    if (watch) BDELTA_TRY(watch->check(joined->data.size()));
    return deflate::InflatedSizes{joined->packed_bytes, joined->data.size()};
  }

  // A text is held until it is whole, as the gap in front may need its size. One of more bytes goes to the view while it comes,
  // and only where a header in front has its size it is inflated once more, for that.
  Result<deflate::InflatedSizes> tell_inflated(std::uint64_t pos, std::uint64_t most_bytes, Watch* watch) {
    const ByteSpan gap = between(end_, pos), packed = file_.subspan(static_cast<std::size_t>(pos));
    bool is_held = true;
    held_.clear();
    const auto begin = [&]() -> Status {
      MemberFields fields;
      if (find_fields(gap).kind == FieldKind::kZipHeader) {
        const auto pass = [&](ByteSpan) { return watch ? watch->check() : Status(); };
        BDELTA_ASSIGN(const deflate::InflatedSizes sizes, deflate::inflate_into(packed, most_bytes, pass));
        fields = {{}, sizes.packed_bytes, sizes.raw_bytes, 0};
      }
      BDELTA_TRY(teller_.add_gap(gap, &fields));
      is_held = false;
      return teller_.add(held_);
    };
    const auto take = [&](ByteSpan bytes) -> Status {
      if (watch) BDELTA_TRY(watch->check(bytes.size()));
      if (is_held && held_.size() + bytes.size() <= kMostHeldTextBytes) {
        append(held_, bytes);
        return {};
      }
      if (is_held) BDELTA_TRY(begin());
      return teller_.add(bytes);
    };
    const auto sizes = deflate::inflate_into(packed, most_bytes, take);
    if (!sizes) {
      const ErrorCode code = sizes.error().code;
      return code == ErrorCode::kCodecFailed || code == ErrorCode::kOutputLimit ? no_stream(pos) : sizes.error();
    }
    const MemberFields fields{{}, sizes->packed_bytes, sizes->raw_bytes, 0};
    if (is_held) {
      BDELTA_TRY(teller_.add_gap(gap, &fields));
      BDELTA_TRY(teller_.add(held_));
    } else {
      teller_.set_fields(fields);
    }
    return *sizes;
  }

  void add_part(const PackedStream& part) {
    parts_.push_back(part);
    end_ = part.file_end();
  }

  Status add_directories() {
    while (positions_.is_directory_next(replaced_.streams.size())) {
      ZipDirectory directory;
      if (!positions_.next_directory(end_, directory)) return no_directory();
      const auto told = tell_directory(file_, parts_, directory);
      if (!told) return no_directory();
      if (directory.file_pos - end_ + told->size() > teller_.left_bytes()) return other_size();
      BDELTA_TRY(teller_.add_gap(between(end_, directory.file_pos), nullptr));
      BDELTA_TRY(teller_.add(*told));
      directory.told_bytes = told->size();
      replaced_.directories.push_back(directory);
      add_part({directory.file_pos, directory.bytes, directory.told_bytes});
    }
    return {};
  }

  const ByteSpan file_;
  const ViewPlan& plan_;
  SourcePositions positions_;
  ViewTeller& teller_;
  Replacements replaced_;
  PackedStreams parts_;  // the same, in the order of the file
  Bytes held_;             // of the text at hand
  std::uint64_t end_ = 0;  // of what is replaced
};

// The end of a view.
Status add_kept_ranges(ByteSpan file, std::uint64_t count, ByteCursor& geometry, ViewTeller& teller) {
  KeptRange range;
  for (; count > 0; --count) {
    if (!read_kept_range(geometry, file.size(), range.file_end(), range)) {
      return Error{ErrorCode::kPatchCorrupt, "it keeps a range that OLD has not; fetch the patch again"};
    }
    if (range.bytes > teller.left_bytes()) return other_size();
    BDELTA_TRY(teller.add(file.subspan(static_cast<std::size_t>(range.file_pos), static_cast<std::size_t>(range.bytes))));
  }
  return teller.left_bytes() == 0 ? Status() : other_size();
}

}  // namespace

Result<Replacements> unpack_source(ByteSpan file, const ViewPlan& plan, ByteCursor& geometry, Watch* watch, const ViewSink& sink) {
  ViewTeller teller(plan, sink);
  SourceUnpacker unpacker(file, plan, geometry, teller);
  for (std::uint64_t i = 0; i < plan.source_count; ++i) BDELTA_TRY(unpacker.add_stream(watch));
  BDELTA_ASSIGN(Replacements replaced, unpacker.finish());
  BDELTA_TRY(add_kept_ranges(file, plan.kept_count, geometry, teller));
  return replaced;
}

}  // namespace bdelta::view
