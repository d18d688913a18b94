// Lists of both files that are the same but for their numbers are partners. Of those that are left, neighbours of partners
// are: modules stand in the same order in both files. Types of such a list, too, are known by all but their numbers; where
// the two lists differ, the next few types that follow one another in both show where they go on together.
#include "create/number_votes.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/bytes.hpp"
#include "exe/btf.hpp"
#include "exe/btf_sections.hpp"
#include "hash/xxh3.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kTypesInRow = 4;      // that show where two lists go on together
constexpr std::size_t kMostSkipped = 1024;  // types of either list, up to there
constexpr std::size_t kNoPartner = ~std::size_t{0};

// A list as types one behind the other.
struct TypeList {
  ByteSpan bytes;
  std::vector<std::uint32_t> begins;  // of the types; and where the last one ends
  std::vector<std::uint32_t> shapes;  // of the types: of all but their numbers

  TypeList() = default;
  explicit TypeList(ByteSpan list) : bytes(list) {
    Bytes shape;
    (void)exe::for_each_btf_type(list, [&](std::size_t at, ByteSpan type) {
      shape.assign(type.begin(), type.end());
      exe::for_each_number_of_type(type, [&](exe::BtfNumber, std::size_t number_at) {
        store_le<std::uint32_t>(shape.data() + number_at, 0);
      });
      begins.push_back(static_cast<std::uint32_t>(at));
      shapes.push_back(xxh3_32(shape));
    });
    begins.push_back(static_cast<std::uint32_t>(list.size()));
  }

  [[nodiscard]] ByteSpan type(std::size_t i) const noexcept { return bytes.subspan(begins[i], begins[i + 1] - begins[i]); }

  // Of the types from `i` on, as many as chance does not bring together again.
  [[nodiscard]] std::uint64_t row(std::size_t i) const noexcept {
    std::uint64_t row = 0;
    for (std::size_t end = i + kTypesInRow; i < end; ++i) row = (row + shapes[i] + 1) * 0x9e3779b97f4a7c15;
    return row;
  }
  [[nodiscard]] std::size_t row_count() const noexcept {
    return shapes.size() < kTypesInRow ? 0 : shapes.size() - kTypesInRow + 1;
  }
};

struct Lists {
  std::vector<std::uint64_t> header_positions;
  std::vector<TypeList> types;
};

Lists find_lists(ByteSpan file, WorkerPool& pool) {
  Lists lists;
  lists.header_positions = exe::find_btf(file);
  lists.types.resize(lists.header_positions.size());
  pool.for_each(lists.types.size(), [&](std::size_t i) {
    lists.types[i] = TypeList(number_list_at(file, lists.header_positions[i]));
    pool.advance();
  });
  return lists;
}

// By the target's lists; kNoPartner where there is none.
using Partners = std::vector<std::size_t>;

// The n-th list of a shape in the one file is the partner of the n-th in the other.
Partners partners_by_shape(const Lists& source, const Lists& target) {
  std::map<std::vector<std::uint32_t>, std::vector<std::size_t>> by_shape;
  for (std::size_t i = source.types.size(); i-- > 0;) by_shape[source.types[i].shapes].push_back(i);
  Partners partners(target.types.size(), kNoPartner);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const auto found = by_shape.find(target.types[i].shapes);
    if (found == by_shape.end() || found->second.empty()) continue;
    partners[i] = found->second.back();
    found->second.pop_back();
  }
  return partners;
}

// For those that have none yet.
Partners partners_by_place(const Partners& by_shape, std::size_t source_count) {
  std::vector<bool> taken(source_count, false);
  for (const std::size_t partner : by_shape) {
    if (partner != kNoPartner) taken[partner] = true;
  }
  Partners partners(by_shape.size(), kNoPartner);
  std::size_t next = 0;
  for (std::size_t i = 0; i < partners.size(); ++i) {
    if (by_shape[i] != kNoPartner) {
      next = by_shape[i] + 1;
    } else if (next < source_count && !taken[next]) {
      partners[i] = next++;
    }
  }
  return partners;
}

// Of two types that are the same but for their numbers. Where only their hashes are, their sizes may differ.
void add_votes(ByteSpan from, ByteSpan to, NumberVotes& votes) {
  if (from.size() != to.size()) return;
  exe::for_each_number_of_type(to, [&](exe::BtfNumber kind, std::size_t at) {
    const std::uint64_t number = load_le<std::uint32_t>(from.data() + at);
    if (number == 0) return;  // stays
    auto& of_kind = kind == exe::BtfNumber::kType ? votes.types : votes.strings;
    of_kind.push_back(number << 32 | load_le<std::uint32_t>(to.data() + at));
  });
}

// Of all types that both lists have in the same order.
NumberVotes votes_of(const TypeList& source, const TypeList& target) {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> rows;  // of the source: where they begin, descending
  for (std::size_t i = source.row_count(); i-- > 0;) rows[source.row(i)].push_back(static_cast<std::uint32_t>(i));
  NumberVotes votes;
  std::size_t from = 0;
  // The first row of the target that the source has not far behind `from`.
  const auto go_on = [&](std::size_t to) {
    const std::size_t end = std::min(to + kMostSkipped, target.row_count());
    for (; to < end; ++to) {
      const auto found = rows.find(target.row(to));
      if (found == rows.end()) continue;
      auto& places = found->second;
      while (!places.empty() && places.back() < from) places.pop_back();
      if (places.empty() || places.back() - from > kMostSkipped) continue;
      from = places.back();
      return to;
    }
    return target.shapes.size();
  };
  for (std::size_t to = 0; to < target.shapes.size() && from < source.shapes.size();) {
    if (source.shapes[from] == target.shapes[to]) {
      add_votes(source.type(from++), target.type(to++), votes);
    } else {
      to = go_on(to);
    }
  }
  return votes;
}

}  // namespace

ByteSpan number_list_at(ByteSpan file, std::uint64_t header_pos) {
  const exe::BtfTypes types =
      *exe::read_btf_header(file.subspan(static_cast<std::size_t>(header_pos)), header_pos, file.size());
  return file.subspan(static_cast<std::size_t>(types.pos), static_cast<std::size_t>(types.size_bytes));
}

NumberLists find_number_lists(ByteSpan source, ByteSpan target, std::uint64_t most_type_bytes, WorkerPool& pool) {
  const Lists of_source = find_lists(source, pool);
  NumberLists lists;
  for (const TypeList& list : of_source.types) lists.type_bytes += list.bytes.size();
  if (of_source.types.empty() || lists.type_bytes > most_type_bytes) return {};
  const Lists of_target = find_lists(target, pool);
  const Partners by_shape = partners_by_shape(of_source, of_target);
  const Partners by_place = partners_by_place(by_shape, of_source.types.size());
  for (std::size_t i = 0; i < of_target.types.size(); ++i) {
    pool.advance();
    const TypeList& target_list = of_target.types[i];
    if (by_shape[i] != kNoPartner) {
      const TypeList& partner = of_source.types[by_shape[i]];
      for (std::size_t t = 0; t < target_list.shapes.size(); ++t) add_votes(partner.type(t), target_list.type(t), lists.votes);
    } else if (by_place[i] != kNoPartner) {
      lists.changed.push_back({by_place[i], votes_of(of_source.types[by_place[i]], target_list)});
    }
  }
  std::sort(lists.changed.begin(), lists.changed.end(),
            [](const ChangedList& a, const ChangedList& b) { return a.list < b.list; });
  lists.header_positions = of_source.header_positions;
  return lists;
}

}  // namespace bdelta
