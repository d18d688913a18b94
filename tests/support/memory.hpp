// create, apply and check over bytes in memory, and readers that misbehave on request.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <optional>

#include "bdelta/apply.hpp"
#include "bdelta/create.hpp"
#include "bdelta/inspect.hpp"
#include "format/apply_plan.hpp"
#include "io/memory_io.hpp"
#include "support/expect.hpp"

namespace bdelta::test {

// A reader as stdio gives it: no view. Faults are set by the test.
class HiddenReader final : public RandomReader {
 public:
  explicit HiddenReader(ByteSpan bytes) noexcept : bytes_(bytes) {}

  std::optional<std::uint64_t> claimed_size;  // instead of the real one
  std::optional<Error> read_error;            // every read fails with it
  std::optional<Error> unchanged_error;       // what check_unchanged says

  [[nodiscard]] std::uint64_t size() const noexcept override { return claimed_size.value_or(bytes_.size()); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;
  Status check_unchanged() override { return unchanged_error ? Status(*unchanged_error) : Status(); }

 private:
  ByteSpan bytes_;
};

// Grows as it is written to; counts the bytes so that gaps and overlaps show.
class BytesWriter final : public PositionedWriter {
 public:
  explicit BytesWriter(Bytes& to) noexcept : to_(to) {}

  Status write_at(std::uint64_t pos, ByteSpan bytes) override;
  Status finish() override { return {}; }
  [[nodiscard]] std::uint64_t written() const noexcept { return written_; }

 private:
  std::mutex mutex_;
  Bytes& to_;
  std::uint64_t written_ = 0;
};

// Fails once `limit` bytes have come, with a code of choice.
class FailingWriter final : public SequentialWriter {
 public:
  FailingWriter(std::uint64_t limit, ErrorCode code) noexcept : left_(limit), code_(code) {}
  Status write(ByteSpan bytes) override;
  Status finish() override { return {}; }

 private:
  std::uint64_t left_;
  ErrorCode code_;
};

enum class Sink { kPositioned, kSequential, kCheck };
inline constexpr Sink kAllSinks[] = {Sink::kPositioned, Sink::kSequential, Sink::kCheck};

struct MadePatch {
  Bytes bytes;
  Report report;
};
[[nodiscard]] Result<MadePatch> make_reported(ByteSpan source, ByteSpan target, const CreateOptions& options = {});
[[nodiscard]] Result<Bytes> make_patch(ByteSpan source, ByteSpan target, const CreateOptions& options = {});

// What was written. Sink::kCheck gives no bytes. A positioned target with holes is a failure of the test.
[[nodiscard]] Result<Bytes> apply_patch(ByteSpan source, ByteSpan patch, Sink sink = Sink::kPositioned,
                                        const ApplyOptions& options = {});

// NEW comes back from the patch, by one thread.
void expect_rebuilt(ByteSpan source, ByteSpan patch, ByteSpan target);

// The same through every sink, by one thread and by several.
void expect_rebuilt_everywhere(ByteSpan source, ByteSpan patch, ByteSpan target);

// The same from a patch that comes in pieces, of one byte up.
void expect_rebuilt_in_pieces(ByteSpan source, ByteSpan patch, ByteSpan target);

// What the patch says of itself; it has to be one.
[[nodiscard]] PatchInfo info_of(ByteSpan patch);

// What a patch brings for its windows, in memory of up to 1 GiB.
[[nodiscard]] ApplyPlan whole_plan_of(ByteSpan patch);

// What of it is about predictions; without prediction the test fails.
[[nodiscard]] PredictionPlan plan_of(ByteSpan patch);
// What a patch leaves to be filled in, and whether some of it has this shape.
[[nodiscard]] Fills fills_of(ByteSpan patch);
[[nodiscard]] bool has_fills(ByteSpan patch, FillShape shape);
[[nodiscard]] bool has_feature(ByteSpan patch, std::uint64_t feature);

// Makes a patch and applies it through every sink.
void expect_round_trip(ByteSpan source, ByteSpan target, const CreateOptions& options);

// Makes the patch of this level by one thread, and expects the same bytes of two and of seven. Gives the patch.
Bytes expect_same_patch_by_any_threads(ByteSpan source, ByteSpan target, int level);

[[nodiscard]] CreateOptions create_options(int level, PatchFormat format = PatchFormat::kBdt2, unsigned threads = 1);

}  // namespace bdelta::test
