// Words that copies of a patch have others in place of: what is numbered anew in a new version (types, strings, dates
// of files) is copied with its old number wherever it is named, and told once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "delta/word_key.hpp"
#include "delta/word_scan.hpp"

namespace bdelta {

// A word is kWordBytes bytes, here as a number whose lowest byte is the first one in the file.
inline constexpr std::size_t kWordBytes = 4;

struct WordChange {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  bool operator==(const WordChange&) const = default;
};

// A stretch of the target, [begin, end), in which words are replaced.
struct WordSpan {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const WordSpan&) const = default;
};

// Immutable once made: any number of threads may ask it.
class WordMap {
 public:
  static constexpr std::size_t kMostWords = std::size_t{1} << 20;
  static constexpr std::uint64_t kSpanUnitBytes = std::uint64_t{16} << 10;  // spans begin and end at multiples
  static constexpr std::uint64_t kBytesPerSpan = 16;
  static constexpr std::uint64_t kBytesPerWord = 48;  // upper bound of what an object holds for each, from 64 words on
  static constexpr std::uint64_t kFixedBytes = 4096;
  static constexpr std::uint32_t kNone = 0xffffffff;

  // A word's rank is its number in `changes`; no two are of the same word, and there are at most kMostWords. The spans
  // are ascending, apart and not empty; without any, words are replaced everywhere.
  explicit WordMap(std::vector<WordChange> changes, std::vector<WordSpan> spans = {});

  // `copied` are the bytes of one copy, whole, for the target from target_pos on. What of them lies in one span counts as
  // a copy of its own; what lies in none stays.
  void replace_at(std::uint64_t target_pos, MutableByteSpan copied) const noexcept;

  // As if all of it were in one span: `copied` are the bytes of one copy, whole. A word may begin at any of them; those
  // that are found are found in what was copied, never in what has been replaced. Where some of them overlap, each byte is
  // of the one of the lowest rank; where a word overlaps itself, of the one that begins first.
  void replace(MutableByteSpan copied) const noexcept;

  // The same for whoever wants to know which word it was: calls body(pos, rank, byte) for each byte that a word gives,
  // ascending. The body may write the byte to its place.
  template <class Body>
  void for_each_byte(ByteSpan copied, Body&& body) const;

  // Calls body(pos, rank) for each word in these bytes, ascending. The body may write to bytes before pos.
  template <class Body>
  void for_each_word(ByteSpan bytes, Body&& body) const;

  // The rank of a word, or kNone.
  [[nodiscard]] std::uint32_t find(std::uint32_t word) const noexcept {
    return scan_.may_be(word) ? search(word) : kNone;
  }

  [[nodiscard]] const std::vector<WordChange>& changes() const noexcept { return changes_; }
  [[nodiscard]] const std::vector<WordSpan>& spans() const noexcept { return spans_; }
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept {
    return kFixedBytes + kBytesPerWord * changes_.size() + kBytesPerSpan * spans_.size();
  }

 private:
  struct PendingBytes;

  [[nodiscard]] bool fill_table();
  void fill_order();
  [[nodiscard]] std::uint32_t search(std::uint32_t word) const noexcept;
  [[nodiscard]] std::uint32_t search_in_order(std::uint32_t word) const noexcept;

  std::vector<WordChange> changes_;
  std::vector<WordSpan> spans_;
  std::vector<std::uint32_t> slots_;   // ranks by the high bits of the hash, kNone where nothing is; or else by word
  bool is_table_ = true;
  unsigned slot_shift_ = 0;
  WordScan scan_;
};

template <class Body>
void WordMap::for_each_word(ByteSpan bytes, Body&& body) const {
  if (bytes.size() < kWordBytes) return;
  const std::size_t end = bytes.size() - kWordBytes + 1;  // of the positions
  const auto look_at = [&](std::size_t pos) {
    const std::uint32_t rank = find(load_le<std::uint32_t>(bytes.data() + pos));
    if (rank != kNone) body(pos, rank);
  };
  std::size_t pos = 0;
  for (; bytes.size() - pos >= WordScan::kReadBytes; pos += WordScan::kPositions) {
    for (std::uint64_t places = scan_.places(bytes.data() + pos); places != 0; places &= places - 1) {
      look_at(pos + static_cast<std::size_t>(std::countr_zero(places)));
    }
  }
  for (; pos < end; ++pos) look_at(pos);
}

// Bytes that words give, until all words that hold them have been found: those that begin behind a byte don't.
struct WordMap::PendingBytes {
  struct One {
    std::uint32_t rank = kNone;
    std::uint8_t byte = 0;
  };
  One of[kWordBytes];  // the positions from `settled` on, modulo 4
  std::size_t settled = 0;
  std::size_t end = 0;

  // Words come in the order of their places, which are not below `settled`.
  void add(const WordMap& map, std::size_t pos, std::uint32_t rank) {
    for (unsigned i = 0; i < kWordBytes; ++i) {
      One& one = of[(pos + i) % kWordBytes];
      if (rank < one.rank) one = {rank, static_cast<std::uint8_t>(map.changes_[rank].to >> 8 * i)};
    }
    end = pos + kWordBytes;
  }

  // Calls body(pos, rank, byte) for each byte in front of `until` that a word gives.
  template <class Body>
  void settle(std::size_t until, Body&& body) {
    for (; settled < std::min(until, end); ++settled) {
      One& one = of[settled % kWordBytes];
      if (one.rank != kNone) body(settled, one.rank, one.byte);
      one.rank = kNone;
    }
    settled = std::max(settled, until);
  }
};

template <class Body>
void WordMap::for_each_byte(ByteSpan copied, Body&& body) const {
  PendingBytes pending;
  for_each_word(copied, [&](std::size_t pos, std::uint32_t rank) {
    pending.settle(pos, body);
    pending.add(*this, pos, rank);
  });
  pending.settle(pending.end, body);
}

}  // namespace bdelta
