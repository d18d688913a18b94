#include "match/source_grams.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/bytes.hpp"

namespace bdelta {
namespace {

constexpr std::uint16_t kFactors[] = {0x9E37, 0x79B9, 0x7F4B, 0xD6E9, 0xB667, 0x85EB, 0xC2B3, 0x27D5};
constexpr unsigned kMaxTries = 4;  // entries of a bucket compared in each direction

}  // namespace

SourceGrams::SourceGrams(ByteSpan source, std::size_t max_blocks, unsigned gram_bytes)
    : source_(source), gram_bytes_(gram_bytes),
      word_mask_(gram_bytes < 8 ? (std::uint64_t{1} << 8 * gram_bytes) - 1 : ~std::uint64_t{0}), max_blocks_(max_blocks),
      slot_of_(std::bit_ceil(std::min<std::size_t>(static_cast<std::size_t>(source.size() >> kBlockLog) + 1,
                                                   max_blocks * kNotesPerBlock))) {}

// Products of 16 bits, as a processor makes eight or more of them at a time.
template <unsigned kGram>
std::uint16_t SourceGrams::hash_of(const std::uint8_t* at) noexcept {
  const auto word = [at](unsigned i) { return static_cast<std::uint32_t>(load_le<std::uint16_t>(at + i)); };
  std::uint32_t hash = word(0) * kFactors[0] + word(2) * kFactors[1];
  if constexpr (kGram == kShortGram) {
    hash += (word(4) & 0xff) * kFactors[2];
  } else if constexpr (kGram == kMediumGram) {
    hash += word(4) * kFactors[2];
  } else {
    hash += word(4) * kFactors[2] + word(6) * kFactors[3];
    hash += word(kGram - 8) * kFactors[4] + word(kGram - 6) * kFactors[5];
    hash += word(kGram - 4) * kFactors[6] + word(kGram - 2) * kFactors[7];
  }
  return static_cast<std::uint16_t>(hash);
}

std::uint16_t SourceGrams::hash_at(const std::uint8_t* at) const noexcept {
  if (gram_bytes_ == kMediumGram) return hash_of<kMediumGram>(at);
  return gram_bytes_ == kShortGram ? hash_of<kShortGram>(at) : hash_of<kLongGram>(at);
}

// Of the even positions of a block, the first at `at`.
void SourceGrams::hash_even(const std::uint8_t* at, std::span<std::uint16_t> hashes) const noexcept {
  const std::size_t count = hashes.size();
  if (gram_bytes_ == kMediumGram) {
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_of<kMediumGram>(at + 2 * i);
  } else if (gram_bytes_ == kShortGram) {
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_of<kShortGram>(at + 2 * i);
  } else {
    for (std::size_t i = 0; i < count; ++i) hashes[i] = hash_of<kLongGram>(at + 2 * i);
  }
}

bool SourceGrams::fits(const std::uint8_t* a, const std::uint8_t* b) const noexcept {
  if (((load_le<std::uint64_t>(a) ^ load_le<std::uint64_t>(b)) & word_mask_) != 0) return false;
  return gram_bytes_ < 8 || std::memcmp(a, b, gram_bytes_) == 0;
}

// Of the even positions of a block.
std::size_t SourceGrams::gram_count(std::uint64_t number) const noexcept {
  const std::uint64_t begin = number << kBlockLog;
  const std::uint64_t last = source_.size() < readable_bytes() ? 0 : source_.size() - readable_bytes() + 1;
  const std::uint64_t end = std::min(begin + kBlockBytes, std::max(last, begin));
  return static_cast<std::size_t>((end - begin + 1) / 2);
}

// A counting sort. Neighbouring positions often share a bucket, and counting or placing one then waits for the one
// before; so the two halves of the block are counted and placed in turns, each with counters of its own.
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

SourceGrams::Nearest SourceGrams::find(const std::uint8_t* at, std::uint64_t around) {
  Nearest nearest;
  if (source_.size() < readable_bytes()) return nearest;
  around = std::min<std::uint64_t>(around, source_.size() - readable_bytes());
  const std::uint16_t hash = hash_at(at);
  const std::uint32_t bucket = hash >> kFilterBits;
  const std::uint64_t home = around >> kBlockLog;
  const std::uint64_t last = (source_.size() - 1) >> kBlockLog;
  const auto look_back = [&](const Block& in, std::uint64_t number, const std::uint16_t* from) {
    const std::uint16_t* begin = in.positions.data() + in.begins[bucket];
    for (unsigned tries = 0; from != begin && tries < kMaxTries && nearest.before == kNone; ++tries) {
      const std::uint64_t pos = (number << kBlockLog) + 2ull * *--from;
      if (fits(source_.data() + pos, at)) nearest.before = pos;
    }
  };
  const auto look_ahead = [&](const Block& in, std::uint64_t number, const std::uint16_t* from) {
    const std::uint16_t* end = in.positions.data() + in.begins[bucket + 1];
    for (unsigned tries = 0; from != end && tries < kMaxTries && nearest.after == kNone; ++tries, ++from) {
      const std::uint64_t pos = (number << kBlockLog) + 2ull * *from;
      if (fits(source_.data() + pos, at)) nearest.after = pos;
    }
  };
  if (const Block* own = block_with(home, hash)) {
    const std::uint16_t* begin = own->positions.data() + own->begins[bucket];
    const std::uint16_t* end = own->positions.data() + own->begins[bucket + 1];
    const auto offset = static_cast<std::uint16_t>((around & (kBlockBytes - 1)) / 2);
    const std::uint16_t* split = std::upper_bound(begin, end, offset);
    look_back(*own, home, split);
    look_ahead(*own, home, split);
  }
  // The neighbour on the nearer side, so that a place close to a border sees both sides.
  const bool near_begin = (around & (kBlockBytes - 1)) < kBlockBytes / 2;
  if (near_begin && nearest.before == kNone && home > 0) {
    const Block* other = block_with(home - 1, hash);
    if (other) look_back(*other, home - 1, other->positions.data() + other->begins[bucket + 1]);
  } else if (!near_begin && nearest.after == kNone && home < last) {
    const Block* other = block_with(home + 1, hash);
    if (other) look_ahead(*other, home + 1, other->positions.data() + other->begins[bucket]);
  }
  return nearest;
}

}  // namespace bdelta
