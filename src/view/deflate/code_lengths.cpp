#include "view/deflate/code_lengths.hpp"

#include <algorithm>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t heap_entry(std::uint64_t frequency, std::uint64_t depth, std::uint64_t node) noexcept {
  return frequency << 32 | depth << 16 | node;
}
constexpr unsigned node_of(std::uint64_t entry) noexcept { return entry & 0xffff; }
constexpr bool not_greater(std::uint64_t a, std::uint64_t b) noexcept { return a >> 16 <= b >> 16; }

}  // namespace

unsigned CodeLengthBuilder::build(std::span<const std::uint32_t> frequencies, unsigned most_bits,
                                  std::span<std::uint8_t> code_bits) noexcept {
  const auto symbol_count = static_cast<unsigned>(frequencies.size());
  fill_heap(frequencies);
  join_nodes(symbol_count);

  counts_.fill(0);
  unsigned cut_count = 0;
  bits_[taken_[taken_count_ - 1]] = 0;
  for (unsigned i = taken_count_ - 1; i-- > 0;) {
    const unsigned node = taken_[i];
    unsigned bits = bits_[parent_[node]] + 1u;
    if (bits > most_bits) {
      bits = most_bits;
      ++cut_count;
    }
    bits_[node] = static_cast<std::uint8_t>(bits);
    if (node < symbol_count) ++counts_[bits];
  }
  if (cut_count > 0) shorten(most_bits, symbol_count, cut_count);

  std::fill(code_bits.begin(), code_bits.end(), std::uint8_t{0});
  for (unsigned i = 0; i < taken_count_; ++i) {
    if (taken_[i] < symbol_count) code_bits[taken_[i]] = bits_[taken_[i]];
  }
  return last_symbol_;
}

void CodeLengthBuilder::fill_heap(std::span<const std::uint32_t> frequencies) noexcept {
  heap_size_ = 0;
  int last = -1;
  for (unsigned symbol = 0; symbol < frequencies.size(); ++symbol) {
    if (frequencies[symbol] == 0) continue;
    heap_[++heap_size_] = heap_entry(frequencies[symbol], 0, symbol);
    last = static_cast<int>(symbol);
  }
  while (heap_size_ < 2) heap_[++heap_size_] = heap_entry(1, 0, last < 2 ? static_cast<unsigned>(++last) : 0);
  last_symbol_ = static_cast<unsigned>(last);
  for (unsigned at = heap_size_ / 2; at > 0; --at) sift_down(at);
}

void CodeLengthBuilder::sift_down(unsigned at) noexcept {
  const std::uint64_t entry = heap_[at];
  for (unsigned child = 2 * at; child <= heap_size_; child = 2 * at) {
    if (child < heap_size_ && not_greater(heap_[child + 1], heap_[child])) ++child;
    if (not_greater(entry, heap_[child])) break;
    heap_[at] = heap_[child];
    at = child;
  }
  heap_[at] = entry;
}

void CodeLengthBuilder::join_nodes(unsigned symbol_count) noexcept {
  taken_count_ = 0;
  for (unsigned node = symbol_count; heap_size_ > 1; ++node) {
    const std::uint64_t first = heap_[1];
    heap_[1] = heap_[heap_size_--];
    sift_down(1);
    const std::uint64_t second = heap_[1];
    taken_[taken_count_++] = static_cast<std::uint16_t>(node_of(first));
    taken_[taken_count_++] = static_cast<std::uint16_t>(node_of(second));
    parent_[node_of(first)] = parent_[node_of(second)] = static_cast<std::uint16_t>(node);
    const std::uint64_t depth = std::max(first >> 16 & 0xffff, second >> 16 & 0xffff) + 1;
    heap_[1] = heap_entry((first >> 32) + (second >> 32), depth, node);
    sift_down(1);
  }
  taken_[taken_count_++] = static_cast<std::uint16_t>(node_of(heap_[1]));
}

void CodeLengthBuilder::shorten(unsigned most_bits, unsigned symbol_count, unsigned cut_count) noexcept {
  for (int cut = static_cast<int>(cut_count); cut > 0; cut -= 2) {
    unsigned bits = most_bits - 1;
    while (counts_[bits] == 0) --bits;
    --counts_[bits];
    counts_[bits + 1] += 2;
    --counts_[most_bits];
  }
  unsigned next = 0;
  for (unsigned bits = most_bits; bits > 0; --bits) {
    for (unsigned left = counts_[bits]; left > 0; ++next) {
      if (taken_[next] >= symbol_count) continue;
      bits_[taken_[next]] = static_cast<std::uint8_t>(bits);
      --left;
    }
  }
}

}  // namespace bdelta::deflate
