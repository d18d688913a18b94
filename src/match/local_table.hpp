// The local index: source positions around the current diagonal, in a table that fits the L2 cache.
//
// After an insertion or a deletion the match goes on a few bytes to a few KiB away, too close and too short for the
// global index. So every fourth source position near the diagonal stands here under the hash of its 8 bytes; looking
// up each target byte finds any match of 11 bytes or more. The source is inserted granule by granule where the scan
// needs it, and a granule already in the table (young enough not to be overwritten) is not inserted again. Entries are
// never cleared: a caller compares the bytes anyway, and what is left of an older neighbourhood is often of use. Beside
// each entry stands a byte of its hash. Without it nearly every question would read a place of the source that no cache
// holds. Where files have little in common that was half the time of a scan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/deciding/search.hpp"
#include "match/block_compare.hpp"
#include "match/sample_hash.hpp"

namespace bdelta {

class LocalTable {
 public:
  static constexpr unsigned kSlotBits = 16;               // 2^16 slots of 4 bytes and tags of one: 320 KiB
  static constexpr unsigned kTagBits = 8;
  static constexpr std::uint64_t kStride = kLocalStrideBytes;  // bytes between inserted positions
  static constexpr std::uint64_t kGranuleBytes = 1024;    // source inserted at a time
  static constexpr std::uint64_t kLifeGranules = kLocalLifeGranules;  // insertions after which a granule counts as gone

  static constexpr std::uint64_t kNotes = 65536;          // granules remembered, fewer for a small source: 512 KiB
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  explicit LocalTable(ByteSpan source)
      : source_(source), slots_(std::size_t{1} << kSlotBits), tags_(slots_.size()),
        last_granule_(source.size() / kGranuleBytes),
        notes_(static_cast<std::size_t>(std::min(last_granule_ + 1, kNotes))) {}

  // Makes sure that the granules around source_pos, `behind` bytes back to `ahead` bytes on, are in the table.
  // Returns the number of granules that were inserted for it.
  std::uint64_t cover(std::uint64_t source_pos, std::uint64_t behind, std::uint64_t ahead) {
    const std::uint64_t first = (source_pos > behind ? source_pos - behind : 0) / kGranuleBytes;
    const std::uint64_t last = std::min<std::uint64_t>((source_pos + ahead) / kGranuleBytes, last_granule_);
    std::uint64_t inserted = 0;
    for (std::uint64_t granule = first; granule <= last; ++granule) {
      const Note& note = note_of(granule);
      if (note.born == 0 || note.granule != granule || clock_ - note.born > kLifeGranules) {
        insert(granule);
        ++inserted;
      }
    }
    return inserted;
  }

  // A source position whose 8 bytes may equal those hashed, near `around` when positions pass 2^34; kNone = there is none.
  [[nodiscard]] std::uint64_t find(std::uint32_t hash, std::uint64_t around) const noexcept {
    const std::uint32_t mixed = mix(hash);
    if (tags_[slot(mixed)] != tag(mixed)) return kNone;
    const std::uint64_t near = slots_[slot(mixed)] * kStride;
    constexpr std::uint64_t kSpan = kStride << 32;
    return near + (around & ~(kSpan - 1));
  }

 private:
  [[nodiscard]] static std::uint32_t mix(std::uint32_t hash) noexcept { return hash * 0x9E3779B1u; }
  [[nodiscard]] static std::size_t slot(std::uint32_t mixed) noexcept { return mixed >> (32 - kSlotBits); }
  [[nodiscard]] static std::uint8_t tag(std::uint32_t mixed) noexcept {
    return static_cast<std::uint8_t>(mixed >> (32 - kSlotBits - kTagBits));
  }

  // Granules of a large source share a note; the one inserted last has it, the other is inserted again when asked for.
  struct Note {
    std::uint32_t granule = 0;
    std::uint32_t born = 0;  // clock at insertion, 0 = never
  };

  [[nodiscard]] Note& note_of(std::uint64_t granule) noexcept { return notes_[granule % kNotes]; }

  void insert(std::uint64_t granule) noexcept {
    note_of(granule) = {static_cast<std::uint32_t>(granule), ++clock_};
    const std::uint64_t begin = granule * kGranuleBytes;
    const std::uint64_t end = std::min<std::uint64_t>(begin + kGranuleBytes, source_.size());
    std::uint32_t* const slots = slots_.data();  // not to be read again behind each byte that is written
    std::uint8_t* const tags = tags_.data();
    const std::uint8_t* const source = source_.data();
    for (std::uint64_t pos = begin; pos + kHashSpan <= end; pos += kStride) {
      const std::uint32_t mixed = mix(sample_hash(source + pos));
      slots[slot(mixed)] = static_cast<std::uint32_t>(pos / kStride);
      tags[slot(mixed)] = tag(mixed);
    }
  }

  ByteSpan source_;
  std::vector<std::uint32_t> slots_;  // source position / stride, low 32 bits
  std::vector<std::uint8_t> tags_;    // of the hash in each slot
  std::uint64_t last_granule_;
  std::vector<Note> notes_;           // of granule i at i modulo kNotes
  std::uint32_t clock_ = 0;
};

}  // namespace bdelta
