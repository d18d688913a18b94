// Where groups begin and end, and which stretches are one plain copy.
#pragma once

#include "match/byte_range.hpp"
#include "model/window_encoder.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// The segments of one group, in target order.
using GroupOutline = std::vector<Segment>;

[[nodiscard]] std::uint64_t target_bytes(const GroupOutline& outline) noexcept;

inline constexpr std::size_t kMaxGroupSegments = 1024;

inline constexpr std::uint64_t kPlainBytes = std::uint64_t{1} << 20;  // least length of a plain segment, where nothing is said

// Outlines all of `range`, in which all covers lie. Exact stretches of plain_bytes or more inside covers become plain
// segments, which cost a few bytes whatever their length. The rest is coded, group_bytes of it at most in a group. What
// covers take from target_from on is never plain, nor is what lies in `predicted`, whose segments are predicted. Depends on
// no thread count.
[[nodiscard]] std::vector<GroupOutline> outline_groups(const FilePieces& source, const FilePieces& target,
                                                 const ByteRange& range, const Covers& covers,
                                                 std::uint64_t group_bytes, WorkerPool& pool,
                                                 std::uint64_t plain_bytes = kPlainBytes,
                                                 std::uint64_t target_from = kNoTargetCopies,
                                                 const ByteRanges& predicted = {});

// The segments, cut where these ranges begin and end, of which those in them are predicted.
[[nodiscard]] GroupOutline with_prediction(const GroupOutline& segments, const ByteRanges& predicted);

}  // namespace bdelta
