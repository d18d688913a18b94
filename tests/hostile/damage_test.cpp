// Truncate at every byte, flip every byte: an error or exactly NEW, never a wrong success, never a crash.
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/memory_writer.hpp"
#include "support/program_pair.hpp"
#include "support/repeated.hpp"

namespace bdelta::test::damage_test {
namespace {

struct Victim {
  const char* name;
  Bytes source;
  Bytes target;
  Bytes patch;
};

Bytes crafted(const Bytes& source, const Bytes& target, CodecId codec, std::uint64_t window_bytes,
              std::uint64_t group_bytes) {
  Craft craft;
  craft.codec = {codec, codec == CodecId::kStore ? 0 : 5, 0};
  craft.window_bytes = window_bytes;
  craft.group_bytes = group_bytes;
  return craft_patch(source, target, covers_of(source, target), craft);
}

std::vector<Victim> native_victims() {
  const Bytes source = wordy_bytes(6000, 1);
  const Bytes target = edited(source, {{Edit::kInsert, 500, 90, 0, 2}, {Edit::kOverwrite, 3000, 40, 0, 3},
                                       {Edit::kMove, 5000, 700, 1200, 0}, {Edit::kDelete, 100, 60, 0, 0}});
  // Larger streams, so that the codecs really code.
  Bytes busy = source;
  for (std::size_t i = 0; i < busy.size(); i += 9) busy[i] = static_cast<std::uint8_t>(busy[i] + 1);
  std::vector<Victim> victims;
  victims.push_back({"store", source, target, crafted(source, target, CodecId::kStore, 4096, 1 << 20)});
  victims.push_back({"zstd", source, busy, crafted(source, busy, CodecId::kZstd, 1 << 20, 1 << 20)});
  victims.push_back({"lzma", source, busy, crafted(source, busy, CodecId::kLzma, 1 << 20, 1 << 20)});
  Craft model;
  model.codec = {CodecId::kLzma, 5, 0};
  model.model = true;
  model.window_bytes = 1 << 20;
  model.group_bytes = 1 << 20;
  victims.push_back({"model", source, busy, craft_patch(source, busy, covers_of(source, busy), model)});
  model.window_bytes = 700;
  model.group_bytes = 2500;
  victims.push_back(
      {"model_windows_and_groups", source, target, craft_patch(source, target, covers_of(source, target), model)});
  Craft modelled;
  modelled.codec = {CodecId::kLzma, 5, 0};
  modelled.modelled_literals = modelled.modelled_misses = true;
  modelled.window_bytes = 2000;
  modelled.group_bytes = 1 << 20;
  const Bytes less(busy.begin() + 1000, busy.begin() + 4500);
  victims.push_back({"modelled", source, less, craft_patch(source, less, covers_of(source, less), modelled)});
  const SelfCopied parts = partly_self_copied(1500, 4);
  modelled.window_bytes = 800;
  modelled.model = true;
  modelled.lane_bytes = 0;
  victims.push_back({"mixed_windows", parts.source, parts.target, craft_patch(parts.source, parts.target, parts.covers, modelled)});
  victims.push_back({"windows_and_groups", source, target, crafted(source, target, CodecId::kZstd, 700, 2500)});
  victims.push_back({"empty_new", source, {}, crafted(source, {}, CodecId::kZstd, 700, 2500)});
  Craft plain;
  Bytes moved(source.begin() + 2000, source.end());
  append(moved, bytes_of("and a literal end of its own, which is coded"));
  plain.outlines = {{{0, 4000, true, 2000}, {4000, moved.size() - 4000, false, 0}}};
  victims.push_back({"plain", source, moved, craft_patch(source, moved, {{2000, 0, 4000}}, plain)});
  const ProgramPair programs = program_pair(11, 60);
  auto predicted = make_patch(programs.old_version, programs.new_version, create_options(6));
  EXPECT_OK(predicted);
  if (predicted) victims.push_back({"predicted", programs.old_version, programs.new_version, *predicted});
  return victims;
}

ApplyOptions careful() {
  ApplyOptions options;
  options.memory_limit_bytes = 64 << 20;
  options.output_limit_bytes = 1 << 20;
  return options;
}

::testing::AssertionResult error_or_exact(const Victim& victim, const Bytes& bad, Sink sink) {
  io::MemoryReader source(victim.source);
  io::MemorySequentialReader patch(bad);
  Bytes made;
  BytesWriter positioned(made);
  MemoryWriter sequential(made);
  const auto report = sink == Sink::kPositioned ? apply(source, patch, positioned, careful())
                                                : apply(source, patch, sequential, careful());
  if (report) return same_bytes(victim.target, made);
  if (report.error().code == ErrorCode::kInternal) return ::testing::AssertionFailure() << to_string(report.error());
  return ::testing::AssertionSuccess();
}

TEST(DamagedNative, TheVictimsAreSound) {
  for (const Victim& victim : native_victims()) {
    const auto made = apply_patch(victim.source, victim.patch);
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(victim.target, *made)) << victim.name;
  }
}

TEST(DamagedNative, TruncatedAnywhereIsAnError) {
  for (const Victim& victim : native_victims()) {
    for (std::size_t size = 0; size < victim.patch.size(); ++size) {
      for (const Sink sink : {Sink::kPositioned, Sink::kSequential}) {
        const auto made = apply_patch(victim.source, ByteSpan(victim.patch).first(size), sink, careful());
        ASSERT_FALSE(static_cast<bool>(made)) << victim.name << " cut to " << size;
        const ErrorCode code = made.error().code;
        ASSERT_EQ(ErrorCode::kPatchTruncated, code)
            << victim.name << " cut to " << size << ": " << to_string(made.error());
      }
    }
  }
}

TEST(DamagedNative, AnyBitFlippedIsAnErrorOrExact) {
  for (const Victim& victim : native_victims()) {
    const bool small = victim.patch.size() < 1500;
    for (std::size_t at = 0; at < victim.patch.size(); ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        if (!small && bit != at % 8) continue;
        Bytes bad = victim.patch;
        bad[at] = static_cast<std::uint8_t>(bad[at] ^ (1u << bit));
        const Sink sink = (at + bit) % 2 == 0 ? Sink::kPositioned : Sink::kSequential;
        ASSERT_TRUE(error_or_exact(victim, bad, sink)) << victim.name << " byte " << at << " bit " << bit;
      }
      Bytes bad = victim.patch;
      bad[at] ^= 0xff;
      ASSERT_TRUE(error_or_exact(victim, bad, Sink::kPositioned)) << victim.name << " byte " << at;
    }
  }
}

TEST(DamagedNative, BytesRemovedDoubledOrSetAreAnErrorOrExact) {
  Random random(5);
  for (const Victim& victim : native_victims()) {
    for (int round = 0; round < 800; ++round) {
      Bytes bad = victim.patch;
      const auto at = static_cast<std::size_t>(random.below(bad.size()));
      const auto place = bad.begin() + static_cast<std::ptrdiff_t>(at);
      switch (random.below(4)) {
        case 0: bad.erase(place); break;
        case 1: bad.insert(place, *place); break;
        case 2: *place = 0; break;
        default: *place = static_cast<std::uint8_t>(random.next());
      }
      ASSERT_TRUE(error_or_exact(victim, bad, Sink::kSequential)) << victim.name << " byte " << at;
    }
  }
}

TEST(DamagedNative, BytesBehindTheEndAreAnError) {
  for (const Victim& victim : native_victims()) {
    for (const Bytes& tail : {Bytes{0}, Bytes{1}, victim.patch}) {
      Bytes bad = victim.patch;
      append(bad, tail);
      EXPECT_FAILS(ErrorCode::kPatchTrailingBytes, apply_patch(victim.source, bad));
    }
  }
}

TEST(DamagedNative, OfTheWrongSourceNothingIsWritten) {
  for (const Victim& victim : native_victims()) {
    Bytes other = victim.source;
    other[17] ^= 1;
    io::MemoryReader source(other);
    io::MemorySequentialReader patch(victim.patch);
    Bytes made;
    BytesWriter writer(made);
    EXPECT_FAILS(ErrorCode::kWrongSourceDigest, apply(source, patch, writer, {}));
    EXPECT_TRUE(made.empty());
    other.push_back(0);
    EXPECT_FAILS(ErrorCode::kWrongSourceSize, apply_patch(other, victim.patch));
  }
}

TEST(DamagedNative, ALargeCodedWindowOfOneCopyKeepsItsChecksum) {
  // It looks like a plain window, which has no checksum and is executed in slices.
  const Bytes bytes = random_bytes(std::size_t{3} << 20, 8);
  Craft craft;
  craft.window_bytes = 4 << 20;
  craft.outlines = {{{0, bytes.size(), false, 0}}};
  Bytes patch = craft_patch(bytes, bytes, {{0, 0, bytes.size()}}, craft);
  ASSERT_OK(apply_patch(bytes, patch));
  Bytes checksum;
  append_le(checksum, xxh3_32(bytes));
  const auto place = std::search(patch.begin(), patch.end(), checksum.begin(), checksum.end());
  ASSERT_NE(patch.end(), place);
  *place ^= 1;
  const SplitPatch split = split_patch(patch);
  EXPECT_FAILS(ErrorCode::kWindowChecksum, apply_patch(bytes, with_header(split.header, split.body), Sink::kSequential));
}

// Whatever a flip hits, nothing is decoded and nothing is written.
TEST(DamagedNative, DamageIsSeenBeforeAnythingIsDecoded) {
  for (const Victim& victim : native_victims()) {
    for (std::size_t at = 8; at < victim.patch.size(); ++at) {
      Bytes bad = victim.patch;
      bad[at] ^= static_cast<std::uint8_t>(1u << at % 8);
      const auto made = apply_patch(victim.source, bad, Sink::kSequential, careful());
      ASSERT_FALSE(static_cast<bool>(made)) << victim.name << " byte " << at;
      ASSERT_EQ(3, exit_class(made.error().code)) << victim.name << " byte " << at << ": " << to_string(made.error());
    }
  }
}

// --- version 1: no checksum, so a flip may give other bytes, but never a crash and never another size ---

Victim bdt1_victim() {
  const Bytes source = wordy_bytes(5000, 6);
  const Bytes target = edited(source, {{Edit::kInsert, 500, 90, 0, 2}, {Edit::kMove, 4000, 700, 1200, 0}});
  const auto patch = make_patch(source, target, create_options(3, PatchFormat::kBdt1));
  EXPECT_OK(patch);
  return {"bdt1", source, target, *patch};
}

TEST(DamagedBdt1, TruncatedAnywhereIsAnError) {
  const Victim victim = bdt1_victim();
  for (std::size_t size = 0; size < victim.patch.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchTruncated, apply_patch(victim.source, ByteSpan(victim.patch).first(size)));
  }
}

TEST(DamagedBdt1, AnyBitFlippedGivesTheDeclaredSizeOrAnError) {
  const Victim victim = bdt1_victim();
  for (std::size_t at = 0; at < victim.patch.size(); ++at) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      Bytes bad = victim.patch;
      bad[at] = static_cast<std::uint8_t>(bad[at] ^ (1u << bit));
      const Sink sink = bit % 2 == 0 ? Sink::kPositioned : Sink::kSequential;
      const auto made = apply_patch(victim.source, bad, sink, careful());
      if (!made) continue;
      ASSERT_EQ(load_le<std::uint32_t>(bad.data() + 10), made->size()) << "byte " << at << " bit " << bit;
    }
  }
}

TEST(DamagedBdt1, BytesBehindTheEndAreAnError) {
  Victim victim = bdt1_victim();
  victim.patch.push_back(0);
  EXPECT_FAILS(ErrorCode::kPatchTrailingBytes, apply_patch(victim.source, victim.patch));
}

TEST(Nonsense, IsAlwaysAnError) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto version = static_cast<std::uint8_t>(1 + seed % 2);
    Bytes patch = {'B', 'D', 'T', version, 0, static_cast<std::uint8_t>(seed % 2 == 0 ? 4 : 1)};
    append(patch, random_bytes(static_cast<std::size_t>(seed * 3), seed));
    EXPECT_FALSE(static_cast<bool>(apply_patch(bytes_of("old"), patch, Sink::kSequential, careful()))) << seed;
  }
}

}  // namespace
}  // namespace bdelta::test::damage_test
