// Read, process, write: in turn, or in three threads with a bounded number of blocks between them.
#pragma once

#include <functional>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"

namespace io_study {

inline constexpr std::size_t kOverlapBlockBytes = std::size_t{256} << 10;
// Blocks that go round in three threads: one in each stage and one waiting before the next.
inline constexpr std::size_t kBlocksInTurn = 5;

// Gives what is to be written for a block: `in` itself, or what it put into `out`, whose memory is used again. `last` is
// true once, for the last block, which may be empty.
using Process = std::function<bdelta::ByteSpan(bdelta::ByteSpan in, bdelta::Bytes& out, bool last)>;

// Both throw the first failure of any stage; `to` is not finished.
void run_in_turn(bdelta::SequentialReader& from, bdelta::SequentialWriter& to, const Process& process);
void run_overlapped(bdelta::SequentialReader& from, bdelta::SequentialWriter& to, const Process& process);

}  // namespace io_study
