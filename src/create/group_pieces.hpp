// Groups encoded piece by piece, so that a single one is the work of all threads.
#pragma once

#include <functional>
#include <span>

#include "create/group_outline.hpp"
#include "model/group_draft.hpp"

namespace bdelta {

// Encodes segments that follow each other in group `group` of those asked for.
using EncodeSegments = std::function<GroupDraft(std::size_t group, const GroupOutline& segments)>;

// The groups of `outlines`, as `encode` makes them with windows of window_bytes. Pieces begin where windows do: cut or not, a
// group comes out the same, unless one of its windows is full before that. Whether they are cut, and where, may therefore
// depend on sizes and not on threads.
[[nodiscard]] std::vector<GroupDraft> encode_in_pieces(std::span<const GroupOutline> outlines, std::uint64_t window_bytes,
                                                       bool cuts, const EncodeSegments& encode, WorkerPool& pool);

}  // namespace bdelta
