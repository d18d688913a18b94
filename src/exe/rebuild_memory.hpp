// Memory that making sorted tables anew takes (rebuilt_tables.hpp), which a patch has to declare.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "exe/image.hpp"
#include "exe/predict.hpp"
#include "exe/sorted_tables.hpp"

namespace bdelta::exe {

// Of those of the tables that are of these kinds, at most, as PREDICTION.md counts it. The tables are of these images.
[[nodiscard]] std::uint64_t rebuild_memory_bytes(const std::vector<Image>& images, std::span<const SortedTable> tables,
                                                 KindSet kinds) noexcept;

}  // namespace bdelta::exe
