#include "create/program_gate.hpp"

#include <algorithm>
#include <utility>

#include "create/level.hpp"
#include "create/group_outline.hpp"
#include "exe/cover_pieces.hpp"
#include "match/matcher.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kPredictionNs = 40;  // of making, for each byte of the target

// What of the file is sections of images: ascending, disjoint.
std::vector<TargetRange> program_ranges(const std::vector<exe::Image>& images) {
  std::vector<TargetRange> ranges;
  for (const exe::Image& image : images) {
    for (const exe::Section& section : image.sections) {
      ranges.push_back({section.file_pos, section.file_pos + section.size_bytes});
    }
  }
  std::sort(ranges.begin(), ranges.end(), [](const TargetRange& a, const TargetRange& b) { return a.begin < b.begin; });
  std::uint64_t end = 0;
  for (TargetRange& range : ranges) {
    range.begin = std::max(range.begin, end);
    end = range.end = std::max(range.end, range.begin);
  }
  return ranges;
}

}  // namespace

Covers find_plain_covers(ByteSpan source, ByteSpan target, const Diagonals& diagonals, WorkerPool& pool) {
  const LevelSettings fast = level_settings(1);
  return std::move(Matcher(source, fast.match, {}, pool).find(target, diagonals).front());
}

PlainChanges count_changes(ByteSpan source, ByteSpan target, const Covers& covers, const std::vector<exe::Image>& images,
                           WorkerPool& pool) {
  const std::vector<TargetRange> ranges = program_ranges(images);
  const exe::CoverPieces pieces(covers);
  std::vector<PlainChanges> equal(pieces.task_count());
  pieces.for_each(
      pool, [&](std::size_t task) { return &equal[task]; },
      [&](PlainChanges* counted, const exe::CoverPiece& piece) {
        const Cover& cover = covers[piece.cover];
        const std::uint64_t begin = cover.target_pos + piece.begin;
        const std::uint64_t end = begin + piece.length;
        const auto ends_before = [](const TargetRange& range, std::uint64_t pos) { return range.end <= pos; };
        auto range = std::lower_bound(ranges.begin(), ranges.end(), begin, ends_before);
        for (std::uint64_t pos = begin; pos < end;) {
          const bool outside = range == ranges.end() || pos < range->begin;
          const std::uint64_t next = std::min(end, range == ranges.end() ? end : outside ? range->begin : range->end);
          const auto length = static_cast<std::size_t>(next - pos);
          const auto from = static_cast<std::size_t>(cover.source_pos + (pos - cover.target_pos));
          const std::uint64_t equal_bytes = length - count_differing(source.subspan(from, length),
                                                                     target.subspan(static_cast<std::size_t>(pos), length));
          counted->all_bytes += equal_bytes;
          counted->program_bytes += outside ? 0 : equal_bytes;
          while (range != ranges.end() && range->end <= next) ++range;
          pos = next;
        }
      });
  PlainChanges changes{target.size(), 0};
  for (const TargetRange& range : ranges) changes.program_bytes += range.end - range.begin;
  for (const PlainChanges& counted : equal) {
    changes.all_bytes -= counted.all_bytes;
    changes.program_bytes -= counted.program_bytes;
  }
  return changes;
}

std::uint64_t saved_bytes(const exe::KindCounts& counts, std::uint64_t share) noexcept {
  std::uint64_t saved = 0;
  for (const exe::KindCount& count : counts) {
    saved += count.plain_misses - std::min(count.plain_misses, count.predicted_misses);
  }
  return saved * share;
}

bool is_prediction_worth_it(std::uint64_t saved_bytes, std::uint64_t target_size, std::uint64_t make_byte_ns) noexcept {
  return make_byte_ns != 0 && saved_bytes > target_size * kPredictionNs / make_byte_ns;
}

}  // namespace bdelta
