// Lists of both files that are the same but for their numbers are partners. Of those that are left, neighbours of partners
// are: modules stand in the same order in both files. Types of such a list, too, are known by all but their numbers. Where
// the two lists differ, the next few types that follow one another in both show where they go on together.
#include "create/number_votes.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "base/bytes.hpp"
#include "base/deciding/prediction.hpp"
#include "exe/btf.hpp"
#include "exe/btf_sections.hpp"
#include "hash/xxh3.hpp"
#include "parallel/sort.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kNoPartner = ~std::size_t{0};

// A list as types one behind the other.
struct TypeList {
  ByteSpan bytes;
  std::vector<std::uint32_t> begins;  // of the types; and where the last one ends
  std::vector<std::uint32_t> shapes;  // of the types: of all but their numbers

  TypeList() = default;
  TypeList(ByteSpan list, Watch* watch) : bytes(list) {
    Bytes shape;
    Pace pace(watch, exe::kBtfPace);
    (void)exe::for_each_btf_type(list, [&](std::size_t at, ByteSpan type) {
      pace.step(1 + static_cast<std::uint32_t>(type.size() / 64));
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
  [[nodiscard]] bool has_row(std::size_t i, const TypeList& other, std::size_t at) const noexcept {
    return std::equal(&shapes[i], &shapes[i] + kTypesInRow, &other.shapes[at]);
  }
  [[nodiscard]] std::size_t row_count() const noexcept {
    return shapes.size() < kTypesInRow ? 0 : shapes.size() - kTypesInRow + 1;
  }
};

struct Lists {
  std::uint64_t type_bytes = 0;
  std::vector<std::uint64_t> header_positions;
  std::vector<TypeList> types;
};

std::uint64_t listed_bytes(ByteSpan file, const std::vector<std::uint64_t>& header_positions) {
  std::uint64_t bytes = 0;
  for (const std::uint64_t pos : header_positions) bytes += number_list_at(file, pos).size();
  return bytes;
}

// None if they have more than most_type_bytes.
Lists find_lists(ByteSpan file, std::uint64_t most_type_bytes, WorkerPool& pool) {
  Lists lists;
  std::vector<std::uint64_t> positions = exe::find_btf(file, pool.watch());
  lists.type_bytes = listed_bytes(file, positions);
  if (lists.type_bytes > most_type_bytes) return {};
  lists.header_positions = std::move(positions);
  lists.types.resize(lists.header_positions.size());
  pool.for_each(lists.types.size(), [&](std::size_t i) {
    lists.types[i] = TypeList(number_list_at(file, lists.header_positions[i]), pool.watch());
    pool.advance();
  });
  return lists;
}

// By the target's lists; kNoPartner where there is none.
using Partners = std::vector<std::size_t>;

Digest128 shape_of(const TypeList& list) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(list.shapes.data());
  return xxh3_128({bytes, list.shapes.size() * sizeof(list.shapes[0])});
}

// The n-th list of a shape in the one file is the partner of the n-th in the other.
Partners partners_by_shape(const Lists& source, const Lists& target) {
  std::map<Digest128, std::vector<std::size_t>> by_shape;
  for (std::size_t i = source.types.size(); i-- > 0;) by_shape[shape_of(source.types[i])].push_back(i);
  Partners partners(target.types.size(), kNoPartner);
  for (std::size_t i = 0; i < partners.size(); ++i) {
    const auto found = by_shape.find(shape_of(target.types[i]));
    if (found == by_shape.end() || found->second.empty()) continue;
    if (source.types[found->second.back()].shapes.size() != target.types[i].shapes.size()) continue;
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
class Alignment {
 public:
  Alignment(const TypeList& source, const TypeList& target, Watch* watch)
      : source_(source), target_(target), pace_(watch, exe::kBtfPace) {
    rows_.reserve(source.row_count());
    for (std::size_t i = 0; i < source.row_count(); ++i) rows_.push_back({source.row(i), static_cast<std::uint32_t>(i)});
    sort_watched(rows_, std::less<>(), watch);
  }

  [[nodiscard]] NumberVotes votes() {
    NumberVotes votes;
    for (std::size_t from = 0, to = 0; from < source_.shapes.size() && to < target_.shapes.size();) {
      pace_.step();
      if (source_.shapes[from] == target_.shapes[to]) {
        add_votes(source_.type(from++), target_.type(to++), votes);
      } else {
        go_on(from, to);
      }
    }
    return votes;
  }

 private:
  // To the first row of the target from `to` on that the source has not far behind `from`; to its end if there is none.
  void go_on(std::size_t& from, std::size_t& to) {
    const std::size_t end = std::min(to + kMostSkippedTypes, target_.row_count());
    for (; to < end; ++to) {
      pace_.step();
      const std::pair wanted{target_.row(to), static_cast<std::uint32_t>(from)};
      const auto found = std::lower_bound(rows_.begin(), rows_.end(), wanted);
      if (found == rows_.end() || found->first != wanted.first || found->second - from > kMostSkippedTypes) continue;
      if (!source_.has_row(found->second, target_, to)) continue;  // by its hash alone
      from = found->second;
      return;
    }
    to = target_.shapes.size();
  }

  const TypeList& source_;
  const TypeList& target_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> rows_;  // of the source, and where they begin; ascending
  Pace pace_;
};

}  // namespace

ByteSpan number_list_at(ByteSpan file, std::uint64_t header_pos) {
  const exe::BtfTypes types =
      *exe::read_btf_header(file.subspan(static_cast<std::size_t>(header_pos)), header_pos, file.size());
  return file.subspan(static_cast<std::size_t>(types.pos), static_cast<std::size_t>(types.size_bytes));
}

NumberLists find_number_lists(ByteSpan source, ByteSpan target, std::uint64_t most_type_bytes, WorkerPool& pool) {
  const Lists of_source = find_lists(source, most_type_bytes, pool);
  if (of_source.types.empty()) return {};
  const Lists of_target = find_lists(target, 2 * most_type_bytes, pool);
  NumberLists lists;
  const Partners by_shape = partners_by_shape(of_source, of_target);
  const Partners by_place = partners_by_place(by_shape, of_source.types.size());
  for (std::size_t i = 0; i < of_target.types.size(); ++i) {
    pool.advance();
    const TypeList& target_list = of_target.types[i];
    if (by_shape[i] != kNoPartner) {
      const TypeList& partner = of_source.types[by_shape[i]];
      Pace pace(pool.watch(), exe::kBtfPace);
      for (std::size_t t = 0; t < target_list.shapes.size(); ++t) {
        pace.step();
        add_votes(partner.type(t), target_list.type(t), lists.votes);
      }
    } else if (by_place[i] != kNoPartner) {
      Alignment alignment(of_source.types[by_place[i]], target_list, pool.watch());
      lists.changed.push_back({by_place[i], alignment.votes()});
    }
  }
  std::sort(lists.changed.begin(), lists.changed.end(),
            [](const ChangedList& a, const ChangedList& b) { return a.list < b.list; });
  lists.header_positions = of_source.header_positions;
  lists.type_bytes = of_source.type_bytes;
  return lists;
}

std::uint64_t listed_type_bytes(ByteSpan file, Watch* watch) { return listed_bytes(file, exe::find_btf(file, watch)); }

}  // namespace bdelta
