#include "view/deflate/find_joints.hpp"

#include <algorithm>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kLeastPeriod = 4096;

// The empty blocks behind the text up to a position, but for the last block of the stream.
struct Gap {
  std::uint64_t raw_pos = 0;
  std::size_t first = 0;
  std::size_t count = 0;
  std::uint64_t bit = 0;  // where they begin
};

std::vector<Gap> find_gaps(const Inflated& stream) {
  std::vector<Gap> gaps;
  for (std::size_t i = 0; i < stream.blocks.size(); ++i) {
    const Block& block = stream.blocks[i];
    if (block.raw_pos == 0 || block.raw_bytes != 0 || block.last) continue;
    if (gaps.empty() || gaps.back().raw_pos != block.raw_pos) gaps.push_back({block.raw_pos, i, 0, block.packed_bit});
    ++gaps.back().count;
  }
  return gaps;
}

bool is_aligned(const Inflated& stream, const Gap& gap) {
  const BlockType type = gap.bit % 2 != 0 ? BlockType::kStored : BlockType::kFixed;
  std::size_t wanted = gap.bit % 2;  // one stored block, or fixed ones of ten bits
  for (std::uint64_t bit = gap.bit; type == BlockType::kFixed && bit % 8 != 0; bit += 10) ++wanted;
  if (gap.count != wanted) return false;
  for (std::size_t i = 0; i < gap.count; ++i) {
    if (stream.blocks[gap.first + i].type != type) return false;
  }
  return true;
}

// The greatest distance that all are multiples of, if that is the least distance of two.
std::uint64_t period_of(const std::vector<Gap>& gaps) {
  if (gaps.size() < 2) return 0;
  std::uint64_t period = gaps.front().raw_pos;
  for (std::size_t i = 1; i < gaps.size(); ++i) period = std::min(period, gaps[i].raw_pos - gaps[i - 1].raw_pos);
  if (period < kLeastPeriod) return 0;
  for (const Gap& gap : gaps) {
    if (gap.raw_pos % period != 0) return 0;
  }
  return period;
}

// Where pigz was at a whole byte already it left no trace but the end of a block.
void add_silent_joints(const Inflated& stream, std::uint64_t period, std::vector<Joint>& joints) {
  std::vector<Joint> all;
  auto known = joints.begin();
  for (const Block& block : stream.blocks) {
    const bool at_period = block.raw_pos != 0 && block.raw_pos % period == 0;
    while (known != joints.end() && known->raw_pos < block.raw_pos) all.push_back(*known++);
    const bool is_known = (known != joints.end() && known->raw_pos == block.raw_pos) ||
                          (!all.empty() && all.back().raw_pos == block.raw_pos);
    if (at_period && !is_known && block.packed_bit % 8 == 0 && block.raw_bytes != 0) {
      all.push_back({block.raw_pos, JointKind::kContinue, JointMarker::kAlign});
    }
  }
  while (known != joints.end()) all.push_back(*known++);
  joints = std::move(all);
}

}  // namespace

std::vector<Joint> find_joints(const Inflated& stream) {
  const std::vector<Gap> gaps = find_gaps(stream);
  const bool aligned = std::all_of(gaps.begin(), gaps.end(), [&](const Gap& gap) { return is_aligned(stream, gap); }) &&
                       std::any_of(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.bit % 2 == 0; });
  std::vector<Joint> joints;
  for (const Gap& gap : gaps) {
    const BlockType type = stream.blocks[gap.first].type;
    const JointMarker marker = aligned                       ? JointMarker::kAlign
                               : type == BlockType::kStored ? JointMarker::kStored
                               : type == BlockType::kFixed  ? JointMarker::kFixed
                                                            : JointMarker::kNone;
    joints.push_back({gap.raw_pos, JointKind::kContinue, marker});
  }
  const std::uint64_t period = period_of(gaps);
  if (aligned && period != 0) add_silent_joints(stream, period, joints);
  return joints;
}

}  // namespace bdelta::deflate
