// Sorted tables as the target has them, made of those of the source. What an entry of OLD stands for has an entry in NEW
// wherever covers copied it to. All of these sorted again are nearly the table of NEW. Their bytes stand in place of
// those that the source has there, so that copies out of them need no other kind of copy. PREDICTION.md specifies it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "exe/page_breaks.hpp"
#include "exe/predict.hpp"
#include "exe/sorted_tables.hpp"
#include "parallel/watch.hpp"

namespace bdelta::exe {

struct RebuiltTable {
  SortedTable old;
  std::size_t target_image = 0;    // whose table it is
  std::uint64_t base_address = 0;  // in the target, what its numbers count from
  Bytes bytes;                     // as many as the old one has
};

// What a pair of programs has for the making of them. All must outlive the call.
struct RebuildInputs {
  ByteSpan file;  // of the source
  const Images& source;
  const Images& target;
  const OwnerMap& map;
  const LabelIndex& labels;
  std::span<const PageBreaks> breaks;  // of the target's images
  Watch* watch = nullptr;
};

// The tables are as find_sorted_tables gives them for the source. Those of the kinds whose entries went anywhere are
// rebuilt. Of those that became the same table of the target only the first is. They stay in order.
[[nodiscard]] std::vector<RebuiltTable> rebuild_tables(const RebuildInputs& inputs, std::span<const SortedTable> tables,
                                                       KindSet kinds);

// Puts the bytes of the tables in place of those of [pos, pos + bytes.size()) of the source.
void put_tables(std::span<const RebuiltTable> tables, std::uint64_t pos, MutableByteSpan bytes) noexcept;

}  // namespace bdelta::exe
