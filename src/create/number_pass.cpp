// Lists of both files that are the same but for their numbers are partners, and tell which number has become which: most
// modules of a kernel that was built anew have the types they had. Over all partners, numbers that follow one another moved
// by the same until the kernel's list has grown or shrunk in between. The steps are the cheapest way through the numbers in
// their order: each that is told right saves its misses, and a step costs its bytes. Lists without a partner are numbered
// anew as well.
#include "create/number_pass.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/bytes.hpp"
#include "exe/btf.hpp"
#include "exe/btf_sections.hpp"
#include "hash/xxh3.hpp"
#include "parallel/sort.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kMostTypeBytes = std::uint64_t{64} << 20;  // that an applier has to hold
constexpr std::int64_t kStepNumbers = 4;      // told right by a step, to be worth its bytes in the record
constexpr std::int64_t kListNumbers = 2;      // likewise by a list
constexpr std::int64_t kRecordNumbers = 64;   // likewise by all of the record

struct Lists {
  std::vector<std::uint64_t> header_positions;
  std::vector<ByteSpan> types;
  std::vector<Digest128> shapes;  // of all but their numbers

  [[nodiscard]] std::uint64_t type_bytes() const noexcept {
    std::uint64_t bytes = 0;
    for (const ByteSpan list : types) bytes += list.size();
    return bytes;
  }
};

ByteSpan types_at(ByteSpan file, std::uint64_t header_pos) {
  const exe::BtfTypes types =
      *exe::read_btf_header(file.subspan(static_cast<std::size_t>(header_pos)), header_pos, file.size());
  return file.subspan(static_cast<std::size_t>(types.pos), static_cast<std::size_t>(types.size_bytes));
}

// Lists that were found sound are gone through to their end.
template <class Body>
void for_each_number(ByteSpan types, Body&& body) {
  (void)exe::for_each_btf_number(types, body);
}

Digest128 shape_of(ByteSpan types) {
  Bytes shape(types.begin(), types.end());
  for_each_number(types, [&](exe::BtfNumber, std::size_t at) { store_le<std::uint32_t>(shape.data() + at, 0); });
  return xxh3_128(shape);
}

Lists find_lists(ByteSpan file, WorkerPool& pool) {
  Lists lists;
  lists.header_positions = exe::find_btf(file);
  for (const std::uint64_t pos : lists.header_positions) lists.types.push_back(types_at(file, pos));
  lists.shapes.resize(lists.types.size());
  pool.for_each(lists.types.size(), [&](std::size_t i) {
    lists.shapes[i] = shape_of(lists.types[i]);
    pool.advance();
  });
  return lists;
}

// Numbers of partners as from << 32 | to.
struct Votes {
  std::vector<std::uint64_t> types;
  std::vector<std::uint64_t> strings;
};

// The n-th list of a shape in the one file is the partner of the n-th in the other.
Votes collect_votes(const Lists& source, const Lists& target, WorkerPool& pool) {
  std::map<Digest128, std::vector<std::size_t>> by_shape;
  for (std::size_t i = source.types.size(); i-- > 0;) by_shape[source.shapes[i]].push_back(i);
  Votes votes;
  for (std::size_t i = 0; i < target.types.size(); ++i) {
    const auto found = by_shape.find(target.shapes[i]);
    if (found == by_shape.end() || found->second.empty()) continue;
    const std::uint8_t* const from = source.types[found->second.back()].data();
    const std::uint8_t* const to = target.types[i].data();
    found->second.pop_back();
    for_each_number(target.types[i], [&](exe::BtfNumber kind, std::size_t at) {
      const std::uint64_t number = load_le<std::uint32_t>(from + at);
      if (number == 0) return;  // stays
      auto& of_kind = kind == exe::BtfNumber::kType ? votes.types : votes.strings;
      of_kind.push_back(number << 32 | load_le<std::uint32_t>(to + at));
    });
    pool.advance();
  }
  return votes;
}

// Ways to move numbers, gone on with in the order of numbers. Each move is the end of one way, the best that ends with it.
class StepFinder {
 public:
  // So many numbers `from` are moved by `move`. Ascending in from.
  void add(std::uint32_t from, std::uint32_t move, std::int64_t count) {
    Way& way = ways_[move];
    if (best_told_ - kStepNumbers > way.told || way.last == kNone) {
      way.told = best_told_ - kStepNumbers;
      way.last = static_cast<std::uint32_t>(links_.size());
      links_.push_back({{from, move}, best_last_});
    }
    way.told += count;
    if (way.told <= best_told_) return;
    best_told_ = way.told;
    best_last_ = way.last;
  }

  [[nodiscard]] NumberSteps steps() const {
    NumberSteps steps;
    for (std::uint32_t at = best_last_; at != kNone; at = links_[at].before) steps.push_back(links_[at].step);
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Link {
    NumberStep step;
    std::uint32_t before;  // in links_
  };
  struct Way {
    std::int64_t told = 0;
    std::uint32_t last = kNone;  // its last step, in links_
  };

  std::unordered_map<std::uint32_t, Way> ways_;  // by their last move
  std::vector<Link> links_;
  std::int64_t best_told_ = 0;
  std::uint32_t best_last_ = kNone;
};

// Calls body(from, to, count) for the votes, which are sorted.
template <class Body>
void for_each_outcome(const std::vector<std::uint64_t>& votes, Body&& body) {
  for (std::size_t i = 0; i < votes.size();) {
    const std::uint64_t vote = votes[i];
    std::int64_t count = 0;
    for (; i < votes.size() && votes[i] == vote; ++i) ++count;
    body(static_cast<std::uint32_t>(vote >> 32), static_cast<std::uint32_t>(vote), count);
  }
}

// Numbers that are told right with the steps, less those that are right without.
struct LearnedSteps {
  NumberSteps steps;
  std::int64_t gained = 0;
};

LearnedSteps learn_steps(std::vector<std::uint64_t> votes, WorkerPool& pool) {
  sort_by_all(votes, pool);
  StepFinder finder;
  for_each_outcome(votes, [&](std::uint32_t from, std::uint32_t to, std::int64_t count) {
    finder.add(from, to - from, count);
  });
  LearnedSteps learned{finder.steps(), 0};
  if (learned.steps.size() > kMostNumberSteps) learned.steps.resize(kMostNumberSteps);
  for_each_outcome(votes, [&](std::uint32_t from, std::uint32_t to, std::int64_t count) {
    learned.gained += (moved(learned.steps, from) == to ? count : 0) - (from == to ? count : 0);
  });
  return learned;
}

}  // namespace

MovedNumbers learn_moved_numbers(ByteSpan source, ByteSpan target, WorkerPool& pool) {
  const Span span(pool.timeline(), PhaseId::kPredict, TraceSpan::kNone, source.size());
  const Lists of_source = find_lists(source, pool);
  if (of_source.types.empty() || of_source.type_bytes() > kMostTypeBytes) return {};
  Votes votes = collect_votes(of_source, find_lists(target, pool), pool);
  LearnedSteps types = learn_steps(std::move(votes.types), pool);
  LearnedSteps strings = learn_steps(std::move(votes.strings), pool);
  const auto step_count = static_cast<std::int64_t>(types.steps.size() + strings.steps.size());
  const auto list_count = static_cast<std::int64_t>(of_source.types.size());
  const std::int64_t spent = kStepNumbers * step_count + kListNumbers * list_count + kRecordNumbers;
  if (step_count == 0 || types.gained + strings.gained <= spent) return {};
  return {of_source.type_bytes(), of_source.header_positions, std::move(types.steps), std::move(strings.steps)};
}

void move_numbers(MutableByteSpan source, const MovedNumbers& numbers) {
  for (const std::uint64_t header_pos : numbers.header_positions) {
    const ByteSpan types = types_at(source, header_pos);
    const auto at = static_cast<std::size_t>(types.data() - source.data());
    (void)exe::move_btf_numbers(source.subspan(at, types.size()), numbers);
  }
}

}  // namespace bdelta
