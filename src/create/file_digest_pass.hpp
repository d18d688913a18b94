// Finds the digests of files in lists of the target that an applier can compute (delta/file_digests.hpp).
#pragma once

#include <vector>

#include "delta/file_digests.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// What is to stand in the target instead of a digest, so that it costs nothing.
struct OtherText {
  std::uint64_t pos = 0;  // in the target
  DigestText bytes{};
};

struct LeftOutDigests {
  FileDigests digests;            // sound; proven: each is that of its data
  std::vector<OtherText> others;  // one for each, in the order of the lists
};

// Where enough digests have changed to be worth a record; nothing else. Those of the smallest files, which have no more
// than most_hashed_bytes together.
[[nodiscard]] LeftOutDigests find_file_digests(ByteSpan source, ByteSpan target, std::uint64_t most_hashed_bytes,
                                               WorkerPool& pool);

}  // namespace bdelta
