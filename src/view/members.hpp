// What containers in a view hold, of whatever kind they are. Who knows a kind adds its members; alignment by name and lists
// of files ask for no more than this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bdelta::view {

// Positions are those of the view.
struct Member {
  std::string name;              // whole, "/" between its parts
  bool is_file = false;          // a regular one, whose bytes stand in the view as they are
  std::uint64_t begin = 0;       // of the first of its headers, where these stand in front of its bytes
  std::uint64_t data_pos = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t end = 0;         // behind its bytes and what pads them

  [[nodiscard]] std::uint64_t data_end() const noexcept { return data_pos + data_bytes; }
};

// In the order of the view; none begins before the end of another. A container inside another has its members in its place.
using Members = std::vector<Member>;

}  // namespace bdelta::view
