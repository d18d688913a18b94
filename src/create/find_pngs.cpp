#include "create/find_pngs.hpp"

#include <string_view>

#include "base/deciding/archives.hpp"
#include "exe/images.hpp"
#include "view/png_chunks.hpp"
#include "view/scan_work.hpp"
#include "view/zlib_head.hpp"

namespace bdelta {
namespace {

std::string_view text_of(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

// Of the PNG file that begins at pos: where its image data is, and how much; nothing if it has none. Chunks in front are passed,
// and counted in left_chunks; there is nothing behind the last of these.
std::optional<view::FoundStream> run_at(ByteSpan file, std::uint64_t pos, std::uint64_t& left_chunks) {
  for (pos += view::kPngSignature.size(); pos < file.size() && file.size() - pos >= view::kChunkFrameBytes && left_chunks != 0; --left_chunks) {
    if (const auto run = view::join_chunks(file, pos, file.size())) {
      return view::FoundStream{pos, run->packed_bytes, run->data.size(), {}};
    }
    const std::uint64_t chunk_bytes = view::kChunkFrameBytes + std::uint64_t{view::load_be(file.data() + static_cast<std::size_t>(pos))};
    if (chunk_bytes > file.size() - pos) return std::nullopt;
    pos += chunk_bytes;
  }
  return std::nullopt;
}

}  // namespace

bool has_png_run(ByteSpan file, std::uint64_t begin, std::uint64_t end) {
  constexpr std::string_view kType = "IDAT";
  const std::string_view text = text_of(file).substr(0, static_cast<std::size_t>(end));
  for (std::size_t at = text.find(kType, static_cast<std::size_t>(begin) + kType.size()); at != std::string_view::npos; at = text.find(kType, at + 1)) {
    if (view::join_chunks(file, at - kType.size(), file.size())) return true;
  }
  return false;
}

FoundParts find_png_runs(ByteSpan file, ViewParts parts) {
  FoundParts found;
  for (ViewPart& part : parts) {
    view::Member& member = part.member;
    const ByteSpan bytes = file.subspan(static_cast<std::size_t>(member.data_pos), static_cast<std::size_t>(member.data_bytes));
    const std::string_view text = text_of(bytes);
    std::size_t at = part.is_packed || exe::begins_program(bytes) ? std::string_view::npos : text.find(view::kPngSignature);
    // As many as there can be, so that what begins with many signatures, each in a chunk of the one before, is not passed each time.
    std::uint64_t left_chunks = bytes.size() / view::kChunkFrameBytes;
    while (at != std::string_view::npos && left_chunks != 0) {
      auto run = run_at(bytes, at, left_chunks);
      if (run && run->packed_bytes >= kLeastPackedBytes) {
        at = static_cast<std::size_t>(run->file_pos + run->packed_bytes);
        run->file_pos += member.data_pos;
        run->name = member.name;
        member.is_file = false;
        found.streams.push_back(std::move(*run));
      } else {
        at += view::kPngSignature.size();
      }
      at = text.find(view::kPngSignature, at);
    }
    if (at != std::string_view::npos) found.unscanned.add(bytes.size() - at);
  }
  found.parts = std::move(parts);
  return found;
}

std::vector<view::FoundStream> find_png_streams(ByteSpan view, const view::PackedStreams& runs, std::uint64_t most_raw_bytes) {
  std::vector<view::FoundStream> found;
  Bytes room;
  view::ScanWork work_in_vain;
  std::uint64_t shift = 0;  // from positions of the file, modulo 2^64
  for (const view::PackedStream& run : runs) {
    const ByteSpan data = view.subspan(static_cast<std::size_t>(run.file_pos + shift), static_cast<std::size_t>(run.raw_bytes));
    shift += run.raw_bytes - run.packed_bytes;
    if (data.size() <= view::kZlibHeadBytes || !view::is_zlib_head(data[0], data[1])) continue;
    work_in_vain.allow(data.size());
    if (work_in_vain.is_done()) continue;
    deflate::InflateWork work;
    const ByteSpan packed = data.subspan(view::kZlibHeadBytes);
    const Status status = deflate::try_inflate(deflate::pieces_of(packed), most_raw_bytes, room, [](ByteSpan) { return Status(); }, work);
    if (!status) work_in_vain.count(work);
    if (!status || work.sizes.packed_bytes < kLeastPackedBytes) continue;
    most_raw_bytes -= work.sizes.raw_bytes;
    const auto pos = static_cast<std::uint64_t>(packed.data() - view.data());
    found.push_back({pos, work.sizes.packed_bytes, work.sizes.raw_bytes, {}});
  }
  return found;
}

}  // namespace bdelta
