// What a patch spends where: an estimate for each block of the target.
#pragma once

#include <vector>

#include "match/byte_range.hpp"
#include "match/target_copies.hpp"

namespace bdelta {

class TargetCosts {
 public:
  static constexpr std::uint64_t kBlockBytes = 32;

  // ranges: what of the target is looked at, beginning and ending with blocks; none: all of it.
  TargetCosts(const CopiedTarget& copied, const ParseCosts& costs, WorkerPool& pool, const ByteRanges& ranges = {});

  [[nodiscard]] std::size_t block_count() const noexcept { return cost_.size(); }
  [[nodiscard]] std::uint32_t of_block(std::size_t block) const noexcept { return cost_[block]; }

  // In 1/64 bit; shares of the blocks at both ends.
  [[nodiscard]] std::int64_t of_range(std::uint64_t begin, std::uint64_t end) const noexcept;

  // Inside of many literals, which codecs find by themselves where they repeat.
  [[nodiscard]] bool is_literal(std::size_t block) const noexcept { return literal_[block] != 0; }

 private:
  void add_chunk(const CopiedTarget& copied, const ParseCosts& costs, std::uint64_t begin, std::uint64_t end);
  void add_literals(std::uint64_t begin, std::uint64_t end, const ParseCosts& costs);
  void add_misses(ByteSpan given, ByteSpan wanted, std::uint64_t target_pos, const ParseCosts& costs);
  void add(std::uint64_t target_pos, std::int64_t cost) noexcept {
    cost_[static_cast<std::size_t>(target_pos / kBlockBytes)] += static_cast<std::uint32_t>(cost);
  }

  std::vector<std::uint32_t> cost_;
  std::vector<std::uint8_t> literal_;
};

}  // namespace bdelta
