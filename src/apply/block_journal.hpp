// What the journal of a file holds: the blocks of NEW that differ from what stands in their places, and whose they are.
//
//   tag 1   number of the first block as a varint, then up to kMostRunBytes of blocks; ascending, the last may be short
//   tag 2   last of all: size of the file before u64, size of NEW u64, NEW's XXH3-128
//
// NEW is the file with the blocks of the journal over it. So the digest proves that a journal belongs to a file, however many of
// the blocks are written there already, and in parts.
#pragma once

#include "apply/in_place_file.hpp"
#include "apply/journal_file.hpp"
#include "hash/xxh3.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

inline constexpr std::size_t kBlockBytes = 4096;
inline constexpr std::size_t kMostRunBytes = std::size_t{256} << 10;  // more = fewer calls, more memory

// Takes NEW in order. One thread at a time.
class BlockRecorder final : public SequentialWriter {
 public:
  // file: all that can be read in the place of NEW. Of it the first hashed_bytes are OLD, of which a digest is taken on the
  // way; 0 where none is asked for. The journal is begun.
  BlockRecorder(RandomReader& file, std::uint64_t capacity_bytes, std::uint64_t hashed_bytes)
      : file_(file), capacity_bytes_(capacity_bytes), hashed_bytes_(hashed_bytes) {}

  // Where differing blocks go, which outlives the recorder, while its journal has at most limit_bytes. Without, or beyond, they
  // are counted.
  void record_to(JournalWriter& journal, std::uint64_t limit_bytes) noexcept {
    journal_ = &journal;
    limit_bytes_ = limit_bytes;
  }

  Status write(ByteSpan bytes) override;
  Status finish() override;

  // OLD's, once the rest of it was read.
  Result<Digest128> digest_source(Watch* watch);

  [[nodiscard]] std::uint64_t target_bytes() const noexcept { return pos_; }
  [[nodiscard]] std::uint64_t differing_bytes() const noexcept { return differing_bytes_; }
  [[nodiscard]] std::uint64_t journal_bytes() const noexcept { return journal_bytes_; }
  [[nodiscard]] bool is_beyond_limit() const noexcept { return journal_bytes_ > limit_bytes_; }

 private:
  void read_ahead() noexcept;
  Result<ByteSpan> standing_at(std::uint64_t pos, std::size_t length);
  Status compare(ByteSpan bytes, ByteSpan standing);
  Status end_block(std::uint64_t pos, ByteSpan block, bool differs);
  Status end_run();

  RandomReader& file_;
  const std::uint64_t capacity_bytes_;
  const std::uint64_t hashed_bytes_;
  JournalWriter* journal_ = nullptr;
  std::uint64_t limit_bytes_ = ~std::uint64_t{0};
  std::uint64_t pos_ = 0;
  std::uint64_t asked_pos_ = 0;  // of the file, asked for up to here
  Xxh3Hasher source_hasher_;
  Bytes standing_;        // of the file, where it is not in memory
  Bytes block_;           // begun, of NEW
  bool block_differs_ = false;
  Bytes run_;             // of differing blocks, up to the last whole one
  std::uint64_t run_block_ = 0;
  std::uint64_t differing_bytes_ = 0;
  std::uint64_t journal_bytes_ = kJournalHeadBytes;
};

// Whose a journal is.
struct BlocksOwner {
  std::uint64_t before_bytes = 0;  // size of the file
  std::uint64_t target_bytes = 0;
  Digest128 target_digest{};
};

[[nodiscard]] std::uint64_t owner_entry_bytes() noexcept;
Status add_owner(JournalWriter& journal, const BlocksOwner& owner);

// Reads all of a journal up to its first mark. kWrongJournal if its blocks are none of one file.
Result<BlocksOwner> read_owner(RandomReader& journal);

// Whether the journal is of this file: kWrongJournal if not. Reads the file once. The watch, which may be null here and below,
// counts bytes.
Status prove_owner(const BlocksOwner& owner, const InPlaceFile& file, RandomReader& bytes, RandomReader& journal, Watch* watch);

// Writes the blocks to the file, and gives it NEW's size. Gives the bytes written. May be done again, whatever came of it.
Result<std::uint64_t> write_blocks(const BlocksOwner& owner, const InPlaceFile& file, RandomReader& journal,
                                   io::IoCounters* counters, Watch* watch);

}  // namespace bdelta
