#include "create/hidden_streams.hpp"

#include <algorithm>
#include <bit>

#include "base/deciding/archives.hpp"
#include "create/find_pngs.hpp"
#include "exe/images.hpp"
#include "view/raw_streams.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

// Half of the bytes of packed data have their highest bit set, of text hardly any. So text is told by few instructions.
bool looks_packed(ByteSpan bytes) {
  for (; bytes.size() >= kPackedSampleBytes; bytes = bytes.subspan(kPackedSampleBytes)) {
    int high_count = 0;
    for (std::size_t i = 0; i < kPackedSampleBytes; i += 8) high_count += std::popcount(load_le<std::uint64_t>(bytes.data() + i) & kHighBits);
    if (high_count >= kLeastHighBytes) return true;
  }
  return false;
}

}  // namespace

bool has_hidden_streams(ByteSpan target, const Covers& covers, UnpackReport::Streams& unscanned) {
  if (exe::begins_program(target)) return false;
  view::RawStreamScan scan;
  scan.allow(target.size());
  std::uint64_t seen_end = 0;
  const auto has_one = [&](std::uint64_t begin, std::uint64_t end) {
    if (end - begin < kLeastFreeBytes || !looks_packed(target.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)))) {
      return false;
    }
    std::uint64_t from = std::max(seen_end, begin - std::min({begin, kMostBytesBefore, kBeforeRatio * (end - begin)}));
    if (has_png_run(target, from, end)) return true;
    while (const auto found = scan.next(target, from, end, kMostHiddenRawBytes)) {
      from = found->file_pos + found->packed_bytes;
      if (from > begin) return true;
      scan.count_work_of(*found);
    }
    seen_end = end;
    return false;
  };
  std::uint64_t free_begin = 0;
  for (const Cover& cover : covers) {
    if (has_one(free_begin, cover.target_pos)) return true;
    free_begin = cover.target_end();
  }
  if (has_one(free_begin, target.size())) return true;
  unscanned.add(scan.unscanned());
  return false;
}

}  // namespace bdelta
