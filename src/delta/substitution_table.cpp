// Behind the scan for places where a pattern may begin is a hash table with open addressing, at most half full. A patch
// may have patterns that all want one slot: where one finds none near its own there is a list in the order of patterns
// instead.
#include "delta/substitution_table.hpp"

#include <numeric>

namespace bdelta {
namespace {

constexpr unsigned kMinLog = 6;  // of the slots
constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
constexpr unsigned kMostProbes = 64;  // slots that a pattern may stand in, from its own on

std::vector<std::uint32_t> patterns_of(const std::vector<Substitution>& changes) {
  std::vector<std::uint32_t> substitutions;
  substitutions.reserve(changes.size());
  for (const Substitution& change : changes) substitutions.push_back(change.from);
  return substitutions;
}

}  // namespace

SubstitutionTable::SubstitutionTable(std::vector<Substitution> changes, std::vector<SubstitutionSpan> spans)
    : changes_(std::move(changes)), spans_(std::move(spans)), scan_(patterns_of(changes_)) {
  is_table_ = fill_table();
  if (!is_table_) fill_order();
}

bool SubstitutionTable::fill_table() {
  const unsigned log = std::max(kMinLog, static_cast<unsigned>(std::bit_width(changes_.size()))) + 1;
  slots_.assign(std::size_t{1} << log, kNone);
  slot_shift_ = 64 - log;
  for (std::size_t rank = 0; rank < changes_.size(); ++rank) {
    std::size_t slot = static_cast<std::size_t>(changes_[rank].from * kFactor >> slot_shift_);
    for (unsigned probes = 1; slots_[slot] != kNone; ++probes) {
      if (probes == kMostProbes) return false;
      slot = (slot + 1) % slots_.size();
    }
    slots_[slot] = static_cast<std::uint32_t>(rank);
  }
  return true;
}

// Of equal patterns the lowest rank stands first, as it does in the table.
void SubstitutionTable::fill_order() {
  slots_.resize(changes_.size());
  std::iota(slots_.begin(), slots_.end(), 0u);
  std::stable_sort(slots_.begin(), slots_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return changes_[a].from < changes_[b].from;
  });
}

std::uint32_t SubstitutionTable::search(std::uint32_t pattern) const noexcept {
  if (!is_table_) return search_in_order(pattern);
  std::size_t slot = static_cast<std::size_t>(pattern * kFactor >> slot_shift_);
  for (unsigned probes = 0; probes < kMostProbes; ++probes) {
    const std::uint32_t rank = slots_[slot];
    if (rank == kNone || changes_[rank].from == pattern) return rank;
    slot = (slot + 1) % slots_.size();
  }
  return kNone;
}

std::uint32_t SubstitutionTable::search_in_order(std::uint32_t pattern) const noexcept {
  const auto found = std::partition_point(slots_.begin(), slots_.end(), [&](std::uint32_t rank) {
    return changes_[rank].from < pattern;
  });
  return found != slots_.end() && changes_[*found].from == pattern ? *found : kNone;
}

void SubstitutionTable::replace_at(std::uint64_t target_pos, MutableByteSpan copied) const noexcept {
  if (spans_.empty()) {
    replace(copied);
    return;
  }
  const std::uint64_t target_end = target_pos + copied.size();
  auto span = std::partition_point(spans_.begin(), spans_.end(),
                                   [&](const SubstitutionSpan& s) { return s.end <= target_pos; });
  for (; span != spans_.end() && span->begin < target_end; ++span) {
    const std::uint64_t begin = std::max(span->begin, target_pos);
    const std::uint64_t end = std::min(span->end, target_end);
    replace(copied.subspan(static_cast<std::size_t>(begin - target_pos), static_cast<std::size_t>(end - begin)));
  }
}

// Most patterns overlap no other one, and are written as a whole once that is known.
void SubstitutionTable::replace(MutableByteSpan copied) const noexcept {
  std::uint32_t alone = kNone;  // the latest pattern, if it overlaps none so far
  std::size_t begin = 0;        // its place
  std::size_t end = 0;
  PendingBytes pending;  // of patterns that overlap
  const auto settle = [&](std::size_t until) {
    pending.settle(until, [&](std::size_t pos, std::uint32_t, std::uint8_t byte) { copied[pos] = byte; });
  };
  const auto finish = [&] {
    alone != kNone ? store_le(&copied[begin], changes_[alone].to) : settle(end);
  };
  for_each_occurrence(copied, [&](std::size_t pos, std::uint32_t rank) {
    if (pos >= end) {
      finish();
      alone = rank;
      begin = pos;
    } else {
      if (alone != kNone) {
        pending.settled = begin;
        pending.add(*this, begin, alone);
        alone = kNone;
      }
      settle(pos);
      pending.add(*this, pos, rank);
    }
    end = pos + kPatternBytes;
  });
  finish();
}

}  // namespace bdelta
