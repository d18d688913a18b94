// Fills computed while the target comes by: in any windows, hashed early or in their turn, always the same.
#include "apply/filler.hpp"

#include "parallel/worker_pool.hpp"
#include "support/fills.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/signed_program.hpp"
#include "support/tar.hpp"

namespace bdelta::test::filler_test {
namespace {

using Form = FillEncoding;
using Cuts = std::vector<std::uint64_t>;  // where windows end

enum class Early { kNone, kAll, kEverySecond };

// What comes out. Windows are hashed early before the first one has its turn.
Bytes filled(const Bytes& before, const Fills& fills, Cuts cuts, Early early = Early::kAll) {
  Filler filler(fills);
  Bytes bytes = before;
  Bytes made;
  cuts.push_back(bytes.size());
  for (const bool in_turn : {false, true}) {
    std::uint64_t pos = 0;
    for (std::size_t i = 0; i < cuts.size(); pos = cuts[i++]) {
      const MutableByteSpan window = MutableByteSpan(bytes).subspan(pos, cuts[i] - pos);
      if (!in_turn) {
        if (early == Early::kAll || (early == Early::kEverySecond && i % 2 == 0)) filler.hash_early(pos, window);
        continue;
      }
      const auto pass = [&](std::uint64_t at, ByteSpan done) {
        EXPECT_EQ(made.size(), at);
        append(made, done);
        return Status();
      };
      if (filler.fills(pos, window.size())) {
        EXPECT_OK(filler.fill(pos, window, pass));
      } else {
        EXPECT_EQ(made.size(), pos) << "something is held back";
        filler.hash(pos, window);
        append(made, window);
      }
    }
  }
  return made;
}

Cuts every(std::uint64_t window_bytes, std::uint64_t target_bytes) {
  Cuts cuts;
  for (std::uint64_t at = window_bytes; at < target_bytes; at += window_bytes) cuts.push_back(at);
  return cuts;
}

// The target as it shall be, and what a filler makes of it without.
void expect_filled(Bytes target, const Fills& fills, unsigned seed) {
  ASSERT_OK(check_fills(fills, target.size()));
  fill_slowly(target, fills);
  const Bytes before = before_fills(target, fills);
  ASSERT_FALSE(same_bytes(target, before));
  for (const std::uint64_t window_bytes : {1u, 7u, 43u, 148u, 511u, 512u, 513u, 4096u, 10'000u, 1u << 20}) {
    EXPECT_TRUE(same_bytes(target, filled(before, fills, every(window_bytes, target.size())))) << window_bytes;
  }
  Random random(seed);
  for (int round = 0; round < 100; ++round) {
    Cuts cuts;
    const std::uint64_t longest = random.between(1, round % 2 == 0 ? 20'000 : 700);
    for (std::uint64_t at = random.between(1, longest); at < target.size(); at += random.between(1, longest)) {
      cuts.push_back(at);
    }
    const auto early = static_cast<Early>(round % 3);
    ASSERT_TRUE(same_bytes(target, filled(before, fills, cuts, early))) << round;
  }
}

TEST(Filler, DigestsOfRanges) {
  // A place in the range of another digest, places in another order than ranges, ranges that meet and that overlap.
  expect_filled(wordy_bytes(30'000, 5),
                {{kListedDigests, 0, {{10, 90, 700}, {100, 50, 400}, {160, 400, 600}, {650, 1, 2000}, {690, 200, 1500}}},
                 {kListedDigests, 0, {{0, 25'000, 25'003}, {25'000, 3, 25'100}}},
                 {kListedDigests, 0, {{5, 1, 29'957}}}}, 1);
}

TEST(Filler, DigestsOfPages) {
  const FillRule small{kPageDigests, 12, {{0, 9000, 9001}, {9200, 4096, 13'296}}};
  const FillRule large{kPageDigests, 13, {{8000, 32'001, 40'001}}};  // has the places of the small ones
  expect_filled(random_bytes(60'000, 5), {small, large}, 2);
}

// Lists in front of their files, parts of lists, and whole lists, whose places are in front of them or behind.
TEST(Filler, DigestsInFrontOfRanges) {
  const FillRule files{kPaddedDigests, 0, {{3000, 900, 1000}, {4000, 5000, 1200}, {9000, 1, 1100}}};
  const FillRule sections{kPaddedDigests, 0, {{990, 60, 500}, {1090, 60, 200}, {1190, 60, 300}}};
  const FillRule whole{kPaddedDigests, 0, {{980, 320, 100}}};
  expect_filled(wordy_bytes(20'000, 6), {files, sections, whole}, 11);
  FillRule behind = sections;
  for (FillRange& range : behind.ranges) range.place_pos += 1200;
  expect_filled(wordy_bytes(20'000, 7), {files, behind, {kPaddedDigests, 0, {{980, 320, 2500}}}}, 12);
  // With places of ranges that end inside of what is held back, or go on behind it.
  const FillRule across{kListedDigests, 0, {{50, 1000, 2000}, {2900, 9000, 12'000}}};
  expect_filled(wordy_bytes(20'000, 8), {files, sections, across}, 13);
  expect_filled(wordy_bytes(20'000, 9), {{kListedDigests, 0, {{600, 380, 1050}}}, files, sections}, 14);
  expect_filled(wordy_bytes(40'000, 10), {{kPageDigests, 12, {{5000, 20'000, 300}}}, files, whole}, 15);
}

// Nothing that is held back is passed on before the last range has come, and all of it then.
TEST(Filler, HoldsPartsBack) {
  const Fills fills = {{kPaddedDigests, 0, {{300, 10, 100}, {400, 10, 200}}}};
  Filler filler(fills);
  Bytes target(1000);
  std::uint64_t passed = 0;
  const auto pass = [&](std::uint64_t pos, ByteSpan bytes) {
    EXPECT_EQ(passed, pos);
    passed += bytes.size();
    return Status();
  };
  const MutableByteSpan bytes(target);
  EXPECT_OK(filler.fill(0, bytes.first(150), pass));
  EXPECT_EQ(100u, passed);
  EXPECT_TRUE(filler.fills(350, 10));
  EXPECT_OK(filler.fill(150, bytes.subspan(150, 259), pass));
  EXPECT_EQ(100u, passed);
  EXPECT_OK(filler.fill(409, bytes.subspan(409, 91), pass));
  EXPECT_EQ(500u, passed);
  EXPECT_FALSE(filler.fills(500, 100));
}

// A page is digested as it is in the end, with checksums of headers in it.
TEST(Filler, DigestsOfWhatIsFilledIn) {
  Bytes target = tar_pair(30, 7).new_version;
  const std::uint64_t blocks = target.size() / kTarBlockBytes;
  append(target, random_bytes(20'000, 8));
  for (const std::uint64_t first : {0u, 3u}) {
    const FillRule headers{tar_checksums(Form::kSevenNul), 0, {{512 * first, 512 * (blocks - first), 0}}};
    const std::uint64_t end = blocks * kTarBlockBytes;
    const FillRule pages{kPageDigests, 12, {{100, end - 100, end + 50}}};
    expect_filled(target, {headers, pages, {kListedDigests, 0, {{0, end + 19'000, end + 19'900}}}}, 3);
  }
}

// The only header of a page is the one that it ends in, which its window has not whole.
TEST(Filler, DigestsOfPartsOfHeaders) {
  Bytes target = tar_of({{"a", 1, Bytes(4096, 'x')}, {"b", 2, {}}});
  target.resize(10'000);
  const Fills fills = {{tar_checksums(Form::kSevenNul), 0, {{0, 10 * 512, 0}}}, {kPageDigests, 12, {{700, 4096, 9000}}}};
  ASSERT_TRUE(is_tar_header(ByteSpan(target).subspan(9 * 512, 512)));
  fill_slowly(target, fills);
  const Bytes before = before_fills(target, fills);
  for (std::uint64_t end = 700 + 4096; end <= 10 * 512; ++end) {
    ASSERT_TRUE(same_bytes(target, filled(before, fills, {end}))) << end;
    ASSERT_TRUE(same_bytes(target, filled(before, fills, {690, end}))) << end;
  }
}

// What was hashed early is not hashed again, wherever the range begins and whatever else does.
TEST(Filler, HashesNothingTwice) {
  Bytes target = random_bytes(60'000, 3);
  const FillRule files{kListedDigests, 0, {{5, 5, 55'000}, {8192, 10'000, 55'100}}};
  const Fills fills = {{kPageDigests, 12, {{0, 40'960, 50'000}}}, files};
  fill_slowly(target, fills);
  Filler filler(fills);
  filler.hash_early(0, ByteSpan(target).first(8192));
  filler.hash_early(8192, ByteSpan(target).subspan(8192));
  Bytes others(target.size());
  EXPECT_OK(filler.fill(0, others, [](std::uint64_t, ByteSpan) { return Status(); }));
  EXPECT_TRUE(same_bytes(ByteSpan(target).subspan(50'000, 320), ByteSpan(others).subspan(50'000, 320)));
  for (const std::size_t at : {55'000u, 55'100u}) {
    EXPECT_TRUE(same_bytes(ByteSpan(target).subspan(at, 43), ByteSpan(others).subspan(at, 43)));
  }
}

// Of ranges that lie closer together than members of an archive, those in the back.
TEST(Filler, LooksEarlyAtFewRangesOfAWindow) {
  Bytes target = random_bytes(300, 4);
  const Fills fills = {{kListedDigests, 0, {{0, 40, 128}, {50, 40, 200}}}};
  Filler filler(fills);
  filler.hash_early(0, ByteSpan(target).first(100));
  fill_slowly(target, fills);
  const Bytes of_target = target;
  target[10] ^= 1;  // changes what is hashed in its turn
  target[60] ^= 1;
  EXPECT_OK(filler.fill(0, target, [](std::uint64_t, ByteSpan) { return Status(); }));
  EXPECT_FALSE(same_bytes(ByteSpan(of_target).subspan(128, 43), ByteSpan(target).subspan(128, 43)));
  EXPECT_TRUE(same_bytes(ByteSpan(of_target).subspan(200, 43), ByteSpan(target).subspan(200, 43)));
}

TEST(Filler, ChecksumsOfHeaders) {
  const Bytes target = tar_pair(12, 7).new_version;
  expect_filled(target, {{tar_checksums(Form::kSixNulSpace), 0, {{0, 3 * 512, 0}, {3 * 512, 10 * 512, 0}}},
                         {tar_checksums(Form::kSixSpaceNul), 0, {{17 * 512, 12 * 512, 0}}}}, 4);
  Bytes shifted = random_bytes(77, 1);  // an archive at an odd place
  append(shifted, target);
  expect_filled(shifted, {{tar_checksums(Form::kSixNulSpace), 0, {{77, target.size(), 0}}}}, 5);
}

// Blocks outside of the ranges stay as they are, and so do those that are no headers, or hold a place.
TEST(Filler, BlocksThatAreNoHeadersStay) {
  Bytes target = tar_of({{"a", 1, {}}, {"b", 2, {}}, {"c", 3, {}}, {"d", 4, {}}});
  const Fills fills = {{tar_checksums(Form::kSixNulSpace), 0, {{0, 512, 0}, {1024, 1024, 0}}},
                       {kListedDigests, 0, {{0, 100, 1600}}}};
  target[1024 + 257] = 'U';
  Bytes bent = target;
  for (const std::size_t block : {0u, 512u, 1024u, 1536u}) bent[block + kTarChecksumAt + 2] ^= 3;
  Bytes expected = bent;
  expected[kTarChecksumAt + 2] ^= 3;
  const std::string text = base64url(sha256(ByteSpan(target).first(100)));
  std::copy(text.begin(), text.end(), expected.begin() + 1600);
  for (const std::uint64_t window_bytes : {1u, 300u, 512u, 700u, 1u << 20}) {
    EXPECT_TRUE(same_bytes(expected, filled(bent, fills, every(window_bytes, bent.size())))) << window_bytes;
  }
}

TEST(Filler, TellsWhatGoesThroughIt) {
  const Fills fills = {{kPageDigests, 12, {{0, 4097, 5000}}}, {tar_checksums(Form::kSevenNul), 0, {{10'000, 1024, 0}}}};
  const Filler filler(fills);
  EXPECT_FALSE(filler.fills(0, 5000));
  EXPECT_TRUE(filler.fills(0, 5001));
  EXPECT_TRUE(filler.fills(5063, 1));
  EXPECT_FALSE(filler.fills(5064, 10'000 - 5064));
  EXPECT_TRUE(filler.fills(9999, 2));
  EXPECT_TRUE(filler.fills(11'023, 1));
  EXPECT_FALSE(filler.fills(11'024, 1000));
  EXPECT_FALSE(filler.fills(5010, 0));
}

TEST(Filler, AnErrorOfTheTargetEndsIt) {
  const TarPair pair = tar_pair(3, 8);
  Filler filler({pair.checksums()});
  Bytes window(pair.new_version.begin(), pair.new_version.begin() + 700);
  const auto fails = [](std::uint64_t, ByteSpan) -> Status { return Error{ErrorCode::kWriteFailed, {}}; };
  EXPECT_FAILS(ErrorCode::kWriteFailed, filler.fill(0, window, fails));
}

// Windows are hashed early by many threads at a time.
TEST(Filler, ThreadsHashAtOnce) {
  const SignedProgram program = signed_program(random_bytes(3'000'000, 9));
  const Fills fills = {program.digests};
  Bytes bytes = before_fills(program.bytes, fills);
  Filler filler(fills);
  WorkerPool pool(4);
  constexpr std::size_t kWindowBytes = 50'000;
  pool.for_each((bytes.size() + kWindowBytes - 1) / kWindowBytes, [&](std::size_t i) {
    const std::size_t pos = i * kWindowBytes;
    filler.hash_early(pos, ByteSpan(bytes).subspan(pos, std::min(kWindowBytes, bytes.size() - pos)));
  });
  EXPECT_OK(filler.fill(0, bytes, [](std::uint64_t, ByteSpan) { return Status(); }));
  EXPECT_TRUE(same_bytes(program.bytes, bytes));
}

}  // namespace
}  // namespace bdelta::test::filler_test
