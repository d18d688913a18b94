#include "create/program_gate.hpp"

#include <algorithm>
#include <utility>

#include "create/level.hpp"
#include "create/plan.hpp"
#include "match/matcher.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kWorthRatio = 2048;  // one changed byte in so many, or no field is worth a thought
constexpr std::uint64_t kProgramShare = 128;  // likewise, one changed byte in so many that stands in a program

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
  PlainChanges changes{target.size(), 0};
  for (const TargetRange& range : ranges) changes.program_bytes += range.end - range.begin;
  std::size_t first = 0;
  for (const Cover& cover : covers) {
    const auto equal_bytes = [&](std::uint64_t begin, std::uint64_t end) {
      const auto length = static_cast<std::size_t>(end - begin);
      const auto from = static_cast<std::size_t>(cover.source_pos + (begin - cover.target_pos));
      return length - count_differing(source.subspan(from, length),
                                      target.subspan(static_cast<std::size_t>(begin), length));
    };
    changes.all_bytes -= equal_bytes(cover.target_pos, cover.target_end());
    while (first < ranges.size() && ranges[first].end <= cover.target_pos) ++first;
    for (std::size_t i = first; i < ranges.size() && ranges[i].begin < cover.target_end(); ++i) {
      const std::uint64_t begin = std::max(ranges[i].begin, cover.target_pos);
      const std::uint64_t end = std::min(ranges[i].end, cover.target_end());
      if (begin < end) changes.program_bytes -= equal_bytes(begin, end);
    }
    pool.advance();
  }
  return changes;
}

bool is_prediction_worth_it(const PlainChanges& changes, std::uint64_t target_size) noexcept {
  return changes.all_bytes >= target_size / kWorthRatio && changes.program_bytes >= changes.all_bytes / kProgramShare;
}

}  // namespace bdelta
