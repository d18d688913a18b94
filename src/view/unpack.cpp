#include "view/unpack.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/try.hpp"
#include "view/deflate/inflate.hpp"
#include "view/png_chunks.hpp"
#include "view/member_fields.hpp"

namespace bdelta::view {
namespace {

// The patch was made from a file that has a stream there, and OLD's digest was proven, so the patch is to blame.
Error no_stream(std::uint64_t pos) {
  return {ErrorCode::kPatchCorrupt, "it says that OLD has a compressed stream at " + std::to_string(pos) +
                                        ", and there is none; fetch the patch again"};
}

struct UnpackedStream {
  std::uint64_t packed_bytes = 0;
  Bytes text;  // and the padding of an inflated one
  std::size_t raw_bytes = 0;
};

// The one that the bytes begin with.
std::optional<UnpackedStream> unpack_stream(ByteSpan packed, StreamKind kind, std::uint64_t most_raw_bytes) {
  if (kind == StreamKind::kPngChunks) {
    auto joined = join_chunks(packed, 0, most_raw_bytes);
    if (!joined) return std::nullopt;
    const std::size_t raw_bytes = joined->data.size();
    return UnpackedStream{joined->packed_bytes, std::move(joined->data), raw_bytes};
  }
  deflate::InflateOptions options;
  options.most_raw_bytes = most_raw_bytes;
  options.reserve = true;
  options.keep_tokens = false;
  auto stream = deflate::inflate(packed, options);
  if (!stream) return std::nullopt;
  const std::size_t raw_bytes = stream->raw().size();
  return UnpackedStream{stream->packed_bytes, std::move(stream->text), raw_bytes};
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

Result<PackedStreams> unpack_source(ByteSpan file, const ViewPlan& plan, ByteCursor& geometry, Watch* watch, const ViewSink& sink) {
  PackedStreams streams;
  SourcePositions positions(file, geometry);
  ViewTeller teller(plan, sink);
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < plan.source_count; ++i) {
    std::uint64_t pos = 0;
    if (!positions.next(end, pos) || pos - end > teller.left_bytes()) return no_stream(pos);
    const ByteSpan gap = file.subspan(static_cast<std::size_t>(end), static_cast<std::size_t>(pos - end));
    const std::uint64_t most_bytes = std::min(teller.left_bytes() - gap.size(), plan.source_largest_bytes);
    const auto stream = unpack_stream(file.subspan(static_cast<std::size_t>(pos)), plan.kind, most_bytes);
    if (!stream) return no_stream(pos);
    const MemberFields fields{{}, stream->packed_bytes, stream->raw_bytes, 0};
    BDELTA_TRY(teller.add_gap(gap, &fields));
    BDELTA_TRY(teller.add(ByteSpan(stream->text).first(stream->raw_bytes)));
    streams.push_back({pos, stream->packed_bytes, stream->raw_bytes});
    end = streams.back().file_end();
    if (watch) BDELTA_TRY(watch->check(stream->raw_bytes));
  }
  const ZipDirectory& directory = plan.source_directory;
  const auto told = tell_directory(file, streams, directory);
  if (!told) return Error{ErrorCode::kPatchCorrupt, "OLD has another directory of an archive than it says; fetch the patch again"};
  const auto rest = file.subspan(static_cast<std::size_t>(end));
  if (rest.size() - directory.bytes + told->size() > teller.left_bytes()) return other_size();
  BDELTA_TRY(teller.add_gap(rest.first(static_cast<std::size_t>(directory.pos_in(rest.size()))), nullptr));
  BDELTA_TRY(teller.add(*told));
  BDELTA_TRY(teller.add(rest.last(static_cast<std::size_t>(directory.behind_bytes))));
  BDELTA_TRY(add_kept_ranges(file, plan.kept_count, geometry, teller));
  return streams;
}

}  // namespace bdelta::view
