// Behind the scan for places where a word may begin is a hash table with open addressing, at most half full.
#include "delta/word_map.hpp"

namespace bdelta {
namespace {

constexpr unsigned kMinLog = 6;  // of the slots
constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;

std::vector<std::uint64_t> words_of(const std::vector<WordChange>& changes) {
  std::vector<std::uint64_t> words;
  words.reserve(changes.size());
  for (const WordChange& change : changes) words.push_back(change.from);
  return words;
}

}  // namespace

WordMap::WordMap(unsigned word_bytes, std::vector<WordChange> changes, std::vector<WordSpan> spans)
    : word_bytes_(word_bytes), mask_(~std::uint64_t{0} >> (64 - 8 * word_bytes)), changes_(std::move(changes)),
      spans_(std::move(spans)), scan_(words_of(changes_), word_bytes) {
  const unsigned log = std::max(kMinLog, static_cast<unsigned>(std::bit_width(changes_.size()))) + 1;
  slots_.assign(std::size_t{1} << log, kNone);
  slot_shift_ = 64 - log;
  for (std::size_t rank = 0; rank < changes_.size(); ++rank) {
    std::size_t slot = static_cast<std::size_t>((changes_[rank].from & mask_) * kFactor >> slot_shift_);
    while (slots_[slot] != kNone) slot = (slot + 1) % slots_.size();
    slots_[slot] = static_cast<std::uint32_t>(rank);
  }
}

std::uint32_t WordMap::search(std::uint64_t word) const noexcept {
  for (std::size_t slot = static_cast<std::size_t>(word * kFactor >> slot_shift_);; slot = (slot + 1) % slots_.size()) {
    const std::uint32_t rank = slots_[slot];
    if (rank == kNone || (changes_[rank].from & mask_) == word) return rank;
  }
}

void WordMap::replace_at(std::uint64_t target_pos, MutableByteSpan copied) const noexcept {
  if (spans_.empty()) {
    replace(copied);
    return;
  }
  const std::uint64_t target_end = target_pos + copied.size();
  auto span = std::partition_point(spans_.begin(), spans_.end(),
                                   [&](const WordSpan& s) { return s.end <= target_pos; });
  for (; span != spans_.end() && span->begin < target_end; ++span) {
    const std::uint64_t begin = std::max(span->begin, target_pos);
    const std::uint64_t end = std::min(span->end, target_end);
    replace(copied.subspan(static_cast<std::size_t>(begin - target_pos), static_cast<std::size_t>(end - begin)));
  }
}

void WordMap::replace(MutableByteSpan copied) const noexcept {
  for_each_byte(copied, [&](std::size_t pos, std::uint32_t, std::uint8_t byte) { copied[pos] = byte; });
}

}  // namespace bdelta
