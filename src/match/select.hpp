// The last passes over a list of covers: join, move borders, drop what does not pay. Those that take long share the work
// out to the pool, in stretches of as many covers for any number of threads, so that the result is the same.
#pragma once

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "match/params.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// Joins neighbours that touch, or that are parted by a few bytes, on one diagonal.
void join_covers(Covers& covers);

// Extends covers into the gaps beside them under the loose rule: ground that no better diagonal has claimed.
void loosen_covers(ByteSpan source, ByteSpan target, Covers& covers, WorkerPool& pool);

// Moves the border between two covers that touch to where the fewest bytes differ, and drops covers whose
// op costs more than the literals it saves.
void prune_covers(ByteSpan source, ByteSpan target, Covers& covers, WorkerPool& pool);

// Moves each border between two covers that touch, as far as both sides give the same bytes without a miss. It goes
// to the position in the target that ends in the most zero bits. So where files are made of blocks, lengths say how
// many.
void round_borders(ByteSpan source, ByteSpan target, Covers& covers, WorkerPool& pool);

}  // namespace bdelta
