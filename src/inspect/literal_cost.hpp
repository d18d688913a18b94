// What literals are likely to take once they are coded: less where they repeat what came before, or use few values.
//
// Idea: a greedy search for repeats over what has passed, and for bytes in none of them what they take by how frequent their
// values were lately. A coder does better, but much alike for all of them, and shares are all that is asked for.
#pragma once

#include <array>
#include <vector>

#include "base/bytes.hpp"

namespace bdelta::inspecting {

class LiteralCost {
 public:
  static constexpr std::size_t kPieceBytes = 512;

  // Of the next literal, in bytes: of each piece of it, the last one shorter; at least 1. Valid until the next call. Literals
  // come in the order of NEW.
  [[nodiscard]] const std::vector<std::uint64_t>& estimate(ByteSpan literal);

 private:
  static constexpr std::size_t kTableLog = 16;
  static constexpr std::size_t kMostKept = std::size_t{64} << 20;  // of what has passed; then it begins anew

  [[nodiscard]] std::size_t repeat_at(std::size_t pos);
  [[nodiscard]] double single_bytes(std::uint8_t byte);

  Bytes passed_;
  std::array<std::uint32_t, 256> counts_{};  // of values, lately
  std::uint32_t all_ = 0;
  std::vector<std::uint64_t> pieces_;
  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(std::size_t{1} << kTableLog);  // positions + 1, by what begins there
};

}  // namespace bdelta::inspecting
