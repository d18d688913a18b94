#include "inspect/literal_cost.hpp"

#include <algorithm>
#include <cmath>

namespace bdelta::inspecting {
namespace {

constexpr std::size_t kLeastRepeat = 6;
constexpr double kRepeatBytes = 2.5;  // that one takes: where from and how long

constexpr std::uint32_t kLately = 8192;

}  // namespace

// The length of the repeat that begins at `pos` of what has passed; 0 for none. Notes the place.
std::size_t LiteralCost::repeat_at(std::size_t pos) {
  if (passed_.size() - pos < kLeastRepeat) return 0;
  const std::uint64_t key = load_le<std::uint32_t>(passed_.data() + pos) | std::uint64_t{load_le<std::uint16_t>(passed_.data() + pos + 4)} << 32;
  std::uint32_t& place = table_[static_cast<std::size_t>(key * 0x9e3779b97f4a7c15u >> (64 - kTableLog))];
  const std::size_t before = place;
  place = static_cast<std::uint32_t>(pos) + 1;
  if (before == 0) return 0;
  const std::size_t length = count_equal(passed_.data() + before - 1, passed_.data() + pos, passed_.size() - pos);
  return length < kLeastRepeat ? 0 : length;
}

// One that never came before is taken to have come half a time.
double LiteralCost::single_bytes(std::uint8_t byte) {
  const double bytes = std::log2((all_ + 128.0) / (counts_[byte] + 0.5)) / 8;
  ++counts_[byte];
  if (++all_ < kLately) return bytes;
  all_ = 0;
  for (std::uint32_t& count : counts_) all_ += count /= 2;
  return bytes;
}

const std::vector<std::uint64_t>& LiteralCost::estimate(ByteSpan literal) {
  if (passed_.size() + literal.size() > kMostKept) {
    passed_.clear();
    std::fill(table_.begin(), table_.end(), 0);
  }
  const std::size_t begin = passed_.size();
  append(passed_, literal);
  pieces_.clear();
  double bytes = 0;
  for (std::size_t pos = begin; pos < passed_.size();) {
    const std::size_t length = repeat_at(pos);
    bytes += length == 0 ? single_bytes(passed_[pos]) : kRepeatBytes;
    pos += std::max<std::size_t>(length, 1);
    for (std::size_t end = begin + (pieces_.size() + 1) * kPieceBytes; end <= pos || pos == passed_.size(); end += kPieceBytes) {
      if (pieces_.size() * kPieceBytes >= literal.size()) break;
      pieces_.push_back(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(bytes))));
      bytes = 0;
    }
  }
  return pieces_;
}

}  // namespace bdelta::inspecting
