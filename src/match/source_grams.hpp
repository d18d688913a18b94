// Where the few bytes at a target position (a gram) stand next in the neighbourhood of a source position.
//
// The global index sees one position in many and wants 32 equal bytes. What a parse needs when its diagonal fails is the
// nearest place where even a short match goes on. So the source is cut into blocks of 16 KiB. A block that is asked for the
// first time gets its even positions sorted by the hash of the gram (a counting sort). The positions of a bucket ascend, so
// the nearest one is found by bisection. A block takes 20 KiB; a worker keeps as many as its memory allows and builds again
// what it has dropped: answers depend on the source alone.
//
// Where files have little in common a block is asked thousands of times and hardly ever has what is asked for. From its
// 64th question on it has a filter of 8 KiB, one bit for each hash of 16 bits, that says so without a look at the source.
// One block in four may have one: those that are asked much at a time are few, and a new one takes the oldest filter.
//
// Where content repeats, the nearest place is often the wrong one. The nearest of those where many more bytes are equal is
// among the same entries, so it is looked for in the same bucket, further along. A table of its own for long grams found
// hardly better ones (patches 0.1 % smaller, once 0.5 %) and took a seventh of the time of level 6 to build.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/deciding/parse.hpp"
#include "bdelta/io.hpp"

namespace bdelta {

class SourceGrams {
 public:
  static constexpr unsigned kShortGram = kShortGramBytes;
  static constexpr unsigned kMediumGram = kMediumGramBytes;
  static constexpr std::size_t kLongBytes = kLongGramBytes;
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  // gram_bytes: a short or a medium gram.
  SourceGrams(ByteSpan source, std::size_t max_blocks, unsigned gram_bytes);

  // Of the target, that `find` reads.
  static constexpr std::uint64_t kReadBytes = 8;

  // The nearest source positions at or before `around` and behind it, in its block or the nearer neighbour, whose grams
  // equal that at `at`. kReadBytes there can be read. kNone where there is none among the few that are tried.
  struct Nearest {
    std::uint64_t before = kNone;
    std::uint64_t after = kNone;
    std::uint64_t long_before = kNone;  // likewise where kLongBytes are equal, if these were asked for
    std::uint64_t long_after = kNone;
  };
  [[nodiscard]] Nearest find(const std::uint8_t* at, std::uint64_t around) { return find_with<false>(at, around); }
  // kLongBytes at `at` can be read.
  [[nodiscard]] Nearest find_long_too(const std::uint8_t* at, std::uint64_t around) { return find_with<true>(at, around); }

  // Blocks that a source of so many bytes has at most.
  [[nodiscard]] static constexpr std::uint64_t most_blocks(std::uint64_t source_bytes) noexcept {
    return (source_bytes >> kBlockLog) + 1;
  }

  // Upper bound of the bytes that a table of so many blocks takes.
  [[nodiscard]] static constexpr std::uint64_t memory_bytes(std::uint64_t max_blocks) noexcept {
    const std::uint64_t block_bytes = sizeof(Block) + 2 * kNotesPerBlock * sizeof(std::uint32_t) + 64;
    return max_blocks * block_bytes + max_filters(max_blocks) * (sizeof(Filter) + 64);
  }

 private:
  static constexpr unsigned kBlockLog = 14;
  static constexpr unsigned kBucketLog = 11;
  static constexpr std::uint64_t kBlockBytes = std::uint64_t{1} << kBlockLog;

  static constexpr std::size_t kNotesPerBlock = 8;
  static constexpr std::uint64_t kBlocksPerFilter = 4;

  [[nodiscard]] static constexpr std::uint64_t max_filters(std::uint64_t max_blocks) noexcept {
    return (max_blocks + kBlocksPerFilter - 1) / kBlocksPerFilter;
  }

  static constexpr unsigned kFilterBits = 16 - kBucketLog;     // of a hash, that the filter knows beside the bucket
  static constexpr std::uint32_t kAsksForFilter = 64;

  struct Filter {
    std::array<std::uint64_t, (1u << 16) / 64> bits;  // one for each hash
    alignas(8) std::uint64_t number = kNone;          // of the block
  };

  struct Block {
    alignas(8) std::uint64_t number = kNone;  // as memory_bytes must not depend on the processor
    std::uint32_t asked_count = 0;            // since it was built, or lost its filter; up to kAsksForFilter
    std::uint32_t filter = 0;                 // then: which one, if that is still of this block
    std::array<std::uint16_t, (1u << kBucketLog) + 1> begins;
    std::array<std::uint16_t, kBlockBytes / 2> positions;  // even offsets in the block, halved
  };

  [[nodiscard]] Block& block(std::uint64_t number);
  [[nodiscard]] const Block* block_with(std::uint64_t number, std::uint16_t hash);
  void build(Block& block, std::uint64_t number) const;
  void build_filter(Block& block);

  template <unsigned kGram>
  [[nodiscard]] static std::uint16_t hash_of(const std::uint8_t* at) noexcept;
  [[nodiscard]] std::uint16_t hash_at(const std::uint8_t* at) const noexcept;
  void hash_even(const std::uint8_t* at, std::span<std::uint16_t> hashes) const noexcept;
  [[nodiscard]] std::size_t gram_count(std::uint64_t number) const noexcept;
  template <bool kWithLong>
  [[nodiscard]] Nearest find_with(const std::uint8_t* at, std::uint64_t around);
  template <bool kWithLong, class Entry>
  void look(const std::uint8_t* at, std::uint64_t number, Entry from, Entry end, std::uint64_t& nearest,
            std::uint64_t& nearest_long) const;
  [[nodiscard]] bool fits(std::uint64_t pos, const std::uint8_t* at) const noexcept;
  [[nodiscard]] bool fits_long(std::uint64_t pos, const std::uint8_t* at) const noexcept;

  ByteSpan source_;
  unsigned gram_bytes_;
  std::uint64_t word_mask_;  // of a gram, in eight bytes
  std::size_t max_blocks_;
  // By block number modulo its size, a power of two bounded by max_blocks: slot + 1 of the block asked for last, 0 = none.
  std::vector<std::uint32_t> slot_of_;
  std::vector<std::unique_ptr<Block>> slots_;
  std::size_t next_slot_ = 0;
  std::vector<std::unique_ptr<Filter>> filters_;
  std::size_t next_filter_ = 0;
};

}  // namespace bdelta
