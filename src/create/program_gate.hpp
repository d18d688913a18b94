// Whether programs of a pair are worth a thought, before anything large is made for them.
#pragma once

#include <cstdint>

#include "exe/choose_kinds.hpp"

namespace bdelta {

// Bytes that prediction saves of those of `counts`: of kinds that it foretells better than
// plain covers copy them. Covers that prediction finds are better than plain ones, so it saves two to five times as much. Where
// bytes of programs were changed at random it foretells no kind better.
[[nodiscard]] std::uint64_t saved_bytes(const exe::KindCounts& counts) noexcept;

// Whether as many saved bytes are worth the time that prediction takes for a target of this size. make_byte_ns: of making,
// that a saved byte may take.
[[nodiscard]] bool is_prediction_worth_it(std::uint64_t saved_bytes, std::uint64_t target_size,
                                          std::uint64_t make_byte_ns) noexcept;

}  // namespace bdelta
