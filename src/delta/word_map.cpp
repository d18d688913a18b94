// Every byte of every copy may begin a word, and nearly none does. So a look-up has to say no as fast as it can: by a
// multiplication and one bit of a filter that is small and mostly zeros, for as many positions at once as words of the same
// length allow. Behind it are a filter of whole words and a hash table with open addressing, at most half full.
#include "delta/word_map.hpp"

#include <bit>

namespace bdelta {
namespace {

constexpr unsigned kFilterLog = 6;  // bits of both filters for a word, as a power of two
constexpr unsigned kMinLog = 6;     // of slots and filter words
constexpr unsigned kTrigramBytes = 3;
constexpr std::uint64_t kTrigramMask = 0xffffff;

}  // namespace

WordMap::WordMap(unsigned word_bytes, std::vector<WordChange> changes, std::vector<WordSpan> spans)
    : word_bytes_(word_bytes), mask_(~std::uint64_t{0} >> (64 - 8 * word_bytes)), changes_(std::move(changes)),
      spans_(std::move(spans)) {
  const unsigned log = std::max(kMinLog, static_cast<unsigned>(std::bit_width(changes_.size())));
  slots_.assign(std::size_t{2} << log, kNone);
  slot_shift_ = 64 - (log + 1);
  const bool are_few = changes_.size() <= kFewWords;
  words_ = Filter(log + kFilterLog - (are_few ? 1 : 0));
  if (are_few) trigrams_ = Filter(log + kFilterLog - 1);
  for (std::size_t rank = 0; rank < changes_.size(); ++rank) {
    const std::uint64_t word = changes_[rank].from & mask_;
    std::size_t slot = static_cast<std::size_t>(word * kFactor >> slot_shift_);
    while (slots_[slot] != kNone) slot = (slot + 1) % slots_.size();
    slots_[slot] = static_cast<std::uint32_t>(rank);
    words_.add(word * kFactor);
    for (unsigned i = 0; are_few && i + kTrigramBytes <= word_bytes_; ++i) {
      trigrams_.add((word >> 8 * i & kTrigramMask) * kFactor);
    }
  }
  probe_ = are_few ? Probe{kTrigramMask, word_bytes - kTrigramBytes + 1} : Probe{mask_, 1};
}

std::uint32_t WordMap::search(std::uint64_t word, std::uint64_t hash) const noexcept {
  for (std::size_t slot = static_cast<std::size_t>(hash >> slot_shift_);; slot = (slot + 1) % slots_.size()) {
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
