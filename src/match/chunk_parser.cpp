// A sparse Viterbi search over diagonals.
//
// Choosing covers is a shortest path problem. At each target byte the path lies on one diagonal (a copy) or on none (a
// literal). Each byte costs what coding it is thought to cost, and a change of diagonal costs an op. All diagonals at
// all bytes would be source times target many states; but hardly any of them can matter. So a path exists only for a
// diagonal that was proposed. It dies once it lies further behind the best than a change of diagonal costs: the best
// could then switch to it whenever it became good. Proposals come from the covers of the fast matcher, from anchors
// (anchor_table.hpp) and from the nearest matches (source_grams.hpp), and only where the best path misses.
//
// Where the best path fits for 16 bytes or more, no other overtakes it by switching there. So the search jumps to the
// end of the run. It brings the others along with one comparison and a few popcounts for 64 bytes. Similar files are
// nearly all jumps.
//
// A proposed path may begin up to kRetroBytes back, where that is cheapest: the costs of the last positions are kept
// in a ring. Paths are chains of nodes, one for each change; nodes that no living path leads through are collected
// now and then.
#include "match/chunk_parser.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <vector>

#include "base/deciding/parse.hpp"
#include "match/block_compare.hpp"
#include "match/path_nodes.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kRingBytes = 256;
constexpr std::uint64_t kStretchBytes = std::uint64_t{64} << 10;  // of target, with one set of costs after the other
constexpr std::uint64_t kAheadBytes = 8;     // between the fetch of an anchor's bucket and its use, while nothing fits
constexpr unsigned kNeighbourhoodLog = 14;             // of source bytes: a block of grams
constexpr std::uint32_t kPaceSteps = 4096;   // a few milliseconds
constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;

struct Path {
  std::int64_t diagonal;
  std::int64_t cost;
  std::uint32_t node;
  bool missed;  // the byte before differs
  std::uint64_t weighed_pos;  // where it was last asked whether the path had better begin
};

// The cheapest way to a position: on a diagonal, or by literals that began at literal_pos behind `node`.
struct Arrival {
  std::int64_t cost = kFar;
  std::int64_t diagonal = 0;  // of the last copy
  std::uint32_t node = kNoNode;
  bool literal = false;
  std::uint64_t literal_pos = 0;
};

class ChunkParser {
 public:
  ChunkParser(const ParseTask& task, const ParseCosts& costs, const AnchorTable& anchors, SourceGrams& grams, Watch* watch)
      : source_(task.source), target_(task.target), costs_(costs), beam_(task.beam), miss_scale_(task.miss_scale),
        anchors_(anchors), long_grams_(task.long_grams), grams_(grams), pace_(watch, kPaceSteps), begin_(task.begin),
        end_(task.end), pos_(begin_), seeds_end_(task.seeds.data() + task.seeds.size()),
        limit_(costs_.far_switch + costs_.slack),
        least_switch_(std::min({costs_.resume, costs_.near_switch, costs_.far_switch})) {
    seed_ = task.seeds.data() + (cover_from(task.seeds, begin_) - task.seeds.begin());
    paths_.reserve(beam_ + 1);
    start();
  }

  // To target position `until` at least.
  void advance(std::uint64_t until) {
    while (pos_ < until) {
      pace_.step();
      settle();
      if (!literal_best_ && jump()) continue;
      propose();
      step();
      collect_nodes();
    }
  }

  // Once advanced to the end.
  Covers covers() {
    settle();
    return nodes_.trace_back(here_.node, here_.literal ? std::min(end_, here_.literal_pos) : end_);
  }

 private:
  void start() {
    for (std::size_t value = 1; value < 256; ++value) {
      step_costs_[0][value] = costs_.first_miss + costs_.value[value];
      step_costs_[1][value] = costs_.next_miss + costs_.value[value];
    }
    step_costs_[0][0] = costs_.match;
    step_costs_[1][0] = costs_.match_after_miss;
    // The last byte of a run of misses comes first on the way back, and with it the byte behind that fits again.
    for (std::size_t value = 1; value < 256; ++value) {
      back_costs_[0][value] = step_costs_[0][value] + costs_.match_after_miss - costs_.match;
      back_costs_[1][value] = step_costs_[1][value];
    }
    back_costs_[0][0] = back_costs_[1][0] = costs_.match;
    literal_.cost = 0;
    literal_.literal = true;
    literal_.literal_pos = begin_;
    if (seed_ != seeds_end_) literal_.diagonal = seed_->diagonal();
  }

  [[nodiscard]] bool in_source(std::int64_t diagonal, std::uint64_t length) const noexcept {
    const std::int64_t at = static_cast<std::int64_t>(pos_) + diagonal;
    return at >= 0 && static_cast<std::uint64_t>(at) <= source_.size() &&
           source_.size() - static_cast<std::uint64_t>(at) >= length;
  }
  [[nodiscard]] const std::uint8_t* source_at(std::int64_t diagonal, std::uint64_t pos) const noexcept {
    return source_.data() + (static_cast<std::int64_t>(pos) + diagonal);
  }

  // Finds the best path at pos_, lets literals begin behind it, drops who can't win any more, and notes the arrival.
  void settle() {
    const std::size_t best = best_;
    const std::int64_t best_cost = best_cost_;
    if (best < paths_.size() && best_cost + costs_.begin_literal < literal_.cost) {
      literal_ = {best_cost + costs_.begin_literal, paths_[best].diagonal, paths_[best].node, true, pos_};
    }
    literal_best_ = literal_.cost <= best_cost;
    if (literal_best_) {
      here_ = literal_;
    } else {
      here_ = {best_cost, paths_[best].diagonal, paths_[best].node, false, 0};
      std::swap(paths_[0], paths_[best]);
    }
    const std::int64_t worst = here_.cost + limit_;
    if (worst_cost_ > worst) {
      std::size_t kept = 0;
      for (const Path& path : paths_) {
        if (path.cost <= worst) paths_[kept++] = path;
      }
      paths_.resize(kept);
    }
    ring_[pos_ % kRingBytes] = here_;
  }

  // The first of the cheapest paths, and the cost of the dearest: what settle() goes by.
  void weigh_paths() {
    best_ = paths_.size();
    best_cost_ = kFar;
    worst_cost_ = -kFar;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (paths_[i].cost < best_cost_) best_cost_ = paths_[i].cost, best_ = i;
      worst_cost_ = std::max(worst_cost_, paths_[i].cost);
    }
  }

  // Over an exact run of the best path. False if there is none.
  bool jump() {
    std::uint64_t run = 0;
    bool full = true;
    const std::uint64_t jump_begin = pos_;
    while (full && end_ - pos_ >= kCompareBlock && in_source(here_.diagonal, kCompareBlock)) {
      const std::uint64_t mask = mismatch_mask(source_at(here_.diagonal, pos_), target_.data() + pos_);
      const unsigned fits = mask == 0 ? 64 : static_cast<unsigned>(std::countr_zero(mask));
      full = mask == 0;
      if (!full) prefetch_misses(mask);
      if (run + fits < kJumpBytes) return false;
      if (fits == 0) break;
      bring_along(fits);
      run += fits;
      pos_ += fits;
    }
    if (run == 0) return false;
    // The cost of arriving inside the jump, for those who want to begin there.
    const std::uint64_t noted = std::min(run - 1, kRingBytes - 1);
    Arrival inside = here_;
    for (std::uint64_t pos = pos_ - noted; pos < pos_; ++pos) {
      inside.cost = here_.cost + static_cast<std::int64_t>(pos - jump_begin) * costs_.match;
      ring_[pos % kRingBytes] = inside;
    }
    literal_.cost = kFar;  // begins again behind the best
    weigh_paths();
    return true;
  }

  // The anchors of the next two places where the best path misses, by the mask of the 64 bytes at pos_. What there is to
  // do at a miss takes about as long as fetching a place of a table that no cache holds.
  void prefetch_misses(std::uint64_t mask) const noexcept {
    if (anchors_.empty() || target_.size() - pos_ < kCompareBlock + AnchorTable::kKeyBytes) return;
    const std::uint8_t* at = target_.data() + pos_;
    anchors_.prefetch(at + std::countr_zero(mask));
    mask &= mask - 1;
    if (mask != 0) anchors_.prefetch(at + std::countr_zero(mask));
  }

  // Moves every path but pos_ itself `count` (at most 64) bytes on.
  void bring_along(unsigned count) {
    const std::uint64_t used = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    Path& best = paths_[0];
    best.cost += count * costs_.match + (best.missed ? costs_.match_after_miss - costs_.match : 0);
    best.missed = false;
    if (paths_.size() == 1) return;
    const std::int64_t worst = best.cost + limit_;
    std::size_t kept = 1;
    for (std::size_t i = 1; i < paths_.size(); ++i) {
      Path path = paths_[i];
      if (!in_source(path.diagonal, kCompareBlock)) continue;
      const std::uint64_t mask = mismatch_mask(source_at(path.diagonal, pos_), target_.data() + pos_) & used;
      const std::uint64_t behind_miss = (mask << 1 | (path.missed ? 1 : 0)) & used;
      const int misses = std::popcount(mask);
      const int firsts = std::popcount(mask & ~behind_miss);
      const int recovered = std::popcount(behind_miss & ~mask);
      path.cost += misses * costs_.mean_value + firsts * costs_.first_miss + (misses - firsts) * costs_.next_miss +
                   recovered * costs_.match_after_miss +
                   (static_cast<int>(count) - misses - recovered) * costs_.match;
      path.missed = (mask >> (count - 1) & 1) != 0;
      if (path.cost <= worst) paths_[kept++] = path;
    }
    paths_.resize(kept);
  }

  // Asks all who may know a better diagonal for pos_.
  void propose() {
    while (seed_ != seeds_end_ && seed_->target_end() <= pos_) ++seed_;
    if (seed_ != seeds_end_ && seed_->target_pos <= pos_) propose_seed(seed_->diagonal());
    if (!literal_best_ && in_source(here_.diagonal, 1) && *source_at(here_.diagonal, pos_) == target_[pos_]) return;
    const std::uint64_t left = target_.size() - pos_;
    const std::uint8_t* at = target_.data() + pos_;
    const bool ask_anchors = left >= AnchorTable::kKeyBytes && !anchors_.empty();
    // A place in the anchor table is seldom in a cache, so it is fetched while the grams are asked. So is the one that
    // is asked next if the best path goes on missing.
    if (ask_anchors) anchors_.prefetch(at);
    if (ask_anchors && left >= AnchorTable::kKeyBytes + kAheadBytes) anchors_.prefetch(at + kAheadBytes);
    SourceGrams::Nearest nearest;
    if (left >= SourceGrams::kReadBytes && may_ask_grams()) {
      const std::int64_t along = static_cast<std::int64_t>(pos_) + here_.diagonal;
      const std::uint64_t around = along < 0 ? 0 : static_cast<std::uint64_t>(along);
      const bool long_too = long_grams_ && left >= SourceGrams::kLongBytes;
      nearest = long_too ? grams_.find_long_too(at, around) : grams_.find(at, around);
    }
    if (ask_anchors) {
      anchors_.lookup(at, [&](std::uint64_t source_pos) {
        if (load_word(source_.data() + source_pos) == load_word(at)) begin_path_from(source_pos);
      });
    }
    for (const std::uint64_t source_pos : {nearest.long_before, nearest.long_after, nearest.before, nearest.after}) {
      if (source_pos != SourceGrams::kNone) begin_path_from(source_pos);
    }
  }

  // Whether the nearest match is worth asking for. What a table must build first is paid with target bytes passed: where
  // short covers jump all over the source each would build tables of its own. Which ones a worker happens to have left
  // from other chunks must not matter, so neighbourhoods are counted as new that this chunk has not asked for lately.
  bool may_ask_grams() noexcept {
    if (literal_best_ && pos_ - literal_.literal_pos > kParseLostBytes) return false;
    const std::uint64_t neighbourhood = (pos_ + static_cast<std::uint64_t>(here_.diagonal)) >> kNeighbourhoodLog;
    std::uint64_t& noted = neighbourhoods_[neighbourhood % neighbourhoods_.size()];
    if (noted == neighbourhood + 1) return true;
    if (pos_ - begin_ + kFirstBlockBytes < spent_) return false;
    spent_ += kBlockCostBytes;
    noted = neighbourhood + 1;
    return true;
  }

  void begin_path_from(std::uint64_t source_pos) {
    begin_path(static_cast<std::int64_t>(source_pos) - static_cast<std::int64_t>(pos_));
  }

  void propose_seed(std::int64_t diagonal) {
    for (const Path& path : paths_) {
      if (path.diagonal == diagonal) return;
    }
    if (!in_source(diagonal, kSeedBytes + 4) || target_.size() - pos_ < kSeedBytes + 4) return;
    const std::uint8_t* s = source_at(diagonal, pos_);
    const std::uint8_t* t = target_.data() + pos_;
    if (load_word(s) == load_word(t) && load_le<std::uint32_t>(s + 8) == load_le<std::uint32_t>(t + 8)) {
      begin_path(diagonal);
    }
  }

  [[nodiscard]] std::int64_t switch_cost(const Arrival& from, std::int64_t diagonal) const noexcept {
    if (from.diagonal == diagonal) return costs_.resume;
    const std::int64_t change = from.diagonal - diagonal;
    return change < kNearBytes && -change < kNearBytes ? costs_.near_switch : costs_.far_switch;
  }

  // Lets a path on `diagonal` begin where that is cheapest, here or a little before.
  void begin_path(std::int64_t diagonal) {
    if (!in_source(diagonal, 1)) return;
    Path* known = nullptr;
    for (Path& path : paths_) {
      if (path.diagonal == diagonal) known = &path;
    }
    const std::int64_t bound = std::min(here_.cost + limit_, known ? known->cost : kFar);
    std::int64_t best_cost = bound;
    std::uint64_t best_back = 0;
    bool found = false;
    std::int64_t walked = 0;
    const std::int64_t* byte_costs = step_costs_[0];
    const std::uint64_t source_pos = static_cast<std::uint64_t>(static_cast<std::int64_t>(pos_) + diagonal);
    // Where a known path might begin at a place it was weighed at before, it does.
    const std::uint64_t unweighed = known ? pos_ - known->weighed_pos : kRetroBytes + 1;
    if (unweighed == 0) return;
    const std::uint64_t reach = std::min({kRetroBytes, unweighed - 1, pos_ - begin_, source_pos});
    if (known) known->weighed_pos = pos_;
    for (std::uint64_t back = 0;; ++back) {
      const Arrival& from = ring_[(pos_ - back) % kRingBytes];
      if (from.cost + walked + least_switch_ < best_cost) {
        const std::int64_t cost = from.cost + switch_cost(from, diagonal) + walked;
        if (cost < best_cost) best_cost = cost, best_back = back, found = true;
      }
      if (back == reach || walked > limit_) break;
      const std::uint64_t at = pos_ - back - 1;
      const auto value = static_cast<std::uint8_t>(target_[at] - *source_at(diagonal, at));
      walked += byte_costs[value];
      if (value != 0 && !miss_scale_.empty()) {
        const std::int64_t cost = byte_costs == back_costs_[1] ? costs_.next_miss : costs_.first_miss;
        walked += scaled(cost, at) - cost;
      }
      byte_costs = back_costs_[value != 0];
    }
    if (!found) return;
    // A path that begins before pos_ knows whether the byte before pos_ differs.
    const bool missed = best_back > 0 && *source_at(diagonal, pos_ - 1) != target_[pos_ - 1];
    const Path path{diagonal, best_cost, add_node(ring_[(pos_ - best_back) % kRingBytes], diagonal, pos_ - best_back),
                    missed, pos_};
    if (known) {
      *known = path;
    } else if (paths_.size() < beam_) {
      paths_.push_back(path);
    } else {
      // The best stands in front and stays.
      auto worst = std::max_element(paths_.begin() + (literal_best_ ? 0 : 1), paths_.end(),
                                    [](const Path& a, const Path& b) { return a.cost < b.cost; });
      if (worst->cost > path.cost) *worst = path;
    }
  }

  [[nodiscard]] std::int64_t scaled(std::int64_t cost, std::uint64_t pos) const noexcept {
    return miss_scale_.empty() ? cost : cost * miss_scale_[pos] / 16;
  }

  // Over one byte. Whether it fits can't be predicted, so its cost comes from a table and not from a branch.
  void step() {
    const std::uint8_t byte = target_[pos_];
    std::size_t kept = 0;
    std::size_t best = paths_.size();
    std::int64_t best_cost = kFar;
    std::int64_t worst_cost = -kFar;
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      Path& path = paths_[i];
      const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(pos_) + path.diagonal);
      if (at >= source_.size()) continue;
      const auto value = static_cast<std::uint8_t>(byte - source_[at]);
      path.cost += miss_scale_.empty() ? step_costs_[path.missed][value] : scaled_step_cost(path.missed, value);
      path.missed = value != 0;
      const bool is_best = path.cost < best_cost;
      best = is_best ? kept : best;
      best_cost = is_best ? path.cost : best_cost;
      worst_cost = std::max(worst_cost, path.cost);
      if (kept != i) paths_[kept] = path;
      ++kept;
    }
    paths_.resize(kept);
    best_ = best;
    best_cost_ = best_cost;
    worst_cost_ = worst_cost;
    if (literal_.cost < kFar) literal_.cost += costs_.literal;
    ++pos_;
  }

  [[nodiscard]] std::int64_t scaled_step_cost(bool missed, std::uint8_t value) const noexcept {
    if (value == 0) return step_costs_[missed][0];
    return scaled(missed ? costs_.next_miss : costs_.first_miss, pos_) + costs_.value[value];
  }

  std::uint32_t add_node(const Arrival& from, std::int64_t diagonal, std::uint64_t pos) {
    std::uint32_t before = from.node;
    if (from.literal && from.literal_pos < pos) before = nodes_.add(kLiteralDiagonal, from.literal_pos, before);
    return nodes_.add(diagonal, pos, before);
  }

  void collect_nodes() {
    if (!nodes_.want_collecting()) return;
    nodes_.collect([this](auto&& visit) {
      for (Path& path : paths_) visit(path.node);
      for (Arrival& arrival : ring_) visit(arrival.node);
      visit(literal_.node);
    });
  }

  const ByteSpan source_;
  const ByteSpan target_;
  const ParseCosts& costs_;
  const std::size_t beam_;
  const std::span<const std::uint8_t> miss_scale_;
  const AnchorTable& anchors_;
  const bool long_grams_;
  SourceGrams& grams_;
  Pace pace_;
  const std::uint64_t begin_;
  const std::uint64_t end_;
  std::uint64_t pos_;
  const Cover* seed_ = nullptr;
  const Cover* const seeds_end_;
  const std::int64_t limit_;  // how far behind the best a path may lie
  const std::int64_t least_switch_;
  std::vector<Path> paths_;   // the best in front while literal_best_ is false
  std::size_t best_ = 0;      // the first of the cheapest paths after a step or a jump; paths_.size() if there is none
  std::int64_t best_cost_ = kFar;
  std::int64_t worst_cost_ = -kFar;
  std::int64_t step_costs_[2][256];  // of a byte, by whether the one before differs and by target - source
  std::int64_t back_costs_[2][256];  // of a byte on the way back, by whether the one behind it differs
  std::array<std::uint64_t, 1024> neighbourhoods_{};  // asked for; number + 1
  std::uint64_t spent_ = 0;                           // target bytes paid for new ones
  Arrival literal_;
  Arrival here_;
  bool literal_best_ = true;
  Arrival ring_[kRingBytes];  // of the last positions
  PathNodes nodes_;
};

}  // namespace

// Stretch by stretch, so that all sets of costs find the same blocks of grams in the processor's cache.
std::vector<Covers> parse_chunk(const ParseTask& task, const AnchorTable& anchors, SourceGrams& grams, Watch* watch) {
  std::vector<std::unique_ptr<ChunkParser>> parsers;
  for (const ParseCosts& costs : task.costs) {
    parsers.push_back(std::make_unique<ChunkParser>(task, costs, anchors, grams, watch));
  }
  for (std::uint64_t pos = task.begin; pos < task.end;) {
    const std::uint64_t before = std::exchange(pos, std::min(pos + kStretchBytes, task.end));
    for (const auto& parser : parsers) parser->advance(pos);
    if (watch) watch->advance((pos - before) * parsers.size());
  }
  std::vector<Covers> covers;
  for (const auto& parser : parsers) covers.push_back(parser->covers());
  return covers;
}

}  // namespace bdelta
