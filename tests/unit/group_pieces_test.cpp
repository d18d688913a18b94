// Groups encoded in pieces are those encoded as a whole.
#include "create/group_pieces.hpp"

#include <atomic>

#include "support/craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test::group_pieces_test {
namespace {

constexpr std::uint64_t kWindowBytes = 256 * 1024;

void expect_same(const GroupDraft& whole, const GroupDraft& joined) {
  ASSERT_EQ(whole.windows.size(), joined.windows.size());
  for (std::size_t i = 0; i < whole.windows.size(); ++i) {
    EXPECT_EQ(whole.windows[i].target_length, joined.windows[i].target_length) << i;
    EXPECT_EQ(whole.windows[i].plain, joined.windows[i].plain) << i;
    EXPECT_EQ(whole.windows[i].diagonal_change, joined.windows[i].diagonal_change) << i;
    EXPECT_EQ(whole.windows[i].copy_count, joined.windows[i].copy_count) << i;
    EXPECT_EQ(whole.windows[i].run_count, joined.windows[i].run_count) << i;
    EXPECT_EQ(whole.windows[i].checksum, joined.windows[i].checksum) << i;
    EXPECT_EQ(whole.windows[i].sizes, joined.windows[i].sizes) << i;
    EXPECT_EQ(whole.windows[i].left_out_bytes, joined.windows[i].left_out_bytes) << i;
  }
  EXPECT_EQ(whole.streams, joined.streams);
  EXPECT_EQ(whole.target_pos, joined.target_pos);
  EXPECT_EQ(whole.last_diagonal, joined.last_diagonal);
  EXPECT_EQ(whole.coded_bytes, joined.coded_bytes);
  EXPECT_EQ(whole.segment_count, joined.segment_count);
  EXPECT_EQ(whole.target.size(), joined.target.size());
  EXPECT_EQ(whole.target.data(), joined.target.data());
  EXPECT_EQ(whole.cover_count, joined.cover_count);
  EXPECT_EQ(whole.covered_bytes, joined.covered_bytes);
}

class GroupPieces : public ::testing::Test {
 protected:
  // Covers of odd lengths and diagonals, with bytes changed in them and literals between.
  void SetUp() override {
    source_ = random_bytes(std::size_t{12} << 20, 1);
    Random random(2);
    while (target_.size() < std::size_t{9} << 20) {
      const std::uint64_t length = random.between(1, 150'000);
      const std::uint64_t pos = random.below(source_.size() - length);
      covers_.push_back({pos, target_.size(), length});
      append(target_, ByteSpan(source_).subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(length)));
      for (int i = 0; i < 20; ++i) {
        target_[static_cast<std::size_t>(target_.size() - 1 - random.below(length))] ^= 5;
      }
      append(target_, random_bytes(static_cast<std::size_t>(random.below(3)) * 7, target_.size()));
    }
  }

  // How many times `encode` was called is counted.
  std::vector<GroupDraft> encoded(const std::vector<GroupOutline>& outlines, bool cuts, unsigned threads) {
    const FilePieces source{ByteSpan(source_)}, target{ByteSpan(target_)};
    WorkerPool pool(threads);
    calls_ = 0;
    return encode_in_pieces(
        outlines, kWindowBytes, cuts,
        [&](std::size_t, const GroupOutline& segments) {
          ++calls_;
          return encode_group(source, target, covers_, segments, kWindowBytes);
        },
        pool);
  }

  void expect_cut_alike(const std::vector<GroupOutline>& outlines) {
    const std::vector<GroupDraft> whole = encoded(outlines, false, 1);
    EXPECT_EQ(outlines.size(), calls_);
    ASSERT_EQ(outlines.size(), whole.size());
    for (const unsigned threads : {1u, 3u}) {
      const std::vector<GroupDraft> joined = encoded(outlines, true, threads);
      EXPECT_GT(calls_, outlines.size());
      ASSERT_EQ(outlines.size(), joined.size());
      for (std::size_t i = 0; i < outlines.size(); ++i) expect_same(whole[i], joined[i]);
    }
  }

  Bytes source_, target_;
  Covers covers_;
  std::atomic<std::size_t> calls_{0};
};

TEST_F(GroupPieces, OfOneSegmentAreTheWhole) { expect_cut_alike({{{0, target_.size(), false, 0}}}); }

TEST_F(GroupPieces, OfManySegmentsAndGroupsAreTheWhole) {
  // Segments that are no multiples of windows, and one of a few bytes, which is told without copies.
  const std::uint64_t a = 700'001, b = a + 9, c = 5'000'000;
  expect_cut_alike({{{0, a, false, 0}, {a, b - a, false, 0}, {b, c - b, false, 0}}, {{c, target_.size() - c, false, 0}}});
}

TEST_F(GroupPieces, WithPlainSegmentsAreTheWhole) {
  const std::uint64_t a = 2'000'000, b = 3'000'000;
  expect_cut_alike({{{0, a, false, 0}, {a, b - a, true, 17}, {b, target_.size() - b, false, 0}}});
}

TEST_F(GroupPieces, OfASampleSayWhatIsLeftOut) {
  expect_cut_alike({{{4096, 3'500'000, false, 0}, {4'000'000, 900'000, false, 0}, {6'000'000, 2'500'000, false, 0}}});
}

}  // namespace
}  // namespace bdelta::test::group_pieces_test
