#include "create/program_gate.hpp"

#include <algorithm>
#include <utility>

#include "create/level.hpp"
#include "create/group_outline.hpp"
#include "exe/cover_pieces.hpp"
#include "match/matcher.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kWorthRatio = 2048;  // one changed byte in so many, or no field is worth a thought
// Likewise, one changed byte in so many that stands in a program. A Java runtime whose launchers have one in 74 became 1 %
// smaller by prediction at level 3, and no smaller at level 9, in two to three times the time.
constexpr std::uint64_t kProgramShare = 48;
constexpr std::uint64_t kFewFields = 4096;  // of which one can't say how many are foretold
// Where fewer than one field in so many is wrong as it is copied, prediction must put right one changed byte in so many. Of
// a pair with one in 100 it saved nothing and took four fifths of the time; of one with one in 29 it saved 7 %.
constexpr std::uint64_t kRightShare = 16;
constexpr std::uint64_t kSavedShare = 64;

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

exe::KindCount sum_of(const exe::KindCounts& counts, exe::KindSet kinds) noexcept {
  exe::KindCount sum;
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    if ((kinds >> kind & 1) == 0) continue;
    sum.field_count += counts[kind].field_count;
    sum.right_count += counts[kind].right_count;
    sum.plain_count += counts[kind].plain_count;
    sum.predicted_misses += counts[kind].predicted_misses;
    sum.plain_misses += counts[kind].plain_misses;
  }
  return sum;
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

bool is_prediction_worth_it(const PlainChanges& changes, std::uint64_t target_size) noexcept {
  return changes.all_bytes >= target_size / kWorthRatio && changes.program_bytes >= changes.all_bytes / kProgramShare;
}

bool are_fields_foretold(const exe::KindCounts& counts, exe::KindSet kinds, std::uint64_t foretold_share) noexcept {
  const exe::KindCount sum = sum_of(counts, kinds);
  return foretold_share == 0 || sum.field_count < kFewFields || sum.right_count >= sum.field_count / foretold_share;
}

bool are_fields_changed(const exe::KindCounts& counts, exe::KindSet kinds, std::uint64_t changed_bytes) noexcept {
  const exe::KindCount sum = sum_of(counts, kinds);
  return sum.field_count < kFewFields || sum.field_count - sum.plain_count > sum.field_count / kRightShare ||
         sum.plain_misses > sum.predicted_misses + changed_bytes / kSavedShare;
}

}  // namespace bdelta
