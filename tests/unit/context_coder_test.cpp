// The context coder: bits, numbers and whole groups come back, and nothing that is damaged leads astray.
#include <array>
#include <memory>

#include "model/small_lines.hpp"
#include "model/window_model.hpp"
#include "model/window_packer.hpp"
#include "model/window_unpacker.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/woven.hpp"

namespace bdelta::test::context_coder_test {
namespace {

// A code in pieces of `piece` bytes.
class Pieces final : public CodeFeed {
 public:
  Pieces(Bytes code, std::size_t piece) : code_(std::move(code)), piece_(piece) {}
  ByteSpan more() override {
    const std::size_t from = given_;
    given_ = std::min(given_ + piece_, code_.size());
    return ByteSpan(code_).subspan(from, given_ - from);
  }
  [[nodiscard]] std::size_t left() const { return code_.size() - given_; }

 private:
  const Bytes code_;
  const std::size_t piece_;
  std::size_t given_ = 0;
};

TEST(RangeCoder, BitsOfAnyProbabilityComeBack) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    std::vector<std::pair<unsigned, std::uint32_t>> bits;
    for (int i = 0; i < 3000; ++i) {
      const std::uint32_t one = seed % 3 == 0   ? 1
                                : seed % 3 == 1 ? 65535
                                                : static_cast<std::uint32_t>(random.between(1, 65535));
      bits.emplace_back(static_cast<unsigned>(random.below(65536) < one), one);
    }
    if (seed % 5 == 0) bits[1500].first ^= 1;  // what is most unlikely
    RangeEncoder encoder;
    for (const auto& [bit, one] : bits) encoder.bit(bit, one);
    Pieces feed(encoder.finish(), 1 + seed % 7);
    RangeDecoder decoder(feed);
    decoder.begin();
    for (std::size_t i = 0; i < bits.size(); ++i) {
      ASSERT_EQ(bits[i].first, decoder.bit(0, bits[i].second)) << seed << " " << i;
    }
    EXPECT_EQ(0u, feed.left()) << "every byte is used";
    EXPECT_TRUE(decoder.ends_well());
  }
}

TEST(RangeCoder, TakesAsManyBytesAsTheEncoderSays) {
  Random random(9);
  RangeEncoder encoder;
  std::vector<unsigned> bits;
  std::vector<std::uint64_t> taken;
  for (int i = 0; i < 4000; ++i) {
    bits.push_back(static_cast<unsigned>(random.below(2)));
    encoder.bit(bits.back(), 30000);
    taken.push_back(encoder.taken_bytes());
  }
  const Bytes code = encoder.finish();
  Pieces feed(code, 1);
  RangeDecoder decoder(feed);
  decoder.begin();
  for (std::size_t i = 0; i < bits.size(); ++i) {
    ASSERT_EQ(bits[i], decoder.bit(0, 30000));
    ASSERT_EQ(std::min<std::uint64_t>(taken[i], code.size()), code.size() - feed.left());
  }
}

TEST(RangeCoder, ExactBytes) {
  // 0.1001 in halves is 9/16: one byte is enough for the interval [9/16, 10/16).
  RangeEncoder encoder;
  for (const unsigned bit : {0u, 1u, 1u, 0u}) encoder.bit(bit, 32768);
  EXPECT_EQ(Bytes{0x90}, encoder.finish());
  EXPECT_EQ(Bytes{}, RangeEncoder().finish());
}

TEST(RangeCoder, OneCodeOnlyForTheSameBits) {
  // 0x90 to 0x9f all decode to these four bits.
  for (unsigned last = 0x90; last < 0xa0; ++last) {
    Pieces feed({static_cast<std::uint8_t>(last)}, 1);
    RangeDecoder decoder(feed);
    decoder.begin();
    for (const unsigned bit : {0u, 1u, 1u, 0u}) ASSERT_EQ(bit, decoder.bit(0, 32768)) << last;
    EXPECT_EQ(last == 0x90, decoder.ends_well()) << last;
  }
}

TEST(Mixing, SquashAndStretchAreInverse) {
  EXPECT_EQ(32768u, mix::squash(0));
  EXPECT_EQ(22u, mix::squash(-mix::kStretchLimit));
  EXPECT_EQ(0, mix::kTables.stretch[2048] / 16) << "one half is hardly stretched";
  for (int x = -mix::kStretchLimit; x < mix::kStretchLimit; ++x) {
    ASSERT_LE(mix::squash(x), mix::squash(x + 1));
    ASSERT_GT(mix::squash(x), 0u);
    ASSERT_LT(mix::squash(x), 65536u);
  }
  for (std::size_t p = 1; p < 4096; ++p) ASSERT_LE(mix::kTables.stretch[p - 1], mix::kTables.stretch[p]);
}

TEST(Mixing, TheTableOfSquashHoldsWhatItComputes) {
  for (int x = -mix::kStretchLimit; x <= mix::kStretchLimit; ++x) {
    ASSERT_EQ(mix::squash(x), mix::kTables.squash[static_cast<std::size_t>(x + 2048)]) << x;
  }
}

// What FORMAT.md says of a slot: where p and n go from here.
struct MovedSlot {
  int p;
  int n;
};

int count_in(mix::Slot slot) { return slot >> 12; }
int probability_in(mix::Slot slot) { return slot & 4095; }

MovedSlot moved(int p, int n, unsigned bit) {
  constexpr std::array<int, 16> kPaces = {3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 24, 30, 36, 40, 48, 56};
  const int step = ((bit != 0 ? 4095 - p : p) * (131072 / kPaces.at(static_cast<std::size_t>(n))) + 32768) >> 16;
  return {bit != 0 ? p + step : p - step, std::min(n + 1, 15)};
}

// What MODELLED_BYTES.md says of a small slot.
MovedSlot moved_small(int p, int n, unsigned bit) {
  const int goal = bit != 0 ? 4095 : 0;
  return {p + (((goal - p) * (131072 / (2 * n + 3)) + 16 * goal) >> 16), std::min(n + 1, 9)};
}

// All slots whose count is at most `most_seen`.
void expect_moves(unsigned most_seen, void (*learn)(mix::Slot&, unsigned), MovedSlot (*moved_by)(int, int, unsigned)) {
  mix::fill_next_slots();
  for (unsigned value = 0; value < (most_seen + 1) * 4096; ++value) {
    for (const unsigned bit : {0u, 1u}) {
      mix::Slot slot = static_cast<mix::Slot>(value);
      const MovedSlot to = moved_by(probability_in(slot), count_in(slot), bit);
      learn(slot, bit);
      ASSERT_EQ(to.p, probability_in(slot)) << value << " by " << bit;
      ASSERT_EQ(to.n, count_in(slot)) << value << " by " << bit;
    }
  }
}

TEST(Slots, MoveAsTheSpecificationSays) { expect_moves(15, mix::learn, moved); }

TEST(Slots, SmallOnesMoveAsTheSpecificationSays) { expect_moves(9, mix::learn_small, moved_small); }

TEST(Slots, ComeNearCertainty) {
  mix::fill_next_slots();
  mix::Slot ones = mix::kFreshSlot, zeros = mix::kFreshSlot;
  mix::learn(ones, 1);
  mix::learn(zeros, 0);
  EXPECT_EQ(2048 + 1365, probability_in(ones)) << "two thirds of the way";
  EXPECT_EQ(2048 - 1365, probability_in(zeros));
  for (int i = 0; i < 500; ++i) {
    mix::learn(ones, 1);
    mix::learn(zeros, 0);
  }
  EXPECT_GT(probability_in(ones), 4095 - 16);
  EXPECT_LT(probability_in(zeros), 16);
}

TEST(Numbers, OfAnySizeComeBack) {
  std::vector<std::uint64_t> numbers;
  for (unsigned log = 0; log < 64; ++log) {
    const std::uint64_t power = std::uint64_t{1} << log;
    for (const std::uint64_t value : {power - 1, power, power + 1, power | power >> 1, ~std::uint64_t{0} >> log}) {
      numbers.push_back(value);
    }
  }
  RangeEncoder encoder;
  const auto code = [&](auto& coder, bool check) {
    const auto plain = std::make_unique<mix::NumberModel<2>>(4);
    const auto small = std::make_unique<mix::NumberModel<1, true>>(4);
    const auto count = std::make_unique<mix::CountModel<1>>(4);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint64_t value = check ? 0 : numbers[i];
      const std::uint64_t a = plain->code(coder, value, {1, static_cast<std::uint32_t>(i % 3)}, i % 4);
      const std::uint64_t b = small->code(coder, value, {7});
      const std::uint64_t c = count->code(coder, value, {0});
      if (!check) continue;
      ASSERT_EQ(numbers[i], a);
      ASSERT_EQ(numbers[i], b);
      ASSERT_EQ(numbers[i], c);
    }
  };
  code(encoder, false);
  Pieces feed(encoder.finish(), 100);
  RangeDecoder decoder(feed);
  decoder.begin();
  code(decoder, true);
}

TEST(RecentDiagonals, RanksFollowUse) {
  mix::RecentDiagonals recent;
  for (std::uint64_t diagonal = 1; diagonal <= 20; ++diagonal) recent.use(diagonal, recent.recency_of(diagonal));
  EXPECT_EQ(1u, recent.recency_of(20));
  EXPECT_EQ(15u, recent.recency_of(6));
  EXPECT_EQ(0u, recent.recency_of(5));
  recent.use(10, recent.recency_of(10));
  EXPECT_EQ(1u, recent.recency_of(10));
  EXPECT_EQ(2u, recent.recency_of(20));
  EXPECT_EQ(15u, recent.recency_of(6));
}

// --- whole groups ---

StreamBytes streams_of(const GroupDraft& draft, const WindowRecord& record,
                       std::array<std::size_t, kStreamCount>& taken) {
  StreamBytes streams;
  for (std::size_t i = 0; i < kStreamCount; ++i) {
    const auto from = draft.streams[i].begin() + static_cast<std::ptrdiff_t>(taken[i]);
    streams[i].assign(from, from + static_cast<std::ptrdiff_t>(record.sizes[i]));
    taken[i] += static_cast<std::size_t>(record.sizes[i]);
  }
  return streams;
}

GroupDraft busy_draft(std::uint64_t window_bytes) {
  const Bytes source = wordy_bytes(20'000, 1);
  Bytes target = edited(source, random_edits(40, source.size(), 300, 2));
  for (std::size_t i = 0; i < target.size(); i += 13) target[i] = static_cast<std::uint8_t>(target[i] + 1);
  return encode_group(source, target, covers_of(source, target), {{0, target.size(), false, 0}}, window_bytes);
}

void expect_comes_back(const GroupDraft& draft, const ModelScope& scope) {
  const PackedGroup packed = pack_group(draft, scope);
  Pieces feed(packed.code, 11);
  WindowUnpacker unpacker(packed.scope, feed);
  std::array<std::size_t, kStreamCount> taken{};
  for (std::size_t w = 0; w < draft.windows.size(); ++w) {
    const WindowRecord& honest = draft.windows[w];
    const StreamBytes expected = streams_of(draft, honest, taken);
    if (honest.plain) {
      unpacker.plain(honest);
      continue;
    }
    StreamBytes streams = expected;
    for (std::size_t i = 0; i < kStreamCount; ++i) {
      if (packed.scope.has(i)) streams[i] = bytes_of("left over from the window before");
    }
    WindowRecord record = honest;
    record.sizes = {};
    ASSERT_OK(unpacker.unpack(record, streams));
    ASSERT_EQ(honest.sizes, record.sizes);
    for (std::size_t i = 0; i < kLiterals; ++i) ASSERT_EQ(expected[i], streams[i]) << stream_name(i);
    ASSERT_LE(packed.code.size() - feed.left(), (packed.taken_bytes[w] + 10) / 11 * 11)
        << "takes no more than was said";
  }
  EXPECT_EQ(0u, feed.left());
  EXPECT_TRUE(unpacker.ends_well());
}

void expect_comes_back(const GroupDraft& draft, unsigned scope_streams) {
  expect_comes_back(draft, fitting_scope(draft, scope_streams));
}

TEST(PackedGroups, ComeBackWithAnyStreamsInScope) {
  const GroupDraft draft = busy_draft(3000);
  ASSERT_GT(draft.windows.size(), 3u);
  for (unsigned streams = 0; streams <= kModelStreams; ++streams) expect_comes_back(draft, streams);
}

TEST(PackedGroups, PlainWindowsMoveTheDiagonal) {
  const Bytes source = random_bytes(6000, 2);
  Bytes target(source.begin() + 1000, source.begin() + 3000);
  append(target, bytes_of("something else"));
  target.insert(target.end(), source.begin() + 500, source.begin() + 700);
  append(target, ByteSpan(source).subspan(3000, 900));
  expect_comes_back(encode_group(source, target, {{1000, 0, 2000}, {500, 2014, 200}, {3000, 2214, 900}},
                                 {{0, 2000, true, 1000}, {2000, target.size() - 2000, false, 0}}, 4096),
                    kModelStreams);
}

TEST(PackedGroups, AreSmallerThanTheirStreams) {
  const GroupDraft draft = busy_draft(1 << 20);
  std::uint64_t raw = 0;
  for (std::size_t i = 0; i < kLiterals; ++i) raw += draft.streams[i].size();
  const PackedGroup packed = pack_group(draft, fitting_scope(draft, kModelStreams));
  EXPECT_LT(packed.code.size(), raw / 2);
  std::uint64_t cost = 0;
  for (const std::uint64_t bytes : packed.cost_bytes) cost += bytes;
  EXPECT_NEAR(static_cast<double>(packed.code.size()), static_cast<double>(cost), 12) << "the shares add up";
}

// Bytes of the code of files behind heads in another order, a byte of each head changed. Each file begins at a multiple
// of `unit` bytes.
std::size_t code_bytes_of_blocks(std::uint64_t unit) {
  constexpr std::size_t kBlocks = 400;
  Random random(5);
  std::vector<std::uint64_t> begins = {0};
  for (std::size_t i = 0; i < kBlocks; ++i) begins.push_back(begins.back() + unit * random.between(512 / unit, 9 * 512 / unit));
  const Bytes source = random_bytes(static_cast<std::size_t>(begins.back()), 6);
  Bytes target;
  Covers covers;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const std::size_t block = i * 171 % kBlocks;
    covers.push_back({begins[block], target.size(), begins[block + 1] - begins[block]});
    append(target, ByteSpan(source).subspan(static_cast<std::size_t>(begins[block]), static_cast<std::size_t>(covers.back().length)));
    ++target[static_cast<std::size_t>(covers.back().target_pos + 140 + random.below(4))];
  }
  const GroupDraft draft = encode_group(source, target, covers, {{0, target.size(), false, 0}}, kMaxWindowBytes);
  return pack_group(draft, fitting_scope(draft, kModelStreams & ~(1u << kResidualValues))).code.size();
}

TEST(PackedGroups, PlacesTellWhereBlocksBegin) {
  EXPECT_LT(2 * code_bytes_of_blocks(512), code_bytes_of_blocks(1));
}

// Copies from three places in turn: jumps between these are far, and all but as long as the way that was gone meanwhile.
TEST(PackedGroups, TracksTellWhereCopiesGoOn) {
  const WovenPair pair = woven_pair(1000, 7);
  const GroupDraft draft = encode_group(pair.old_version, pair.new_version, pair.covers,
                                        {{0, pair.new_version.size(), false, 0}}, kMaxWindowBytes);
  Covers scattered = pair.covers;  // the same copies from anywhere
  Random random(8);
  for (Cover& cover : scattered) cover.source_pos = random.below(pair.old_version.size() - cover.length);
  const GroupDraft no_tracks = encode_group(pair.old_version, pair.new_version, scattered,
                                            {{0, pair.new_version.size(), false, 0}}, kMaxWindowBytes);
  const auto code_bytes = [](const GroupDraft& of) { return pack_group(of, fitting_scope(of, 1u << kDiagonals)).code.size(); };
  EXPECT_LT(3 * code_bytes(draft), 2 * code_bytes(no_tracks));
  expect_comes_back(draft, kModelStreams);
}

TEST(DiagonalTracks, KeepTheirOrder) {
  constexpr std::uint64_t kNear = 65536;
  mix::DiagonalTracks tracks;
  tracks.use(5 * kNear);  // a new one
  EXPECT_EQ(5 * kNear, tracks.at(0));
  EXPECT_EQ(0u, tracks.at(1));
  tracks.use(0 - kNear + 1);  // near 0, the first of those
  EXPECT_EQ(0 - kNear + 1, tracks.at(0));
  EXPECT_EQ(5 * kNear, tracks.at(1));
  EXPECT_EQ(0u, tracks.at(2));
  tracks.use(6 * kNear);  // not near enough
  EXPECT_EQ(6 * kNear, tracks.at(0));
  EXPECT_EQ(5 * kNear, tracks.at(2));
  tracks.use(11 * kNear / 2);  // as near to both: the first moves
  EXPECT_EQ(11 * kNear / 2, tracks.at(0));
  EXPECT_EQ(0 - kNear + 1, tracks.at(1));
  EXPECT_EQ(5 * kNear, tracks.at(2));
  for (std::uint64_t i = 0; i < mix::DiagonalTracks::kCount; ++i) tracks.use((i + 100) * kNear);
  EXPECT_EQ(115 * kNear, tracks.at(0));
  EXPECT_EQ(100 * kNear, tracks.at(15));
  EXPECT_EQ(3u, tracks.choose(112 * kNear + 5, 0));
  EXPECT_EQ(0u, tracks.choose(115 * kNear + 5, 0));
}

TEST(PackedGroups, AnyCodeIsAnErrorOrAWindowThatHolds) {
  // Whatever the code says, lengths stay inside the window and counts are as declared.
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    Pieces feed(random_bytes(static_cast<std::size_t>(random.below(3000)), seed), 64);
    const auto scope_streams = static_cast<unsigned>(random.below(kModelStreams + 1)) | (1u << kLiteralLengths);
    const ModelScope scope{scope_streams, static_cast<unsigned>(random.below(3))};
    WindowUnpacker unpacker(scope, feed);
    for (int round = 0; round < 4; ++round) {
      WindowRecord record;
      record.target_length = random.between(1, 100'000);
      record.copy_count = random.below(100);
      record.run_count = random.below(200);
      StreamBytes streams;
      for (std::size_t i = 0; i < kStreamCount; ++i) {
        streams[i] = Bytes(static_cast<std::size_t>(i < 3 ? record.copy_count : record.run_count), 1);
      }
      if (!unpacker.unpack(record, streams)) break;
      EXPECT_LE(record.sizes[kLiterals], record.target_length);
      EXPECT_LE(streams[kResidualValues].size(), record.target_length + 200);
    }
  }
}

}  // namespace
}  // namespace bdelta::test::context_coder_test
