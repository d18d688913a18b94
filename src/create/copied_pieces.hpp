// What covers copy, cut by units of the target, as the search for substitutions goes through it.
#pragma once

#include <algorithm>
#include <vector>

#include "delta/cover.hpp"
#include "delta/substitution_table.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// What copies give, and what they should. Owns nothing.
struct CopiedBytes {
  ByteSpan bytes;          // of the source, or of what prediction makes of it
  bool by_target = false;  // they stand at the positions of the target
  ByteSpan target;
  const Covers& covers;

  // What the cover copies to target[begin, end), and what stands there.
  [[nodiscard]] ByteSpan copied(const Cover& cover, std::uint64_t begin, std::uint64_t end) const {
    const std::uint64_t pos = by_target ? begin : cover.source_pos + (begin - cover.target_pos);
    return bytes.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(end - begin));
  }
  [[nodiscard]] ByteSpan wanted(std::uint64_t begin, std::uint64_t end) const {
    return target.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
};

// What one cover copies into one unit of the target, units being those of SubstitutionTable.
struct CopiedPiece {
  ByteSpan copied;
  ByteSpan wanted;
  std::uint64_t unit;
  std::uint64_t changed_bytes;
};
using CopiedPieces = std::vector<CopiedPiece>;

// Those with a change: substitutions are made only in units in which that is of use, so nothing is to be learned from the
// others. None if there is too little to mend for the time it takes: where they are large, more than most_search bytes
// for each changed one.
[[nodiscard]] CopiedPieces changed_pieces(const CopiedBytes& all, std::uint64_t most_search, WorkerPool& pool);

[[nodiscard]] inline std::uint64_t changed_bytes_of(const CopiedPieces& pieces) noexcept {
  std::uint64_t bytes = 0;
  for (const CopiedPiece& piece : pieces) bytes += piece.changed_bytes;
  return bytes;
}

// One in `ratio` pieces, so that about most_bytes are left.
struct PieceSample {
  CopiedPieces pieces;
  std::uint32_t ratio = 1;
};
[[nodiscard]] PieceSample sample_of(const CopiedPieces& pieces, std::uint64_t most_bytes);

// Pieces that one thread goes through at a time are a task. Calls body(task, piece) for all of them, by all threads.
// `Pieces`: CopiedPieces or a span of them, const or not.
inline constexpr std::size_t kTaskPieces = 64;
template <class Pieces, class Body>
void for_each_task_piece(Pieces& pieces, WorkerPool& pool, Body&& body) {
  pool.for_each((pieces.size() + kTaskPieces - 1) / kTaskPieces, [&](std::size_t task) {
    const std::size_t end = std::min(pieces.size(), (task + 1) * kTaskPieces);
    for (std::size_t i = task * kTaskPieces; i < end; ++i) body(task, pieces[i]);
    pool.advance();
  });
}

// The same for whom the task does not matter: body(piece).
template <class Pieces, class Body>
void for_each_piece(Pieces& pieces, WorkerPool& pool, Body&& body) {
  for_each_task_piece(pieces, pool, [&](std::size_t, auto& piece) { body(piece); });
}

}  // namespace bdelta
