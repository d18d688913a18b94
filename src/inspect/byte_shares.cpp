#include "inspect/byte_shares.hpp"

#include <algorithm>
#include <limits>

#include "base/varint.hpp"

namespace bdelta::inspecting {
namespace {

constexpr std::uint32_t kAllStreams = (1u << (2 * kStreamCount)) - 1;

const char* kind_of(std::size_t stream) noexcept {
  stream %= kStreamCount;
  if (stream == kLiterals) return "literals";
  if (stream == kModelledCode) return "modelled";
  return is_residual(stream) ? "residuals" : "copies";
}

}  // namespace

void ByteShares::add_code(const MeteredGroup& group, std::uint64_t bytes, std::uint32_t streams) {
  if (bytes == 0) return;
  if (group.kind == GroupKind::kCovers) streams <<= kStreamCount;
  codes_.push_back({group.target_pos, group.target_pos + group.target_bytes, bytes, streams});
}

void ByteShares::add_group(const MeteredGroup& group) {
  std::uint64_t rest_bytes = group.patch_bytes - group.code_bytes;
  add_code(group, group.code_bytes, group.code_streams);
  for (std::size_t stream = 0; stream < kStreamCount; ++stream) {
    rest_bytes -= group.coded_bytes[stream];
    add_code(group, group.coded_bytes[stream], 1u << stream);
  }
  add_part("tables", rest_bytes);
}

void ByteShares::end(std::uint64_t patch_bytes, std::uint64_t target_bytes) {
  if (!codes_.empty() || !parts_.empty()) return;
  codes_.push_back({0, target_bytes, patch_bytes, kAllStreams});
}

void ByteShares::add(std::uint64_t pos, std::uint64_t length, std::size_t stream, std::uint64_t weight) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  items_.push_back({pos, static_cast<std::uint32_t>(std::min(length, kMost)), static_cast<std::uint8_t>(stream),
                    static_cast<std::uint32_t>(std::min(weight, kMost))});
}

void ByteShares::add_window(const WindowDelta& window, ByteSpan made, const std::vector<Run>& changed) {
  window_items_.push_back(items_.size());
  window_pos_.push_back(window.target_pos);
  if (window.is_plain()) {
    diagonal_ = static_cast<std::int64_t>(window.ops[0].source_pos - window.target_pos);
    return;
  }
  add_ops(window, made);
  add_residual(window);
  std::uint64_t end = window.target_pos;
  for (const Run& run : changed) {
    add(run.pos, 0, kModelledCode, varint_bytes(run.pos - end) + run.length);
    end = run.pos + run.length;
  }
}

void ByteShares::add_ops(const WindowDelta& window, ByteSpan made) {
  const std::size_t apart = window.predicted ? kStreamCount : 0;
  const std::size_t literal_stream = window.models_literals() ? kModelledCode : kLiterals;
  std::uint64_t pos = window.target_pos;
  std::uint64_t literal_bytes = 0;
  for (const DeltaOp& op : window.ops) {
    if (is_copy(op.kind)) {
      const auto diagonal = static_cast<std::int64_t>(op.source_pos - pos);
      add(pos, 0, apart + kLiteralLengths, varint_bytes(literal_bytes));
      add(pos, 0, apart + kCopyLengths, varint_bytes(op.length));
      add(pos, 0, apart + kDiagonals, varint_bytes(zigzag(diagonal - diagonal_)));
      diagonal_ = diagonal;
      literal_bytes = 0;
    } else {
      add_literal(op, pos, made.empty() ? made : made.subspan(static_cast<std::size_t>(pos - window.target_pos), static_cast<std::size_t>(op.length)),
                  literal_stream);
      literal_bytes = op.length;
    }
    pos += op.length;
  }
}

// In pieces, each with what it is likely to take, where its bytes are known.
void ByteShares::add_literal(const DeltaOp& op, std::uint64_t pos, ByteSpan bytes, std::size_t stream) {
  if (op.kind == OpKind::kRun || bytes.empty()) return add(pos, op.length, stream, op.kind == OpKind::kRun ? 1 : op.length);
  std::uint64_t left = op.length;
  for (const std::uint64_t cost : literal_cost_.estimate(bytes)) {
    const std::uint64_t some = std::min<std::uint64_t>(left, LiteralCost::kPieceBytes);
    add(pos, some, stream, cost);
    pos += some;
    left -= some;
  }
}

// Its positions count over copied bytes alone.
void ByteShares::add_residual(const WindowDelta& window) {
  std::uint64_t pos = window.target_pos;
  std::uint64_t copied_end = 0;
  std::uint64_t at = 0;  // of the run, in copied bytes
  auto run = window.residual_runs.begin();
  for (const DeltaOp& op : window.ops) {
    if (is_copy(op.kind)) {
      const std::uint64_t copied_begin = copied_end;
      copied_end += op.length;
      for (; run != window.residual_runs.end() && at + run->gap < copied_end; ++run) {
        const std::uint64_t place = pos + (at + run->gap - copied_begin);
        add(place, 0, kResidualGaps, varint_bytes(run->gap));
        add(place, 0, kResidualLengths, varint_bytes(run->length - 1));
        add(place, 0, kResidualValues, run->length);
        at += run->gap + run->length;
      }
    }
    pos += op.length;
  }
}

void ByteShares::share(const Take& take) {
  for (const Code& code : codes_) {
    // Covers and windows need not begin together, so the window in front is looked at, too.
    const auto behind = std::upper_bound(window_pos_.begin(), window_pos_.end(), code.target_pos);
    const auto number = static_cast<std::size_t>(behind - window_pos_.begin());
    const std::size_t first = number == 0 ? items_.size() : window_items_[number - 1];
    const auto end_window = std::lower_bound(window_pos_.begin(), window_pos_.end(), code.target_end);
    const auto end_number = static_cast<std::size_t>(end_window - window_pos_.begin());
    const std::size_t end = end_number == window_pos_.size() ? items_.size() : window_items_[end_number];
    const auto is_in = [&](const CodedItem& item) {
      return (code.streams >> item.stream & 1) != 0 && item.target_pos >= code.target_pos && item.target_pos < code.target_end;
    };
    std::uint64_t weight = 0;
    for (std::size_t i = first; i < end; ++i) weight += is_in(items_[i]) ? items_[i].weight : 0;
    if (weight == 0) {
      parts_[code.streams == 1u << kModelledCode ? "modelled" : "tables"] += code.bytes;
      continue;
    }
    std::uint64_t passed = 0;
    std::uint64_t given = 0;
    for (std::size_t i = first; i < end; ++i) {
      const CodedItem& item = items_[i];
      if (!is_in(item)) continue;
      passed += item.weight;
      const double share = static_cast<double>(code.bytes) * static_cast<double>(passed) / static_cast<double>(weight);
      const std::uint64_t until = passed == weight ? code.bytes : std::min(static_cast<std::uint64_t>(share), code.bytes);
      const char* const kind = kind_of(item.stream);
      parts_[kind] += until - given;
      if (until > given) take(item, kind, until - given);
      given = until;
    }
  }
}

}  // namespace bdelta::inspecting
