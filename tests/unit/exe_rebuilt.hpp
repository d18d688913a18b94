// Sorted tables of made-up programs, rebuilt by what two versions have in common.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "exe/images.hpp"
#include "exe/rebuilt_tables.hpp"
#include "exe/sorted_tables.hpp"
#include "support/sorted_program.hpp"

namespace bdelta::exe {

inline bool operator==(const SortedTable& a, const SortedTable& b) {
  return a.pos == b.pos && a.size_bytes == b.size_bytes && a.kind == b.kind && a.image == b.image;
}

using test::kSortedShapes;
using test::sorted_program;
using test::SortedPart;
using test::SortedProgram;
using test::SortedShape;

inline std::vector<SortedTable> found_in(const Bytes& file) { return find_sorted_tables(file, find_images(file)); }

// Each part of NEW that OLD has, too, copied from there.
inline Covers copies(const SortedProgram& from, const SortedProgram& to) {
  std::map<unsigned, SortedPart> by_id;
  for (const SortedPart& part : from.parts) by_id[part.id] = part;
  Covers covers;
  for (const SortedPart& part : to.parts) {
    if (const auto old = by_id.find(part.id); old != by_id.end()) {
      covers.push_back({old->second.pos, part.pos, part.size_bytes});
    }
  }
  std::sort(covers.begin(), covers.end(), [](const Cover& a, const Cover& b) { return a.target_pos < b.target_pos; });
  return covers;
}

struct Rebuilt {
  Rebuilt(const Bytes& from, const Bytes& to, Covers copied, std::vector<Label> corrections = {},
          KindSet kinds = kAllTables)
      : old_images(find_images(from)), new_images(find_images(to)), covers(std::move(copied)), map(covers),
        labels(std::move(corrections)), index(labels), breaks(find_page_breaks(to, new_images.all, found_in(to))),
        tables(rebuild_tables({from, old_images, new_images, map, index, breaks}, found_in(from), kinds)) {}

  Images old_images, new_images;
  Covers covers;
  OwnerMap map;
  std::vector<Label> labels;
  LabelIndex index;
  std::vector<PageBreaks> breaks;
  std::vector<RebuiltTable> tables;
};

inline ByteSpan bytes_of(const SortedProgram& program, const SortedTable& table) {
  return ByteSpan(program.bytes).subspan(static_cast<std::size_t>(table.pos), static_cast<std::size_t>(table.size_bytes));
}

// What the tables count from is in no part: its label.
inline std::vector<Label> base_label(const SortedProgram& from, const SortedProgram& to) {
  if (from.base_pos == 0) return {};
  std::uint64_t address = 0, new_address = 0;
  EXPECT_TRUE(Images(find_images(from.bytes)).layouts[0].address_of(from.base_pos, address));
  EXPECT_TRUE(Images(find_images(to.bytes)).layouts[0].address_of(to.base_pos, new_address));
  return {{address, new_address, 0}};
}

}  // namespace bdelta::exe
