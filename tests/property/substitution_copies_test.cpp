// Substitutions by hand: NEW comes back from every form of group, whatever cuts copies.
#include "format/native/layout.hpp"
#include "model/streams.hpp"
#include "support/craft.hpp"
#include "support/renumbered.hpp"

namespace bdelta::test::substitution_copies_test {
namespace {

// Copies cut by windows and groups of any size, in every form of group.
TEST(CraftedSubstitutions, ComeBackFromWindowsOfAnySize) {
  const RenumberedPair pair = renumbered_pair(1200, 30, 8);
  const Covers covers = {{0, 0, pair.old_version.size()}};
  for (const std::uint64_t window_bytes : {7u, 700u, 5000u, 1u << 20}) {
    for (const bool covers_apart : {false, true}) {
      for (const bool model : {false, true}) {
        for (const bool modelled : {false, true}) {
          if (window_bytes < 100 && modelled) continue;  // slow, and says no more
          SCOPED_TRACE(::testing::Message() << window_bytes << ' ' << covers_apart << ' ' << model << ' ' << modelled);
          Craft craft;
          craft.window_bytes = window_bytes;
          craft.group_bytes = 3 * window_bytes + 1;
          craft.covers_apart = covers_apart;
          craft.model = model;
          craft.modelled_literals = craft.modelled_misses = modelled;
          craft.lane_bytes = 0;
          if (modelled) craft.codec = {CodecId::kLzma, 6, 0};
          const Bytes without = craft_patch(pair.old_version, pair.new_version, covers, craft);
          craft.substitutions = pair.substitutions;
          const Bytes patch = craft_patch(pair.old_version, pair.new_version, covers, craft);
          EXPECT_TRUE(has_record(patch, native::RecordTag::kSubstitutions));
          if (window_bytes > 100) {
            EXPECT_LT(patch.size(), without.size());
          }
          expect_rebuilt_everywhere(pair.old_version, patch, pair.new_version);
        }
      }
    }
  }
}

// Bytes that are patterns over and over, in copies from anywhere and of any length: no pattern may reach from one into
// the next.
TEST(CraftedSubstitutions, StayInsideTheirCopies) {
  Random random(9);
  Bytes source(5000);
  for (std::uint8_t& byte : source) byte = static_cast<std::uint8_t>(random.below(2));
  for (int round = 0; round < 4; ++round) {
    std::vector<Substitution> changes;
    for (std::uint32_t i = 0; i < 16; i += 3) {
      std::uint32_t pattern = 0;
      for (unsigned bit = 0; bit < kPatternBytes; ++bit) pattern |= (i >> bit & 1) << 8 * bit;
      changes.push_back({pattern, static_cast<std::uint32_t>(random.next())});
    }
    Covers covers;
    Bytes target;
    while (target.size() < 3000) {
      const Cover last = covers.empty() ? Cover{} : covers.back();
      const std::uint64_t length = random.between(1, 12);
      const bool goes_on = random.below(3) == 0 && last.source_end() + length <= source.size();  // on the diagonal
      const std::uint64_t from = goes_on ? last.source_end() : random.below(source.size() - length);
      covers.push_back({from, target.size(), length});
      append(target, ByteSpan(source).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(length)));
      if (random.below(2) == 0) target.push_back(77);
    }
    for (std::size_t i = 0; i < target.size(); i += 5) ++target[i];
    Craft craft;
    craft.substitutions.emplace(changes);
    for (const std::uint64_t window_bytes : {61u, 4096u}) {
      craft.window_bytes = window_bytes;
      expect_rebuilt_everywhere(source, craft_patch(source, target, covers, craft), target);
    }
  }
}

TEST(CraftedSubstitutions, LeavePlainWindowsAlone) {
  const RenumberedPair pair = renumbered_pair(600, 10, 10);
  const Bytes& source = pair.old_version;
  const std::size_t half = source.size() / 2;
  Bytes target(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(half));
  append(target, ByteSpan(pair.new_version).subspan(half));
  Craft craft;
  craft.substitutions = pair.substitutions;
  craft.outlines = {{{0, half, true, 0}, {half, target.size() - half, false, 0}}};
  expect_rebuilt_everywhere(source, craft_patch(source, target, {{0, 0, target.size()}}, craft), target);
}

// Substitutions may spoil what was right; the residual then mends it.
TEST(CraftedSubstitutions, ThatAreAllWrongDoNoHarm) {
  const RenumberedPair pair = renumbered_pair(600, 10, 11);
  for (const bool covers_apart : {false, true}) {
    Craft craft;
    craft.substitutions = pair.substitutions;
    craft.covers_apart = covers_apart;
    const Covers covers = {{0, 0, pair.old_version.size()}};
    const Bytes& same = pair.old_version;
    expect_rebuilt_everywhere(same, craft_patch(same, same, covers, craft), same);
  }
}

// --- windows that end because their runs are used up ---

constexpr std::uint64_t kBlockBytes = 512;  // the encoder looks at its limits once for so many bytes

// As many runs as there can be: every other byte differs.
struct RunPair {
  Bytes source;
  Bytes target;
};
RunPair run_pair(std::size_t size) {
  Random random(12);
  RunPair pair;
  for (std::size_t i = 0; i < size; ++i) {
    pair.source.push_back(static_cast<std::uint8_t>(128 + random.below(128)));
    pair.target.push_back(static_cast<std::uint8_t>(pair.source.back() ^ (i % 2 == 1 ? 1 : 0)));
  }
  return pair;
}

TEST(RunLimit, EndsWindowsWithSubstitutionsToo) {
  RunPair pair = run_pair(700'000);
  Random random(13);
  std::vector<Substitution> changes;
  for (std::uint32_t i = 0; i < 50; ++i) {
    changes.push_back({pattern_key(i << 16 | 0x0203), static_cast<std::uint32_t>(random.next())});
  }
  for (std::size_t at = 10; at + 4 < pair.source.size(); at += static_cast<std::size_t>(random.between(4, 40))) {
    const std::uint64_t pattern = changes[static_cast<std::size_t>(random.below(changes.size()))].from;
    for (unsigned i = 0; i < 4; ++i) pair.source[at + i] = static_cast<std::uint8_t>(pattern >> 8 * i);
  }
  for (const bool covers_apart : {false, true}) {
    Craft craft;
    craft.substitutions.emplace(changes);
    craft.covers_apart = covers_apart;
    craft.window_bytes = craft.group_bytes = 1 << 20;
    const Bytes patch = craft_patch(pair.source, pair.target, {{0, 0, pair.source.size()}}, craft);
    expect_rebuilt_everywhere(pair.source, patch, pair.target);
  }
}

// The pattern across the border makes the run that fills the window. Where the copy ends there, it is none, and there is
// room for one more run: the window has to end all the same, as covers that stand apart don't end there.
TEST(RunLimit, APatternAcrossTheEndOfTheWindow) {
  static_assert(kMaxWindowRuns % (kBlockBytes / 2) == 0);
  const std::size_t border = (kMaxWindowRuns - kBlockBytes) * 2;
  RunPair pair = run_pair(border + 5000);
  for (std::size_t i = 0; i < 4; ++i) pair.source[border - 2 + i] = static_cast<std::uint8_t>(1 + i);
  pair.target[border - 2] = 1;
  pair.target[border - 1] = 2;
  for (const bool covers_apart : {false, true}) {
    Craft craft;
    craft.substitutions.emplace(std::vector<Substitution>{{0x04030201, 0x09090901}});
    craft.covers_apart = covers_apart;
    craft.window_bytes = craft.group_bytes = 1 << 20;
    SCOPED_TRACE(covers_apart);
    const Bytes patch = craft_patch(pair.source, pair.target, {{0, 0, pair.source.size()}}, craft);
    expect_rebuilt_everywhere(pair.source, patch, pair.target);
  }
}

}  // namespace
}  // namespace bdelta::test::substitution_copies_test
