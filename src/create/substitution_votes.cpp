// Each pattern in which a copy has a byte changed votes for what stands there in the target. The byte may be anywhere
// in the pattern, as nothing tells where a number begins. Most change once and can't win. So the bytes that votes
// would mend are first counted by hash in a small table. Only those of patterns that may be worth their place are
// kept.
#include "create/substitution_votes.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <span>

#include "base/deciding/prediction.hpp"
#include "parallel/sort.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kBatchTasks = 8;                     // … and those of a batch, which are as many at most
constexpr unsigned kLeastCountLog = 10;  // of the slots of the table, …
constexpr unsigned kMostCountLog = 22;   // … of which there are some for each pattern that a changed byte lies in
constexpr std::uint64_t kSlotsPerByte = 2 * kPatternBytes;

// How many bytes votes would mend, by a hash of what they are for. Threads may count a little too much.
class MendedBytes {
 public:
  explicit MendedBytes(std::uint64_t changed_bytes)
      : shift_(64 - std::clamp(static_cast<unsigned>(std::bit_width(changed_bytes * kSlotsPerByte)), kLeastCountLog,
                               kMostCountLog)),
        counts_(std::size_t{1} << (64 - shift_)) {}

  [[nodiscard]] bool may_pay(std::uint32_t from, std::uint32_t to) const noexcept {
    return counts_[slot_of(from, to)].load(std::memory_order_relaxed) >= kWorthSubstitutionBytes;
  }
  void add(std::uint32_t from, std::uint32_t to, std::uint16_t bytes) noexcept {
    counts_[slot_of(from, to)].fetch_add(bytes, std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] std::size_t slot_of(std::uint32_t from, std::uint32_t to) const noexcept {
    return static_cast<std::size_t>((from * 0x9e3779b97f4a7c15u ^ to) * 0xc2b2ae3d27d4eb4fu >> shift_);
  }

  unsigned shift_;
  std::vector<std::atomic<std::uint16_t>> counts_;
};

// Calls body(from, to) for each pattern of the piece that differs, whichever of its bytes do.
template <class Body>
void for_each_change(const CopiedPiece& piece, Body&& body) {
  constexpr std::size_t kStep = sizeof(std::uint64_t);
  const std::size_t size = piece.copied.size();
  if (size < kPatternBytes) return;
  const std::size_t last = size - kPatternBytes;
  for (std::size_t pos = 0; pos <= last; ++pos) {
    // Where the next bytes are equal, no pattern that lies in them differs.
    if (size - pos >= kStep &&
        load_le<std::uint64_t>(piece.copied.data() + pos) == load_le<std::uint64_t>(piece.wanted.data() + pos)) {
      pos += kStep - kPatternBytes;
      continue;
    }
    const auto from = load_le<std::uint32_t>(piece.copied.data() + pos);
    const auto to = load_le<std::uint32_t>(piece.wanted.data() + pos);
    if (from != to) body(from, to);
  }
}

// A pattern and what it becomes, as one number to sort by: the pattern first.
using Vote = std::uint64_t;
constexpr Vote vote_of(std::uint32_t from, std::uint32_t to) noexcept { return Vote{from} << 32 | to; }
constexpr std::uint32_t from_of(Vote vote) noexcept { return static_cast<std::uint32_t>(vote >> 32); }
constexpr std::uint32_t to_of(Vote vote) noexcept { return static_cast<std::uint32_t>(vote); }

// Of two patterns.
std::uint16_t differing_bytes(std::uint32_t from, std::uint32_t to) {
  constexpr std::uint32_t kLowBits = 0x7f7f7f7fu;
  const std::uint32_t difference = from ^ to;
  return static_cast<std::uint16_t>(std::popcount((((difference & kLowBits) + kLowBits) | difference) & ~kLowBits));
}

// Those of patterns that may mend enough, as far as there is room.
std::vector<Vote> collect_votes(const CopiedPieces& pieces, WorkerPool& pool) {
  MendedBytes mended(changed_bytes_of(pieces));
  for_each_piece(pieces, pool, [&](const CopiedPiece& piece) {
    for_each_change(piece, [&](std::uint32_t from, std::uint32_t to) {
      if (!mended.may_pay(from, to)) mended.add(from, to, differing_bytes(from, to));
    });
  });
  std::vector<Vote> votes;
  std::vector<std::vector<Vote>> lists(kBatchTasks);
  constexpr std::size_t kBatchPieces = kBatchTasks * kTaskPieces;
  for (std::size_t first = 0; first < pieces.size() && votes.size() < kMostVotes; first += kBatchPieces) {
    const std::span batch = std::span(pieces).subspan(first, std::min(kBatchPieces, pieces.size() - first));
    for_each_task_piece(batch, pool, [&](std::size_t task, const CopiedPiece& piece) {
      for_each_change(piece, [&](std::uint32_t from, std::uint32_t to) {
        if (mended.may_pay(from, to)) lists[task].push_back(vote_of(from, to));
      });
    });
    for (std::vector<Vote>& list : lists) {
      const std::size_t count = std::min(list.size(), kMostVotes - votes.size());
      votes.insert(votes.end(), list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count));
      list.clear();
    }
  }
  return votes;
}

}  // namespace

std::vector<SubstitutionCandidate> vote_on_substitutions(const CopiedPieces& pieces, WorkerPool& pool) {
  std::vector<Vote> votes = collect_votes(pieces, pool);
  sort_by_all(votes, pool);
  std::vector<SubstitutionCandidate> candidates;
  for (std::size_t i = 0; i < votes.size();) {
    std::size_t end = i;
    while (end < votes.size() && votes[end] == votes[i]) ++end;
    const auto count = static_cast<std::uint32_t>(end - i);
    const bool first = candidates.empty() || candidates.back().change.from != from_of(votes[i]);
    if (first) candidates.push_back({});
    if (count > candidates.back().votes) candidates.back() = {{from_of(votes[i]), to_of(votes[i])}, count};
    i = end;
  }
  std::erase_if(candidates, [](const SubstitutionCandidate& c) { return c.votes < kLeastVotes; });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const SubstitutionCandidate& a, const SubstitutionCandidate& b) { return a.votes > b.votes; });
  if (candidates.size() > kMostCandidates) candidates.resize(kMostCandidates);
  return candidates;
}

}  // namespace bdelta
