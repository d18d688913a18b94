// The windows of a draft one by one, with their ops.
#pragma once

#include <span>
#include <vector>

#include "base/byte_cursor.hpp"
#include "delta/op.hpp"
#include "model/group_draft.hpp"

namespace bdelta {

class DraftWalk {
 public:
  // The draft must outlive the object.
  explicit DraftWalk(const GroupDraft& draft)
      : own_(std::span(draft.streams).first<kOpStreamCount>()), apart_(draft.apart), target_pos_(draft.target_pos) {}

  std::uint64_t target_pos = 0;
  std::uint64_t source_before = kNoSource;
  std::vector<DeltaOp> ops;

  // The window behind the one before.
  void take(const WindowRecord& record) {
    target_pos = target_pos_ += record.left_out_bytes;
    source_before = source_end_;
    ops.clear();
    OpCursors& from = record.predicted ? apart_ : own_;
    std::uint64_t done = 0;
    const std::uint64_t copies = record.plain ? 1 : record.copy_count;
    for (std::uint64_t i = 0; i < copies; ++i) {
      const std::uint64_t literal = record.plain ? 0 : from.literals.varint();
      const std::uint64_t length = record.plain ? record.target_length : from.copies.varint();
      diagonal_ += static_cast<std::uint64_t>(record.plain ? record.diagonal_change : from.diagonals.svarint());
      if (literal > 0) ops.push_back({OpKind::kLiteral, literal, 0});
      done += literal;
      ops.push_back({OpKind::kCopy, length, target_pos + done + diagonal_});
      done += length;
    }
    if (done < record.target_length) ops.push_back({OpKind::kLiteral, record.target_length - done, 0});
    target_pos_ += record.target_length;
    source_end_ = ops.back().kind == OpKind::kCopy ? ops.back().source_pos + ops.back().length : kNoSource;
  }

 private:
  struct OpCursors {
    explicit OpCursors(std::span<const Bytes, kOpStreamCount> streams)
        : literals(streams[kLiteralLengths]), copies(streams[kCopyLengths]), diagonals(streams[kDiagonals]) {}

    ByteCursor literals;
    ByteCursor copies;
    ByteCursor diagonals;
  };

  OpCursors own_;
  OpCursors apart_;
  std::uint64_t target_pos_;
  std::uint64_t diagonal_ = 0;
  std::uint64_t source_end_ = kNoSource;
};

}  // namespace bdelta
