// Windows with modelled bytes beside others that copy NEW, in one group.
#include "format/format.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/read_plan.hpp"
#include "support/repeated.hpp"

namespace bdelta::test::mixed_windows_test {
namespace {

constexpr std::size_t kPartBytes = 12'000;
constexpr std::uint64_t kOnlyGroup = 1 << 20;

Craft mixed_craft(std::uint64_t window_bytes, bool model, std::uint64_t lane_bytes) {
  Craft craft;
  craft.codec = {CodecId::kLzma, 6, 0};
  craft.modelled_literals = craft.modelled_misses = true;
  craft.model = model;
  craft.window_bytes = window_bytes;
  craft.group_bytes = kOnlyGroup;
  craft.lane_bytes = lane_bytes;
  return craft;
}

struct WindowCounts {
  int modelled = 0;
  int copying = 0;  // of NEW
};

WindowCounts windows_of(const Bytes& patch) {
  WindowCounts counts;
  io::MemorySequentialReader from(patch);
  io::TypedReader reader(from);
  const auto opened = open_patch(reader, ~std::uint64_t{0});
  EXPECT_OK(opened);
  EXPECT_OK(read_whole_plan(**opened));
  for (;;) {
    WindowDelta window;
    const auto more = (*opened)->next(window);
    EXPECT_OK(more);
    if (!more || !*more) return counts;
    counts.modelled += window.modelled.has_value();
    counts.copying += window.reads_target();
  }
}

TEST(MixedWindows, CopiesOfNewStandBesideModelledBytes) {
  const SelfCopied pair = partly_self_copied(kPartBytes, 1);
  for (const std::uint64_t window_bytes : {1000u, 5000u}) {
    for (const std::uint64_t lane_bytes : {std::uint64_t{0}, kOnlyGroup}) {
      for (const bool model : {false, true}) {
        SCOPED_TRACE(::testing::Message() << window_bytes << ' ' << lane_bytes << ' ' << model);
        const Bytes patch = craft_patch(pair.source, pair.target, pair.covers, mixed_craft(window_bytes, model, lane_bytes));
        const WindowCounts counts = windows_of(patch);
        EXPECT_GE(counts.modelled, 4);
        EXPECT_GE(counts.copying, 2);
        expect_rebuilt_everywhere(pair.source, patch, pair.target);
        expect_rebuilt_in_pieces(pair.source, patch, pair.target);
      }
    }
  }
}

TEST(MixedWindows, AreSmallerThanWithoutModelsOrCopiesOfNew) {
  const SelfCopied pair = partly_self_copied(kPartBytes, 2);
  Craft craft = mixed_craft(4000, true, kOnlyGroup);
  const std::size_t mixed = craft_patch(pair.source, pair.target, pair.covers, craft).size();
  Covers of_source = pair.covers;
  of_source[1].source_pos = 0;
  EXPECT_LT(mixed, craft_patch(pair.source, pair.target, of_source, craft).size());
  craft.modelled_literals = craft.modelled_misses = false;
  EXPECT_LT(mixed, craft_patch(pair.source, pair.target, pair.covers, craft).size());
}

TEST(MixedWindows, BesidePredictedOnesComeBack) {
  const SelfCopied pair = partly_self_copied(kPartBytes, 3);
  Craft craft = mixed_craft(3000, true, 0);
  craft.covers_apart = true;
  craft.predicted = {{0, kPartBytes / 2}, {2 * kPartBytes, 5 * kPartBytes / 2}};
  const Bytes patch = craft_patch(pair.source, pair.target, pair.covers, craft);
  const WindowCounts counts = windows_of(patch);
  EXPECT_GE(counts.modelled, 4);
  EXPECT_GE(counts.copying, 2);
  expect_rebuilt_everywhere(pair.source, patch, pair.target);
}

// The head of the only group: form, model byte, two numbers of models and a log, and then the windows.
TEST(MixedWindows, BitsThatContradictAreRefused) {
  const SelfCopied pair = partly_self_copied(4000, 7);
  const SplitPatch split = split_patch(craft_patch(pair.source, pair.target, pair.covers, mixed_craft(2000, false, kOnlyGroup)));
  ByteCursor cursor(ByteSpan(split.body).subspan(1));
  for (int i = 0; i < 3; ++i) (void)cursor.varint();
  const auto windows_at = static_cast<std::size_t>(cursor.position() - split.body.data()) + 5;
  ASSERT_EQ(native::kFormModelledBytes, split.body[windows_at - 5]);
  const std::size_t first = windows_at + 1;
  ASSERT_EQ(native::kWindowCoded | native::kWindowModelled, split.body[first] & 15u);
  const auto with_bits = [&](unsigned bits) {
    Bytes body = split.body;
    body[first] = static_cast<std::uint8_t>(body[first] ^ bits);
    return apply_patch(pair.source, with_header(split.header, body));
  };
  ASSERT_OK(with_bits(0));
  for (const unsigned bits : {native::kWindowModelled, native::kWindowCovers, native::kWindowPredicted,
                              native::kWindowModelled | native::kWindowCovers}) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, with_bits(bits));
  }
}

TEST(MixedWindows, FewerLanesThanTheyWereCodedInAreSeen) {
  const SelfCopied pair = partly_self_copied(4000, 8);
  const SplitPatch split = split_patch(craft_patch(pair.source, pair.target, pair.covers, mixed_craft(1000, false, 0)));
  ByteCursor cursor(ByteSpan(split.body).subspan(1));
  for (int i = 0; i < 3; ++i) (void)cursor.varint();
  Bytes body = split.body;
  std::uint8_t& model_byte = body[static_cast<std::size_t>(cursor.position() - split.body.data()) + 1];
  ASSERT_EQ(native::kModelledLiterals | native::kModelledMisses | native::kModelledTwoLanes, model_byte);
  model_byte &= static_cast<std::uint8_t>(~native::kModelledTwoLanes);
  EXPECT_FAILS(ErrorCode::kWindowChecksum, apply_patch(pair.source, with_header(split.header, body)));
}

}  // namespace
}  // namespace bdelta::test::mixed_windows_test
