// A table that is written at places spread all over it. Each thread takes a part of it, goes through all that is to be
// written, in order, and does what belongs to its part. So what is written depends on no thread count, and no lock is
// needed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "parallel/worker_pool.hpp"

namespace bdelta {

// The slots [first, first + count) of a table.
struct TablePart {
  std::uint64_t first;
  std::uint64_t count;
};

// Calls body(part) for as many parts as there are threads, which together are the table.
template <class Body>
void for_each_table_part(WorkerPool& pool, std::uint64_t slot_count, Body&& body) {
  const std::uint64_t part_count = pool.thread_count();
  const std::uint64_t part_slots = slot_count / part_count;
  pool.for_each(static_cast<std::size_t>(part_count), [&](std::size_t i) {
    const std::uint64_t first = part_slots * i;
    body(TablePart{first, i + 1 == part_count ? slot_count - first : part_slots});
  });
}

// Calls use(i) for those of `count` items that belong to the part, as slot_of(i) says, in order. Before that fetch(i), for
// many of them at a time. Whether one belongs there can't be predicted: each is noted, and stays if the next goes behind it.
template <class SlotOf, class Fetch, class Use>
void for_own_items(const TablePart& part, std::size_t count, SlotOf&& slot_of, Fetch&& fetch, Use&& use) {
  std::array<std::size_t, 256> own;
  std::size_t own_count = 0;
  const auto use_all = [&] {
    for (std::size_t i = 0; i < own_count; ++i) fetch(own[i]);
    for (std::size_t i = 0; i < own_count; ++i) use(own[i]);
    own_count = 0;
  };
  for (std::size_t i = 0; i < count; ++i) {
    own[own_count] = i;
    own_count += static_cast<unsigned>(slot_of(i) - part.first < part.count);
    if (own_count == own.size()) use_all();
  }
  use_all();
}

}  // namespace bdelta
