// The residual is sparse and its places count over the copied bytes. So after each copy a cursor walks the runs
// that fall inside it and adds their values in place. Equal bytes are only ever moved by memcpy.
#include "apply/execute.hpp"

#include <algorithm>
#include <cstring>

#include "base/try.hpp"

namespace bdelta {
namespace {

// Ops between two looks at the watch: the fields of an op may have to be found, which takes some milliseconds.
constexpr std::uint32_t kOpsToLook = 4;
constexpr std::uint32_t kPlainOpsToLook = 1024;

class ResidualCursor {
 public:
  explicit ResidualCursor(const WindowDelta& window) noexcept
      : run_(window.residual_runs.data()), end_(run_ + window.residual_runs.size()),
        value_(window.residual_values.data()) {
    next_run();
  }

  // Adds what falls on the copied bytes [copied_, copied_ + length), which stand at `at`.
  void add(std::uint8_t* at, std::uint64_t length) noexcept {
    const std::uint64_t end = copied_ + length;
    while (pos_ < end) {
      std::uint64_t count = left_;
      if (count > end - pos_) count = end - pos_;
      std::uint8_t* to = at + (pos_ - copied_);
      for (std::uint64_t i = 0; i < count; ++i) to[i] = static_cast<std::uint8_t>(to[i] + value_[i]);
      value_ += count;
      pos_ += count;
      left_ -= count;
      if (left_ == 0) next_run();
    }
    copied_ = end;
  }

 private:
  void next_run() noexcept {
    if (run_ == end_) {
      pos_ = ~std::uint64_t{0};
      return;
    }
    pos_ += run_->gap;
    left_ = run_->length;
    ++run_;
  }

  const ResidualRun* run_;
  const ResidualRun* end_;
  const std::uint8_t* value_;
  std::uint64_t pos_ = 0;     // of the next byte to change, in copied bytes
  std::uint64_t left_ = 0;    // bytes of the current run
  std::uint64_t copied_ = 0;  // bytes copied so far
};

// What stands in front of the window comes from the history, the rest from what of the window is made.
void copy_target(const WindowDelta& window, const DeltaOp& op, const TargetHistory* history, ByteSpan made,
                 std::uint8_t* at) {
  const std::uint64_t before =
      op.source_pos < window.target_pos ? std::min(op.length, window.target_pos - op.source_pos) : 0;
  const auto old_length = static_cast<std::size_t>(before);
  if (before > 0) history->read(op.source_pos, {at, old_length});
  auto left = static_cast<std::size_t>(op.length - before);
  if (left == 0) return;
  const std::uint8_t* const from = made.data() + static_cast<std::size_t>(op.source_pos + before - window.target_pos);
  // A copy that overlaps itself goes on with what it has made: each time there is twice as much of it.
  for (std::uint8_t* to = at + old_length; left > 0;) {
    const std::size_t some = std::min(left, static_cast<std::size_t>(to - from));
    std::memcpy(to, from, some);
    to += some;
    left -= some;
  }
}

}  // namespace

Status execute_window(const WindowDelta& window, const PredictedCopies* predicted, ExecuteCaches& caches,
                      MutableByteSpan out, const TargetHistory* history) {
  ResidualCursor residual(window);
  std::uint8_t* at = out.data();
  const std::uint8_t* literal = window.literals.data();
  Pace pace(caches.watch, window.predicted ? kOpsToLook : kPlainOpsToLook);
  for (const DeltaOp& op : window.ops) {
    pace.step();
    const auto length = static_cast<std::size_t>(op.length);
    if (op.kind == OpKind::kLiteral) {
      if (!window.models_literals()) {  // coded ones come to their place later
        std::memcpy(at, literal, length);
        literal += length;
      }
    } else if (op.kind == OpKind::kCopy) {
      BDELTA_TRY(caches.source.read(op.source_pos, {at, length}));
      if (window.predicted) {
        const auto done = static_cast<std::uint64_t>(at - out.data());
        predicted->predict(window.target_pos + done, {at, length}, *caches.fields);
      }
      if (window.substitutions) {
        window.substitutions->replace_at(window.target_pos + static_cast<std::uint64_t>(at - out.data()), {at, length});
      }
      residual.add(at, op.length);
    } else if (op.kind == OpKind::kTargetCopy) {
      copy_target(window, op, history, out, at);
      residual.add(at, op.length);
    } else {
      std::memset(at, *literal++, length);
    }
    at += length;
  }
  return {};
}

}  // namespace bdelta
