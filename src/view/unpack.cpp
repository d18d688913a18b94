#include "view/unpack.hpp"

#include <algorithm>
#include <string>

#include "base/try.hpp"
#include "view/deflate/inflate.hpp"
#include "view/member_fields.hpp"

namespace bdelta::view {
namespace {

// The patch was made from a file that has a stream there, and OLD's digest was proven, so the patch is to blame.
Error no_stream(std::uint64_t pos) {
  return {ErrorCode::kPatchCorrupt, "it says that OLD has a compressed stream at " + std::to_string(pos) +
                                        ", and there is none; fetch the patch again"};
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
    deflate::InflateOptions options;
    options.most_raw_bytes = std::min(plan.source_view_bytes - bytes.size() - gap.size(), plan.source_largest_bytes);
    options.reserve = true;
    options.keep_tokens = false;
    const auto stream = deflate::inflate(file.subspan(static_cast<std::size_t>(pos)), options);
    if (!stream) return no_stream(pos);
    const MemberFields fields{{}, stream->packed_bytes, stream->raw().size()};
    (void)gaps.add(gap, &fields, bytes);
    append(bytes, stream->raw());
    unpacked.streams.push_back({pos, stream->packed_bytes, stream->raw().size()});
    end = unpacked.streams.back().file_end();
    if (watch) BDELTA_TRY(watch->check(stream->raw().size()));
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
