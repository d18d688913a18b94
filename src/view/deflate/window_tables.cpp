#include "view/deflate/window_tables.hpp"

namespace bdelta::deflate {

std::vector<std::uint16_t> WindowTables::make_table(std::size_t count) { return std::vector<std::uint16_t>(count); }

// Out of line: the compiler makes much of it, and it runs once in 32 KiB.
void WindowTables::move_down(std::uint16_t* at, std::size_t count, std::uint32_t by) noexcept {
  const auto each = static_cast<std::uint16_t>(std::min(by, 0xffffu));
  for (std::size_t i = 0; i < count; ++i) at[i] = static_cast<std::uint16_t>(at[i] > each ? at[i] - each : 0);
}

}  // namespace bdelta::deflate
