// A source that is neither mapped nor fits memory: for each segment of the target, those of its blocks that matter.
#pragma once

#include "create/budget.hpp"
#include "delta/file_pieces.hpp"
#include "hash/file_hasher.hpp"
#include "match/matcher.hpp"

namespace bdelta {

class GatheredSource {
 public:
  // `reader` and `pool` must outlive this object; `budget` says how much is gathered.
  GatheredSource(RandomReader& reader, const Budget& budget, WorkerPool& pool);

  // Reads the source once: makes the sparse index of it and digests it. Its bytes are units of the pool's watch.
  Status survey(FileHasher& hasher);

  // Reads the blocks that the target's bytes, which stand at target_pos of a target of target_size, most resemble.
  Status gather(ByteSpan target, std::uint64_t target_pos, std::uint64_t target_size);

  // What was gathered, one block behind the other; and the same under the source's positions.
  [[nodiscard]] ByteSpan bytes() const noexcept { return bytes_; }
  [[nodiscard]] FilePieces pieces() const;

  // The likeliest diagonals of that target in bytes().
  [[nodiscard]] Diagonals diagonals() const noexcept { return diagonals_; }

  // From positions in bytes() to those of the source. Covers are cut where blocks meet that are no neighbours.
  [[nodiscard]] Covers place(const Covers& covers) const;

 private:
  struct Run {
    std::uint64_t begin;       // in bytes_
    std::uint64_t source_pos;
    std::uint64_t length;
  };

  [[nodiscard]] std::vector<std::uint64_t> choose_blocks(ByteSpan target, std::uint64_t target_pos,
                                                         std::uint64_t target_size) const;
  [[nodiscard]] std::int64_t diagonal_of(std::int64_t source_pos) const;

  RandomReader& reader_;
  const Budget& budget_;
  WorkerPool& pool_;
  SourceIndex index_;
  Bytes bytes_;
  std::vector<Run> runs_;  // ascending, apart in the source
  Diagonals diagonals_;
};

}  // namespace bdelta
