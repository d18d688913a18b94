#include "view/deflate/piece_rule.hpp"

#include <algorithm>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kNoSize = std::uint64_t{1} << 62;
constexpr unsigned kPenaltyShift = 7;             // new trees seem larger by so small a part
constexpr std::uint64_t kUsualHeadBits = 70 * 8;  // of trees for literals, which are not made yet
constexpr std::uint64_t kFewTokens = 250;         // for fewer, fixed trees are thought of
constexpr std::uint64_t kFirstStored = 32;        // bytes of a short first piece
constexpr std::uint64_t kTellingBytes = 1024;     // from here on, how even bytes are says something

std::uint64_t stored_size(const BlockCounts& counts) noexcept {
  return counts.raw_bytes <= kMostStoredBytes ? 8 * (counts.raw_bytes + 5) : kNoSize;
}

std::uint64_t tree_size(const BlockTree& tree) noexcept { return 3 + head_bits(tree); }

// Without further bits; kNoSize if a symbol has no code.
std::uint64_t coded_size(const BlockCounts& counts, const BlockTree& tree) noexcept {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < kUsedLiteralSymbols; ++i) {
    bits += counts.literals[i] == 0 ? 0 : tree.literal_bits[i] == 0 ? kNoSize : std::uint64_t{counts.literals[i]} * tree.literal_bits[i];
    bits = std::min(bits, kNoSize);
  }
  for (unsigned i = 0; i < kDistanceSymbols; ++i) {
    bits += counts.distances[i] == 0 ? 0 : tree.distance_bits[i] == 0 ? kNoSize : std::uint64_t{counts.distances[i]} * tree.distance_bits[i];
    bits = std::min(bits, kNoSize);
  }
  return bits;
}

std::uint64_t further_bits(const BlockCounts& counts) noexcept {
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < kLengthSymbols; ++i) {
    bits += std::uint64_t{counts.literals[kFirstLengthSymbol + i]} * kLengthRanges[i].extra_bits;
  }
  for (unsigned i = 0; i < kDistanceSymbols; ++i) bits += std::uint64_t{counts.distances[i]} * kDistanceRanges[i].extra_bits;
  return bits;
}

std::uint64_t fixed_size(const BlockCounts& counts) noexcept {
  std::uint64_t bits = 3;
  for (unsigned i = 0; i < kUsedLiteralSymbols; ++i) bits += std::uint64_t{counts.literals[i]} * kFixedBits.literals[i];
  for (unsigned i = 0; i < kDistanceSymbols; ++i) bits += std::uint64_t{counts.distances[i]} * kFixedBits.distances[i];
  return bits + further_bits(counts);
}

// What `count` symbols of `total` should take, in 2^-30 bits: 1 to 15 bits each.
std::uint64_t estimate_symbol(std::uint64_t count, std::uint64_t total) noexcept {
  constexpr std::uint64_t kBit = std::uint64_t{1} << 30;
  if (count == 0 || count == total) return count * kBit;
  unsigned exponent = 0;
  while (count << exponent < total) ++exponent;
  const std::uint64_t mantissa = (count << (exponent + 20)) / total;  // 1 to 2, in 2^-20
  const std::uint64_t logarithm = ((2'173'968'328 - (370'278'182 * mantissa >> 20)) * mantissa >> 20) - 724'644'294;
  return count * std::clamp((1 + exponent) * kBit - logarithm, kBit, 15 * kBit);
}

std::uint64_t estimated_size(const BlockCounts& counts, std::uint64_t tokens) noexcept {
  std::uint64_t literals = 0;
  std::uint64_t distances = 0;
  std::uint64_t matches = 0;
  for (const std::uint32_t count : counts.distances) matches += count;
  for (unsigned i = 0; i < kUsedLiteralSymbols; ++i) {
    if (i != kEndOfBlock) literals += estimate_symbol(counts.literals[i], tokens);
  }
  for (const std::uint32_t count : counts.distances) distances += estimate_symbol(count, matches);
  return ((literals + distances) >> 30) + 15 + further_bits(counts);
}

// Whether all bytes are about as frequent.
bool looks_random(const BlockCounts& counts) noexcept {
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < kEndOfBlock; ++i) {
    const std::int64_t difference = 256 * static_cast<std::int64_t>(counts.literals[i]) - static_cast<std::int64_t>(counts.raw_bytes);
    sum += static_cast<std::uint64_t>(difference * difference);
  }
  return counts.raw_bytes > kTellingBytes && sum >> 16 < 2 * counts.raw_bytes;
}

}  // namespace

PieceChoice PieceRule::choose(const BlockCounts& counts, const BlockTree& tree, bool ends) const noexcept {
  if (counts.raw_bytes == 0) return {};
  std::uint64_t tokens = ends ? 1 : 0;
  std::uint64_t matches = 0;
  for (unsigned i = 0; i < kUsedLiteralSymbols; ++i) tokens += i == kEndOfBlock ? 0 : counts.literals[i];
  for (const std::uint32_t count : counts.distances) matches += count;
  if (ends && counts.raw_bytes <= (first_ ? kFirstStored : stored_bytes_)) return {BlockType::kStored};
  return matches == 0 ? choose_of_literals(counts, tree) : choose_of_tokens(counts, tree, tokens);
}

PieceChoice PieceRule::choose_of_literals(const BlockCounts& counts, const BlockTree& tree) const noexcept {
  if (looks_random(counts)) return {BlockType::kStored};
  std::uint64_t renewed = coded_size(counts, tree) + (open_ ? tree_size(tree_) : kUsualHeadBits);
  renewed += renewed >> kPenaltyShift;
  if (stored_size(counts) <= renewed) return {BlockType::kStored};
  return {BlockType::kDynamic, open_ && coded_size(counts, tree_) <= renewed + tree_.literal_bits[kEndOfBlock]};
}

PieceChoice PieceRule::choose_of_tokens(const BlockCounts& counts, const BlockTree& tree, std::uint64_t tokens) const noexcept {
  const std::uint64_t stored = stored_size(counts);
  const std::uint64_t further = further_bits(counts);
  const std::uint64_t fixed = tokens < kFewTokens ? fixed_size(counts) : kNoSize;
  const std::uint64_t joined = open_ && !of_literals_ ? coded_size(counts, tree_) + further : kNoSize;
  if (joined < kNoSize) {
    std::uint64_t renewed = tree_size(tree_) + estimated_size(counts, tokens);
    renewed += tree_.literal_bits[kEndOfBlock] + (renewed >> kPenaltyShift);
    const std::uint64_t size = std::min(renewed, joined);
    if (stored <= size) return {BlockType::kStored};
    if (fixed + 7 < size) return {BlockType::kFixed};
    if (joined <= renewed) return {BlockType::kDynamic, true};
  }
  const std::uint64_t own = tree_size(tree) + coded_size(counts, tree) + further;
  if (stored <= std::min(own, fixed)) return {BlockType::kStored};
  return {fixed <= own ? BlockType::kFixed : BlockType::kDynamic};
}

void PieceRule::pass(PieceChoice choice, const BlockCounts& counts, const BlockTree& tree, bool ends) noexcept {
  first_ = false;
  if (!choice.joined) {
    open_ = choice.type == BlockType::kDynamic;
    of_literals_ = std::all_of(counts.distances.begin(), counts.distances.end(), [](std::uint32_t count) { return count == 0; });
    if (open_) tree_ = tree;
  }
  if (ends) open_ = false;
}

}  // namespace bdelta::deflate
