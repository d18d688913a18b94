#include "match/source_grams.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bytes.hpp"
#include "base/deciding/parse.hpp"

namespace bdelta {
namespace {

constexpr std::uint16_t kFactors[] = {0x9E37, 0x79B9, 0x7F4B};

}  // namespace

SourceGrams::SourceGrams(ByteSpan source, std::size_t max_blocks, unsigned gram_bytes)
    : source_(source), gram_bytes_(gram_bytes), word_mask_((std::uint64_t{1} << 8 * gram_bytes) - 1),
      max_blocks_(max_blocks),
      slot_of_(std::bit_ceil(std::min<std::size_t>(static_cast<std::size_t>(source.size() >> kBlockLog) + 1,
                                                   max_blocks * kNotesPerBlock))) {}

// Products of 16 bits, as a processor makes eight or more of them at a time.
template <unsigned kGram>
std::uint16_t SourceGrams::hash_of(const std::uint8_t* at) noexcept {
  const auto word = [at](unsigned i) { return static_cast<std::uint32_t>(load_le<std::uint16_t>(at + i)); };
  std::uint32_t hash = word(0) * kFactors[0] + word(2) * kFactors[1];
  hash += (kGram == kShortGram ? word(4) & 0xff : word(4)) * kFactors[2];
  return static_cast<std::uint16_t>(hash);
}

std::uint16_t SourceGrams::hash_at(const std::uint8_t* at) const noexcept {
  return gram_bytes_ == kShortGram ? hash_of<kShortGram>(at) : hash_of<kMediumGram>(at);
}

// Of the even positions of a block, the first at `at`.
void SourceGrams::hash_even(const std::uint8_t* at, std::span<std::uint16_t> hashes) const noexcept {
  const std::size_t count = hashes.size();
  if (gram_bytes_ == kShortGram) {
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_of<kShortGram>(at + 2 * i);
  } else {
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_of<kMediumGram>(at + 2 * i);
  }
}

bool SourceGrams::fits(std::uint64_t pos, const std::uint8_t* at) const noexcept {
  return ((load_le<std::uint64_t>(source_.data() + pos) ^ load_le<std::uint64_t>(at)) & word_mask_) == 0;
}

bool SourceGrams::fits_long(std::uint64_t pos, const std::uint8_t* at) const noexcept {
  return source_.size() - pos >= kLongBytes && std::memcmp(source_.data() + pos, at, kLongBytes) == 0;
}

// Of the even positions of a block.
std::size_t SourceGrams::gram_count(std::uint64_t number) const noexcept {
  const std::uint64_t begin = number << kBlockLog;
  const std::uint64_t last = source_.size() < kReadBytes ? 0 : source_.size() - kReadBytes + 1;
  const std::uint64_t end = std::min(begin + kBlockBytes, std::max(last, begin));
  return static_cast<std::size_t>((end - begin + 1) / 2);
}

// A counting sort. Neighbouring positions often share a bucket, and counting or placing one then waits for the one
// before. So the two halves of the block are counted and placed in turns, each with counters of its own.
void SourceGrams::build(Block& block, std::uint64_t number) const {
  block.number = number;
  block.asked_count = 0;
  const std::uint64_t begin = number << kBlockLog;
  const std::size_t count = gram_count(number);
  const std::size_t half = count / 2;
  std::array<std::uint16_t, kBlockBytes / 2> buckets;
  std::array<std::uint16_t, 1u << kBucketLog> low{};  // of each bucket: the count, then where the next one goes
  std::array<std::uint16_t, 1u << kBucketLog> high{};
  hash_even(source_.data() + begin, std::span(buckets).first(count));
  for (std::size_t i = 0; i < count; ++i) buckets[i] = static_cast<std::uint16_t>(buckets[i] >> kFilterBits);
  for (std::size_t i = 0; i < half; ++i) {
    ++low[buckets[i]];
    ++high[buckets[half + i]];
  }
  if (2 * half < count) ++high[buckets[count - 1]];
  std::uint32_t placed = 0;
  for (std::size_t bucket = 0; bucket < low.size(); ++bucket) {
    const std::uint32_t middle = placed + low[bucket];
    const std::uint32_t next = middle + high[bucket];
    block.begins[bucket] = low[bucket] = static_cast<std::uint16_t>(placed);
    high[bucket] = static_cast<std::uint16_t>(middle);
    placed = next;
  }
  block.begins[low.size()] = static_cast<std::uint16_t>(placed);
  for (std::size_t i = 0; i < half; ++i) {
    block.positions[low[buckets[i]]++] = static_cast<std::uint16_t>(i);
    block.positions[high[buckets[half + i]]++] = static_cast<std::uint16_t>(half + i);
  }
  if (2 * half < count) block.positions[high[buckets[count - 1]]++] = static_cast<std::uint16_t>(count - 1);
}

SourceGrams::Block& SourceGrams::block(std::uint64_t number) {
  std::uint32_t& slot = slot_of_[static_cast<std::size_t>(number & (slot_of_.size() - 1))];
  if (slot != 0 && slots_[slot - 1]->number == number) return *slots_[slot - 1];
  std::size_t to = slots_.size();
  if (to < max_blocks_) {
    slots_.push_back(std::make_unique_for_overwrite<Block>());
  } else {
    to = next_slot_++ % max_blocks_;
  }
  build(*slots_[to], number);
  slot = static_cast<std::uint32_t>(to + 1);
  return *slots_[to];
}

void SourceGrams::build_filter(Block& block) {
  if (filters_.size() < max_filters(max_blocks_)) filters_.push_back(std::make_unique_for_overwrite<Filter>());
  block.filter = static_cast<std::uint32_t>(next_filter_++ % max_filters(max_blocks_));
  Filter& filter = *filters_[block.filter];
  filter.number = block.number;
  filter.bits.fill(0);
  std::array<std::uint16_t, kBlockBytes / 2> buffer;
  const std::span<std::uint16_t> hashes = std::span(buffer).first(gram_count(block.number));
  hash_even(source_.data() + (block.number << kBlockLog), hashes);
  for (const std::uint16_t hash : hashes) filter.bits[hash / 64] |= std::uint64_t{1} << hash % 64;
}

const SourceGrams::Block* SourceGrams::block_with(std::uint64_t number, std::uint16_t hash) {
  Block& found = block(number);
  if (found.asked_count == kAsksForFilter) {
    const Filter& filter = *filters_[found.filter];
    if (filter.number == number) return (filter.bits[hash / 64] >> hash % 64 & 1) != 0 ? &found : nullptr;
    found.asked_count = 0;
  }
  if (++found.asked_count == kAsksForFilter) build_filter(found);
  return &found;
}

// Entries of a bucket in block `number`, from the nearest on.
template <bool kWithLong, class Entry>
void SourceGrams::look(const std::uint8_t* at, std::uint64_t number, Entry from, Entry end, std::uint64_t& nearest,
                       std::uint64_t& nearest_long) const {
  for (unsigned tries = 0; from != end && tries < (kWithLong ? kLongGramTries : kGramTries); ++tries, ++from) {
    const bool wanted = nearest == kNone && tries < kGramTries;
    if (!wanted && (!kWithLong || nearest_long != kNone)) return;
    const std::uint64_t pos = (number << kBlockLog) + 2ull * *from;
    if (!fits(pos, at)) continue;
    if (wanted) nearest = pos;
    if (kWithLong && nearest_long == kNone && fits_long(pos, at)) nearest_long = pos;
  }
}

template <bool kWithLong>
SourceGrams::Nearest SourceGrams::find_with(const std::uint8_t* at, std::uint64_t around) {
  Nearest found;
  if (source_.size() < kReadBytes) return found;
  around = std::min<std::uint64_t>(around, source_.size() - kReadBytes);
  const std::uint16_t hash = hash_at(at);
  const std::uint32_t bucket = hash >> kFilterBits;
  const std::uint64_t home = around >> kBlockLog;
  const std::uint64_t last = (source_.size() - 1) >> kBlockLog;
  const auto entries = [bucket](const Block& in) {
    return std::span(in.positions).subspan(in.begins[bucket], in.begins[bucket + 1] - in.begins[bucket]);
  };
  const auto look_back = [&](std::uint64_t number, std::span<const std::uint16_t> in) {
    look<kWithLong>(at, number, in.rbegin(), in.rend(), found.before, found.long_before);
  };
  const auto look_ahead = [&](std::uint64_t number, std::span<const std::uint16_t> in) {
    look<kWithLong>(at, number, in.begin(), in.end(), found.after, found.long_after);
  };
  if (const Block* own = block_with(home, hash)) {
    const std::span<const std::uint16_t> all = entries(*own);
    const auto offset = static_cast<std::uint16_t>((around & (kBlockBytes - 1)) / 2);
    const auto split = static_cast<std::size_t>(std::upper_bound(all.begin(), all.end(), offset) - all.begin());
    look_back(home, all.first(split));
    look_ahead(home, all.subspan(split));
  }
  // The neighbour on the nearer side, so that a place close to a border sees both sides.
  const bool near_begin = (around & (kBlockBytes - 1)) < kBlockBytes / 2;
  if (near_begin && found.before == kNone && home > 0) {
    if (const Block* other = block_with(home - 1, hash)) look_back(home - 1, entries(*other));
  } else if (!near_begin && found.after == kNone && home < last) {
    if (const Block* other = block_with(home + 1, hash)) look_ahead(home + 1, entries(*other));
  }
  return found;
}

template SourceGrams::Nearest SourceGrams::find_with<false>(const std::uint8_t* at, std::uint64_t around);
template SourceGrams::Nearest SourceGrams::find_with<true>(const std::uint8_t* at, std::uint64_t around);

}  // namespace bdelta
