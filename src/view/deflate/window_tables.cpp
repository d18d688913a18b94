#include "view/deflate/window_tables.hpp"

#include <array>

namespace bdelta::deflate {

std::vector<std::uint16_t> WindowTables::make_table(std::size_t count) { return std::vector<std::uint16_t>(count); }

// Out of line: the compiler makes much of it, and it runs once in 32 KiB.
void WindowTables::move_down(std::uint16_t* at, std::size_t count, unsigned kept, std::uint32_t by) noexcept {
  std::array<std::uint16_t, 8> each;
  for (unsigned j = 0; j < 8; ++j) each[j] = static_cast<std::uint16_t>((kept >> j & 1) != 0 ? 0 : std::min(by, 0xffffu));
  for (std::size_t i = 0; i < count; i += 8) {
    for (unsigned j = 0; j < 8; ++j) at[i + j] = static_cast<std::uint16_t>(at[i + j] > each[j] ? at[i + j] - each[j] : 0);
  }
}

}  // namespace bdelta::deflate
