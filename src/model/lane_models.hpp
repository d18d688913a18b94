// The modelled bytes of a lane's windows: literals and missed bytes in the order of the target, one code for both.
// MODELLED_BYTES.md beside this file is the specification.
#pragma once

#include <memory>
#include <span>

#include "delta/op.hpp"
#include "model/modelled_scope.hpp"
#include "model/literal_model.hpp"
#include "model/miss_model.hpp"

namespace bdelta {

namespace mix {

class LaneModels {
 public:
  LaneModels(const ModelledScope& scope, RandomReader& source) : source_(source) {
    if (scope.literals) literals_ = std::make_unique<LiteralModel>(source);
    if (scope.misses) misses_ = std::make_unique<MissModel>(scope.miss_log);
  }

  // `out` is the window at target_pos: what its copies give stands there, and what is not coded as it is in the end.
  // Encoding takes the rest from `target`, the window as it is in the end; decoding makes it. source_before: see
  // ModelledPart. Errors are those of the source. The watch may be null; it is asked every few milliseconds, and when
  // decoding it counts bytes of the window.
  template <class Coder>
  Status code(Coder& coder, std::uint64_t target_pos, std::span<const DeltaOp> ops, std::uint64_t source_before,
              MutableByteSpan out, const std::uint8_t* target, Watch* watch) {
    BDELTA_TRY(begin(source_before));
    UnitPace pace(watch, kBytesPerLook, Coder::kDecoding);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < ops.size(); ++i) {
      const auto length = static_cast<std::size_t>(ops[i].length);
      const MutableByteSpan bytes = out.subspan(static_cast<std::size_t>(at), length);
      const std::uint8_t* wanted = Coder::kDecoding ? nullptr : target + at;
      if (ops[i].kind == OpKind::kCopy) {
        source_before = ops[i].source_pos + ops[i].length;
        if (misses_) misses_->code(coder, target_pos + at, bytes, wanted, watch);
        pace.step(length, copy_work(length));
      } else if (literals_) {
        LiteralRun run{ops[i].length, target_pos + at, source_before, kNoSource, before_};
        if (i + 1 < ops.size()) run.source_after = ops[i + 1].source_pos;
        BDELTA_TRY(code_literals(coder, run, bytes, wanted, pace));
      } else {
        pace.step(length, copy_work(length));
      }
      note(bytes);
      at += length;
    }
    pace.look();
    return {};
  }

  // Copied bytes that have changed so far.
  [[nodiscard]] std::uint64_t changed_count() const noexcept { return misses_ ? misses_->changed_count() : 0; }

 private:
  // Of an op without literals, in bytes with them: what it takes beside what its model looks for itself.
  static constexpr std::uint64_t copy_work(std::uint64_t length) noexcept { return 1 + length / 256; }

  static constexpr std::uint32_t kBytesPerLook = 256;  // a byte may bring long runs of others with it

  // The bytes in front of the window are not at hand; what the copy gave that ends there is nearly the same.
  Status begin(std::uint64_t source_before) {
    before_.fill(0);
    if (!literals_ || source_before > source_.size()) return {};
    const std::size_t known = std::min<std::size_t>(before_.size(), static_cast<std::size_t>(source_before));
    if (known == 0) return {};
    return source_.read_at(source_before - known, MutableByteSpan(before_).subspan(before_.size() - known));
  }

  void note(ByteSpan bytes) {
    const std::size_t count = std::min(bytes.size(), before_.size());
    std::copy(before_.begin() + static_cast<std::ptrdiff_t>(count), before_.end(), before_.begin());
    const auto step = static_cast<std::ptrdiff_t>(count);
    std::copy(bytes.end() - step, bytes.end(), before_.end() - step);
  }

  template <class Coder>
  Status code_literals(Coder& coder, const LiteralRun& run, MutableByteSpan bytes, const std::uint8_t* target,
                       UnitPace& pace) {
    coder.enter(kLiterals);
    BDELTA_TRY(literals_->begin(run));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = literals_->code(coder, Coder::kDecoding ? std::uint8_t{0} : target[i]);
      pace.step(1, 1);
    }
    return {};
  }

  RandomReader& source_;
  std::unique_ptr<LiteralModel> literals_;
  std::unique_ptr<MissModel> misses_;
  std::array<std::uint8_t, 8> before_{};  // the target bytes in front of the place, the nearest last
};

}  // namespace mix
}  // namespace bdelta
