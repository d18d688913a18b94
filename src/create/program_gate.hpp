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

// Bytes that prediction saves of those of `counts`, each of which stands for `share`: of kinds that it foretells better than
// plain covers copy them. Covers that prediction finds are better than plain ones, so it saves two to five times as much. Where
// bytes of programs were changed at random it foretells no kind better.
[[nodiscard]] std::uint64_t saved_bytes(const exe::KindCounts& counts, std::uint64_t share) noexcept;

// Whether as many saved bytes are worth the time that prediction takes for a target of this size. make_byte_ns: of making,
// that a saved byte may take.
[[nodiscard]] bool is_prediction_worth_it(std::uint64_t saved_bytes, std::uint64_t target_size,
                                          std::uint64_t make_byte_ns) noexcept;

}  // namespace bdelta
