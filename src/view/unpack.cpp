#include "view/unpack.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/try.hpp"
#include "view/deflate/inflate.hpp"
#include "view/image_chunks.hpp"
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
  if (kind == StreamKind::kImageChunks) {
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

}  // namespace

Result<UnpackedFile> unpack_source(ByteSpan file, const ViewPlan& plan, ByteCursor& geometry, Watch* watch) {
  UnpackedFile unpacked;
  Bytes& bytes = unpacked.bytes;
  bytes.reserve(static_cast<std::size_t>(plan.source_view_bytes));
  SourcePositions positions(file, geometry);
  GapTeller gaps;
  std::uint64_t end = 0;
  const auto fits = [&](std::uint64_t more) { return more <= plan.source_view_bytes - bytes.size(); };
  for (std::uint64_t i = 0; i < plan.source_count; ++i) {
    std::uint64_t pos = 0;
    if (!positions.next(end, pos) || !fits(pos - end)) return no_stream(pos);
    const ByteSpan gap = file.subspan(static_cast<std::size_t>(end), static_cast<std::size_t>(pos - end));
    const std::uint64_t most_bytes = std::min(plan.source_view_bytes - bytes.size() - gap.size(), plan.source_largest_bytes);
    const auto stream = unpack_stream(file.subspan(static_cast<std::size_t>(pos)), plan.kind, most_bytes);
    if (!stream) return no_stream(pos);
    const MemberFields fields{{}, stream->packed_bytes, stream->raw_bytes, 0};
    (void)gaps.add(gap, plan.kind == StreamKind::kDeflate ? &fields : nullptr, bytes);
    append(bytes, ByteSpan(stream->text).first(stream->raw_bytes));
    unpacked.streams.push_back({pos, stream->packed_bytes, stream->raw_bytes});
    end = unpacked.streams.back().file_end();
    if (watch) BDELTA_TRY(watch->check(stream->raw_bytes));
  }
  const ZipDirectory& directory = plan.source_directory;
  const auto told = tell_directory(file, unpacked.streams, directory);
  if (!told) return Error{ErrorCode::kPatchCorrupt, "OLD has another directory of an archive than it says; fetch the patch again"};
  const auto rest = file.subspan(static_cast<std::size_t>(end));
  if (rest.size() - directory.bytes + told->size() != plan.source_view_bytes - bytes.size()) {
    return Error{ErrorCode::kPatchCorrupt, "OLD unpacked has another size than it says; fetch the patch again"};
  }
  (void)gaps.add(rest.first(static_cast<std::size_t>(directory.pos_in(rest.size()))), nullptr, bytes);
  append(bytes, *told);
  append(bytes, rest.last(static_cast<std::size_t>(directory.behind_bytes)));
  return unpacked;
}

}  // namespace bdelta::view
