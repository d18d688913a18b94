// Waist 2: what every patch format stores and reads. One executor applies the ops of every format.
//
// The ops of a window, in order, give its target bytes:
//   window  := (literal | run | copy | target copy)*
//   literal := the next `length` bytes of `literals`
//   run     := the next byte of `literals`, `length` times
//   copy    := source[source_pos, + length), with fields predicted where the window says so, substitutions made, plus the residual
//   target copy := target[source_pos, + length), which lies before it and is whole already, plus the residual; of a format
//                  with overlapping copies it may reach into itself, before the residual is added
// The residual is sparse: runs of bytes to add (modulo 256) to the copied bytes. Its positions count over the copied
// bytes of the window alone, as if all copies stood one behind the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/error.hpp"
#include "delta/capabilities.hpp"
#include "delta/modelled_bytes.hpp"
#include "delta/substitution_table.hpp"

namespace bdelta {

enum class OpKind : std::uint8_t { kLiteral = 0, kCopy = 1, kRun = 2, kTargetCopy = 3 };

[[nodiscard]] constexpr bool is_copy(OpKind kind) noexcept { return (static_cast<unsigned>(kind) & 1) != 0; }

struct DeltaOp {
  OpKind kind = OpKind::kLiteral;
  std::uint64_t length = 0;
  std::uint64_t source_pos = 0;  // of copies; of target copies a position of the target
};

struct ResidualRun {
  std::uint32_t gap;     // copied bytes since the end of the run before (or the window's first copied byte)
  std::uint32_t length;  // bytes that change, one value each
};

// One window, decoded. Reused from window to window, so that its memory is.
struct WindowDelta {
  std::uint64_t target_pos = 0;
  std::uint64_t target_length = 0;
  bool has_checksum = false;
  std::uint32_t checksum = 0;  // of the window's target bytes, see hash/xxh3.hpp
  std::vector<DeltaOp> ops;
  std::vector<ResidualRun> residual_runs;
  Bytes residual_values;
  Bytes literals;
  std::uint64_t history_bytes = 0;  // how far in front of the window its target copies may begin
  bool predicted = false;  // its copies are of programs, whose fields an applier predicts
  const SubstitutionTable* substitutions = nullptr;  // may be null; whose it is, lives as long as the reader

  // Set where literals, residual or both are coded: they are then empty above, and `code` has them.
  std::optional<ModelledPart> modelled;
  Bytes code;

  [[nodiscard]] bool models_literals() const noexcept { return modelled && modelled->scope.literals; }

  [[nodiscard]] bool reads_target() const noexcept {
    return std::any_of(ops.begin(), ops.end(), [](const DeltaOp& op) { return op.kind == OpKind::kTargetCopy; });
  }

  // A window that is one copy of the source as it is; it may be of any length.
  [[nodiscard]] bool is_plain() const noexcept {
    return ops.size() == 1 && ops[0].kind == OpKind::kCopy && residual_runs.empty() && !modelled && !substitutions &&
           !predicted;
  }
};

// Proves that executing `window` stays inside the source, the literals, the residual, and, as far as its history
// reaches, the target in front of each target copy. It gives exactly target_length bytes and takes no more than the
// capabilities of its format. The executor relies on it. Errors: kOpOutOfRange, kPatchCorrupt.
Status validate_window(const WindowDelta& window, std::uint64_t source_size, const Capabilities& capabilities = {});

}  // namespace bdelta
