// Whether programs of a pair are worth a thought, before anything large is made for them.
#pragma once

#include <cstdint>
#include <vector>

#include "bdelta/io.hpp"
#include "delta/cover.hpp"
#include "exe/choose_kinds.hpp"
#include "exe/image.hpp"
#include "match/diagonal.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// What a fast search finds of the source.
[[nodiscard]] Covers find_plain_covers(ByteSpan source, ByteSpan target, const Diagonals& diagonals, WorkerPool& pool);

// Bytes that differ from what covers (valid, ascending) copy: of the whole target, and in these images of it.
struct PlainChanges {
  std::uint64_t all_bytes = 0;
  std::uint64_t program_bytes = 0;
};
[[nodiscard]] PlainChanges count_changes(ByteSpan source, ByteSpan target, const Covers& covers,
                                         const std::vector<exe::Image>& images, WorkerPool& pool);

// True if enough of the target differs, and of that enough in its images.
[[nodiscard]] bool is_prediction_worth_it(const PlainChanges& changes, std::uint64_t target_size) noexcept;

// The same once fields have been looked at: true if of those of `kinds` that plain covers copy one in `foretold_share` is
// foretold by these, or they are too few to tell. 0: always.
[[nodiscard]] bool are_fields_foretold(const exe::KindCounts& counts, exe::KindSet kinds,
                                       std::uint64_t foretold_share) noexcept;

// False if of those of `kinds` nearly all are right as plain covers copy them, and prediction would put right next to
// none of the `changed_bytes` where they were counted. True of too few to tell.
[[nodiscard]] bool are_fields_changed(const exe::KindCounts& counts, exe::KindSet kinds,
                                      std::uint64_t changed_bytes) noexcept;

}  // namespace bdelta
