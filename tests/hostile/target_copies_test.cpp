// Patches that lie about copies of NEW.
#include "base/checked.hpp"
#include "delta/op.hpp"
#include "format/native/layout.hpp"
#include "support/craft.hpp"
#include "support/repeated.hpp"

namespace bdelta::test::target_copies_test {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

// A window of 20 bytes at 100: 10 literals, then a copy of NEW.
WindowDelta window_of(std::uint64_t pos, std::uint64_t length, std::uint64_t history_bytes) {
  WindowDelta window;
  window.target_pos = 100;
  window.target_length = 10 + length;
  window.literals.resize(10);
  window.history_bytes = history_bytes;
  window.ops = {{OpKind::kLiteral, 10, 0}, {OpKind::kTargetCopy, length, pos}};
  return window;
}

TEST(TargetCopyRange, IsWhatIsKeptAndWhole) {
  EXPECT_OK(validate_window(window_of(60, 10, 40), 0));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, validate_window(window_of(59, 10, 40), 0));  // too far back
  EXPECT_OK(validate_window(window_of(100, 10, 0), 0));                               // of the window itself
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, validate_window(window_of(101, 10, 0), 0));  // reaches into itself
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, validate_window(window_of(100, 11, 0), 0));
  EXPECT_OK(validate_window(window_of(0, 110, 100), 0));
  EXPECT_OK(validate_window(window_of(0, 110, kMost), 0));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, validate_window(window_of(0, 111, kMost), 0));
  for (const std::uint64_t pos : {std::uint64_t{110}, std::uint64_t{1} << 63, kMost - 9, kMost}) {
    SCOPED_TRACE(pos);
    EXPECT_FAILS(ErrorCode::kOpOutOfRange, validate_window(window_of(pos, 10, kMost), 0));
  }
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, validate_window(window_of(50, kMost - 9, kMost), 0));
}

TEST(TargetCopyRange, HasNoModelledBytes) {
  WindowDelta window = window_of(60, 10, 40);
  window.modelled.emplace();
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, validate_window(window, 0));
}

TEST(TargetCopyRange, ResidualCountsThem) {
  WindowDelta window = window_of(60, 10, 40);
  window.residual_runs = {{9, 1}};
  window.residual_values = {1};
  EXPECT_OK(validate_window(window, 0));
  window.residual_runs = {{10, 1}};
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, validate_window(window, 0));
}

struct Patch {
  SelfCopied pair = self_copied(9000, 3000, 1);
  SplitPatch split;

  Patch() {
    Craft craft;
    craft.window_bytes = 700;
    split = split_patch(craft_patch(pair.source, pair.target, pair.covers, craft));
  }

  [[nodiscard]] Result<Bytes> apply(const ApplyOptions& options = {}) const {
    return apply_patch(pair.source, with_header(split.header, split.body), Sink::kPositioned, options);
  }
};

TEST(TargetCopyHeader, TellsWhatIsKept) {
  Patch patch;
  ASSERT_OK(patch.apply());
  const std::uint64_t history_bytes = patch.split.header.history_bytes;
  ASSERT_GT(history_bytes, 2000u);
  patch.split.header.history_bytes = history_bytes - 1;
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, patch.apply());
  patch.split.header.history_bytes = 0;
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, patch.apply());
  // What is declared has room for it and for the decoders of a group.
  patch.split.header.decoder_memory_bytes += 1000;
  patch.split.header.history_bytes = history_bytes + 1000;
  EXPECT_OK(patch.apply());
  patch.split.header.history_bytes = history_bytes + 1001;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, patch.apply());
  patch.split.header.history_bytes = patch.split.header.decoder_memory_bytes + 1;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, patch.apply());
  patch.split.header.history_bytes = kMost;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, patch.apply());
}

TEST(TargetCopyHeader, IsHeldAgainstTheLimit) {
  Patch patch;
  ApplyOptions options;
  options.memory_limit_bytes = std::uint64_t{64} << 20;
  patch.split.header.history_bytes = patch.split.header.decoder_memory_bytes = options.memory_limit_bytes + 1;
  EXPECT_FAILS(ErrorCode::kMemoryLimit, patch.apply(options));
}

TEST(TargetCopyHeader, NeedsItsFeature) {
  Patch patch;
  patch.split.header.required_features = 0;
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, patch.apply());
  patch.split.header.required_features = native::kFeatureTargetCopies | native::kFeaturePrediction;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, patch.apply());
}

}  // namespace
}  // namespace bdelta::test::target_copies_test
