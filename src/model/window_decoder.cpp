#include "model/window_decoder.hpp"

#include <algorithm>
#include <utility>

#include "base/byte_cursor.hpp"
#include "base/varint.hpp"
#include "delta/window_fault.hpp"

namespace bdelta {
namespace {

void add_literal(WindowDelta& window, std::uint64_t length) {
  if (length > 0) window.ops.push_back({OpKind::kLiteral, length, 0});
}

Status decode_ops(const WindowRecord& record, const StreamBytes& streams, std::int64_t& diagonal,
                  WindowDelta& window) {
  ByteCursor literal_lengths(streams[kLiteralLengths]);
  ByteCursor copy_lengths(streams[kCopyLengths]);
  ByteCursor diagonals(streams[kDiagonals]);
  // Each length takes a byte, so that no more is reserved than the patch can fill.
  window.ops.reserve(2 * std::min<std::size_t>(record.copy_count, streams[kCopyLengths].size()) + 1);
  std::uint64_t done = 0;
  for (std::uint64_t i = 0; i < record.copy_count; ++i) {
    const std::uint64_t literal = literal_lengths.varint();
    const std::uint64_t copy = copy_lengths.varint();
    const std::int64_t change = diagonals.svarint();
    // Lengths are held below the window's before they are added; positions wrap harmlessly and are validated later.
    if (literal > record.target_length - done) return corrupt_window(window, "has literals beyond its end");
    done += literal;
    if (copy == 0 || copy > record.target_length - done) return corrupt_window(window, "has a copy beyond its end");
    diagonal = static_cast<std::int64_t>(static_cast<std::uint64_t>(diagonal) + static_cast<std::uint64_t>(change));
    add_literal(window, literal);
    window.ops.push_back({OpKind::kCopy, copy, window.target_pos + done + static_cast<std::uint64_t>(diagonal)});
    done += copy;
  }
  add_literal(window, record.target_length - done);
  for (const ByteCursor* cursor : {&literal_lengths, &copy_lengths, &diagonals}) {
    if (!cursor->ok()) return corrupt_window(window, "ends inside its ops");
    if (cursor->available() != 0) return corrupt_window(window, "has bytes left behind its ops");
  }
  return {};
}

Status decode_residual(const StreamBytes& streams, WindowDelta& window) {
  ByteCursor gaps(streams[kResidualGaps]);
  ByteCursor lengths(streams[kResidualLengths]);
  window.residual_runs.reserve(std::min<std::size_t>(streams[kResidualGaps].size(), kMaxWindowRuns));
  while (gaps.available() > 0) {
    const std::uint64_t gap = gaps.varint();
    const std::uint64_t length = lengths.varint();
    if (window.residual_runs.size() >= kMaxWindowRuns) return corrupt_window(window, "has more residual runs than are allowed");
    if (gap >= kMaxWindowBytes || length >= kMaxWindowBytes) return corrupt_window(window, "has a residual run beyond its end");
    window.residual_runs.push_back({static_cast<std::uint32_t>(gap), static_cast<std::uint32_t>(length + 1)});
  }
  if (!gaps.ok() || !lengths.ok() || lengths.available() != 0) return corrupt_window(window, "has a broken residual");
  return {};
}

}  // namespace

const char* stream_name(std::size_t id) noexcept {
  static constexpr const char* kNames[kStreamCount] = {"literal_lengths",  "copy_lengths",    "diagonals", "residual_gaps",
                                                       "residual_lengths", "residual_values", "literals", "modelled"};
  return id < kStreamCount ? kNames[id] : "unknown";
}

Status decode_covers(const WindowRecord& record, const StreamBytes& streams, std::uint64_t target_pos,
                     std::int64_t& diagonal, Covers& covers) {
  WindowDelta window;
  window.target_pos = target_pos;
  if (Status ops = decode_ops(record, streams, diagonal, window); !ops) return ops;
  for (const DeltaOp& op : window.ops) {
    if (op.kind == OpKind::kCopy) add_joined(covers, {op.source_pos, target_pos, op.length});
    target_pos += op.length;
  }
  return {};
}

void CoverStreams::fill(std::uint64_t target_pos, std::int64_t diagonal, WindowRecord& record, StreamBytes& streams) {
  for (std::size_t id = 0; id < kOpStreamCount; ++id) streams[id].clear();
  const std::uint64_t end = target_pos + record.target_length;
  std::uint64_t done = target_pos;
  while (next_ < covers_.size() && covers_[next_].target_end() <= target_pos) ++next_;
  for (; next_ < covers_.size() && covers_[next_].target_pos < end; ++next_) {
    const Cover& cover = covers_[next_];
    const std::uint64_t from = std::max(cover.target_pos, target_pos);
    const std::uint64_t to = std::min(cover.target_end(), end);
    append_varint(streams[kLiteralLengths], from - done);
    append_varint(streams[kCopyLengths], to - from);
    append_varint(streams[kDiagonals], zigzag(cover.diagonal() - diagonal));
    diagonal = cover.diagonal();
    ++record.copy_count;
    done = to;
    if (to < cover.target_end()) break;
  }
  for (std::size_t id = 0; id < kOpStreamCount; ++id) record.sizes[id] = streams[id].size();
}

Status decode_window(const WindowRecord& record, StreamBytes& streams, std::int64_t& diagonal, WindowDelta& window) {
  window.target_length = record.target_length;
  window.has_checksum = !record.plain;
  window.predicted = record.predicted;
  window.checksum = record.checksum;
  window.ops.clear();
  window.residual_runs.clear();
  window.residual_values.clear();
  window.literals.clear();
  if (record.plain) {
    diagonal = static_cast<std::int64_t>(static_cast<std::uint64_t>(diagonal) +
                                         static_cast<std::uint64_t>(record.diagonal_change));
    window.ops.push_back(
        {OpKind::kCopy, record.target_length, window.target_pos + static_cast<std::uint64_t>(diagonal)});
    return {};
  }
  if (Status ops = decode_ops(record, streams, diagonal, window); !ops) return ops;
  if (Status residual = decode_residual(streams, window); !residual) return residual;
  std::swap(window.residual_values, streams[kResidualValues]);
  std::swap(window.literals, streams[kLiterals]);
  return {};
}

}  // namespace bdelta
