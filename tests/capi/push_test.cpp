// Push mode against pull mode, and what it holds in memory.
#include "base/varint.hpp"
#include "bdelta/push.hpp"
#include "capi/push_pairs.hpp"
#include "format/native/framing.hpp"
#include "hash/sha256.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::push_test {
namespace {

// A memory resource that tells the most bytes it had out.
class Gauge final : public std::pmr::memory_resource {
 public:
  [[nodiscard]] std::size_t peak() const noexcept { return peak_; }

 private:
  void* do_allocate(std::size_t size, std::size_t) override {
    now_ += size;
    peak_ = std::max(peak_, now_);
    return ::operator new(size);
  }
  void do_deallocate(void* block, std::size_t size, std::size_t) override {
    now_ -= size;
    ::operator delete(block);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  std::size_t now_ = 0;
  std::size_t peak_ = 0;
};

Result<Bytes> push_patch(ByteSpan source_bytes, ByteSpan patch, std::size_t piece, const PushOptions& options = {}) {
  io::MemoryReader source(source_bytes);
  Bytes made;
  MemoryWriter target(made);
  auto push = PushApply::open(source, static_cast<SequentialWriter&>(target), options);
  if (!push) return push.error();
  for (std::size_t at = 0; at < patch.size(); at += piece) {
    if (Status fed = (*push)->feed(patch.subspan(at, std::min(piece, patch.size() - at))); !fed) return fed.error();
  }
  auto report = (*push)->finish();
  if (!report) return report.error();
  return made;
}

PushOptions careful() {
  PushOptions options;
  options.apply.memory_limit_bytes = 64 << 20;
  options.apply.output_limit_bytes = 1 << 20;
  return options;
}

TEST(Push, TimeLimitCountsFromOpening) {
  const Pair pair = small_groups();
  PushOptions options;
  options.apply.time_limit_seconds = 1e-9;
  EXPECT_FAILS(ErrorCode::kTimeLimit, push_patch(pair.source, pair.patch, 100, options));
  options.apply.time_limit_seconds = 1e6;
  EXPECT_OK(push_patch(pair.source, pair.patch, 100, options));
}

TEST(Push, AgreesWithPullOnEveryDamage) {
  Random random(9);
  for (const Pair& pair : {small_groups(), programs(), renumbered(false), renumbered(true)}) {
    for (int round = 0; round < 600; ++round) {
      Bytes bad = pair.patch;
      const auto place = bad.begin() + static_cast<std::ptrdiff_t>(random.below(bad.size()));
      switch (random.below(4)) {
        case 0: bad.erase(place); break;
        case 1: bad.insert(place, *place); break;
        case 2: *place ^= static_cast<std::uint8_t>(1u << random.below(8)); break;
        default: *place = 0xff;
      }
      const auto pulled = apply_patch(pair.source, bad, Sink::kSequential, careful().apply);
      const auto pushed = push_patch(pair.source, bad, static_cast<std::size_t>(random.between(1, 300)), careful());
      ASSERT_EQ(static_cast<bool>(pulled), static_cast<bool>(pushed)) << round;
      if (pulled) {
        ASSERT_TRUE(same_bytes(*pulled, *pushed));
      } else {
        ASSERT_NE(ErrorCode::kInternal, pushed.error().code) << to_string(pushed.error());
      }
    }
  }
}

TEST(Push, SubstitutionsComeInAnyPieces) {
  for (const bool covers_apart : {false, true}) {
    const Pair pair = renumbered(covers_apart);
    ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kSubstitutions), split_patch(pair.patch).body[0]);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{100}, pair.patch.size()}) {
      const auto made = push_patch(pair.source, pair.patch, piece);
      ASSERT_OK(made);
      EXPECT_TRUE(same_bytes(pair.target, *made)) << covers_apart << ' ' << piece;
    }
  }
}

TEST(Push, ARecordOfSubstitutionsBeyondItsLimitIsRefusedAtOnce) {
  const Pair pair = renumbered(false);
  SplitPatch split = split_patch(pair.patch);
  split.header.decoder_memory_bytes = 60 << 20;
  Bytes body{static_cast<std::uint8_t>(native::RecordTag::kSubstitutions)};
  append_varint(body, native::kMaxSubstitutionRecordBytes + 1);
  Gauge gauge;
  PushOptions options = careful();
  options.memory = &gauge;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, push_patch(pair.source, with_header(split.header, body), 1, options));
  EXPECT_LT(gauge.peak(), 1000u);
}

// FORMAT.md: a body has less than 2^48 bytes, whatever the header says of groups.
TEST(Push, ImpossibleLengthsAreDamageAsInPullMode) {
  const Pair pair = small_groups();
  native::Header header = split_patch(pair.patch).header;
  const auto with_record = [&header](native::RecordTag tag, std::uint64_t body_bytes) {
    Bytes patch = native::encode_header(header);
    append(patch, native::encode_record_head(tag, body_bytes));
    patch.resize(patch.size() + 100);
    return patch;
  };
  for (const std::uint64_t body_bytes : {std::uint64_t{1} << 48, ~std::uint64_t{0}}) {
    for (const native::RecordTag tag : {native::RecordTag::kDigests, static_cast<native::RecordTag>(3)}) {
      const Bytes patch = with_record(tag, body_bytes);
      EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.source, patch));
      EXPECT_FAILS(ErrorCode::kPatchCorrupt, push_patch(pair.source, patch, 7));
      EXPECT_FAILS(ErrorCode::kPatchCorrupt, push_patch(pair.source, patch, patch.size()));
    }
    header.group_bytes = ~std::uint64_t{0};
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply_patch(pair.source, with_record(native::RecordTag::kGroup, body_bytes)));
    header = split_patch(pair.patch).header;
  }
}

TEST(Push, WritesAGroupAsSoonAsItIsWhole) {
  const Pair pair = small_groups();
  io::MemoryReader source(pair.source);
  Bytes made;
  MemoryWriter target(made);
  const auto push = PushApply::open(source, static_cast<SequentialWriter&>(target), {});
  ASSERT_OK(push);
  std::size_t steps = 0;
  for (std::size_t at = 0; at < pair.patch.size(); ++at) {
    const std::size_t before = made.size();
    ASSERT_OK((*push)->feed(ByteSpan(pair.patch).subspan(at, 1)));
    steps += made.size() != before;
  }
  // The last group came before the end record and before finish.
  EXPECT_EQ(pair.target, made);
  EXPECT_EQ((pair.target.size() + 1399) / 1400, steps);
  EXPECT_OK((*push)->finish());
}

TEST(Push, HoldsOnePartAtATime) {
  const Pair pair = small_groups();
  io::MemorySequentialReader reader(pair.patch);
  const auto info = inspect(reader);
  ASSERT_OK(info);
  Gauge gauge;
  PushOptions options;
  options.memory = &gauge;
  ASSERT_OK(push_patch(pair.source, pair.patch, 1, options));
  const std::uint64_t largest_record = info->group_bytes + 1 + 2 * kMaxVarintBytes;
  EXPECT_GT(gauge.peak(), info->group_bytes);
  EXPECT_LE(gauge.peak(), 2 * largest_record);  // while a vector moves into a larger one it has both
  EXPECT_LT(2 * largest_record, pair.patch.size());
  Gauge idle;
  options.memory = &idle;
  ASSERT_OK(push_patch(pair.source, pair.patch, pair.patch.size(), options));
  EXPECT_EQ(0u, idle.peak());  // nothing is copied of what comes whole
}

TEST(Push, WhatAHeaderDeclaresIsHeldAgainstTheLimitFirst) {
  const Pair pair = small_groups();
  SplitPatch split = split_patch(pair.patch);
  split.header.group_bytes = std::uint64_t{1} << 40;
  Gauge gauge;
  PushOptions options = careful();
  options.memory = &gauge;
  EXPECT_FAILS(ErrorCode::kMemoryLimit, push_patch(pair.source, with_header(split.header, split.body), 1, options));
  EXPECT_LT(gauge.peak(), 1000u);
}

TEST(Push, AGlobalRecordOfTinyFramesIsBounded) {
  const Pair pair = programs();
  SplitPatch split = split_patch(pair.patch);
  split.header.decoder_memory_bytes = 32 << 20;
  Bytes body{1, 0};  // predictor, kinds
  append_varint(body, 16 << 20);  // images
  append_varint(body, 0);
  body.push_back(0);
  for (int i = 0; i < 40; ++i) {  // stored frames of one byte that claim 2 MiB each
    append_varint(body, 2 << 20);
    body.push_back(1);
    body.resize(body.size() + (std::size_t{2} << 20));
  }
  PushOptions options = careful();
  const Bytes record = native::seal_record(native::RecordTag::kGlobal, body);
  EXPECT_FAILS(ErrorCode::kMemoryLimit, push_patch(pair.source, with_header(split.header, record), 1 << 16, options));
}

TEST(Push, AListOfDigestsBeyondTheLimitIsRefused) {
  const Pair pair = small_groups();
  SplitPatch split = split_patch(pair.patch);
  for (const unsigned log : {47u, 45u, 27u}) {
    Bytes body = native::encode_record_head(native::RecordTag::kDigests, std::uint64_t{1} << log);
    append(body, split.body);
    const Bytes bad = with_header(split.header, body);
    EXPECT_FAILS(ErrorCode::kMemoryLimit, push_patch(pair.source, bad, 5, careful()));
    EXPECT_FAILS(ErrorCode::kMemoryLimit, apply_patch(pair.source, bad, Sink::kSequential, careful().apply));
  }
}

TEST(Push, AGroupBeyondWhatTheHeaderDeclaresIsRefusedAtOnce) {
  const Pair pair = small_groups();
  const SplitPatch split = split_patch(pair.patch);
  const Bytes body = native::encode_record_head(native::RecordTag::kGroup, split.header.group_bytes + 1);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, push_patch(pair.source, with_header(split.header, body), 1));
}

TEST(Push, ATrustedHeadNeedsAList) {
  const Pair pair = small_groups();
  const SplitPatch split = split_patch(pair.patch);
  PushOptions options;
  options.apply.expected_head_sha256 = sha256(with_header(split.header, {}));
  EXPECT_FAILS(ErrorCode::kPatchDigest, push_patch(pair.source, pair.patch, 7, options));
  EXPECT_FAILS(ErrorCode::kPatchDigest, apply_patch(pair.source, pair.patch, Sink::kSequential, options.apply));
}

// A patch of many small parts with a list of them, and the digest of its head.
struct ListedPair : Pair {
  Sha256Digest head{};
};

ListedPair listed_pair() {
  ListedPair pair{small_groups()};
  const SplitPatch split = split_patch(pair.patch);
  native::RecordFramer framer(1 << 20);
  ByteSpan rest = pair.patch;
  Bytes list;
  for (bool is_head = true; !rest.empty(); is_head = false) {
    const auto measure = framer.measure(rest);
    EXPECT_OK(measure);
    const ByteSpan record = rest.first(static_cast<std::size_t>(measure->bytes));
    if (!is_head) append(list, sha256(record));
    EXPECT_OK(framer.advance(record));
    rest = rest.subspan(record.size());
  }
  const native::Header& header = split.header;
  Bytes body = native::seal_record(native::RecordTag::kDigests, list);
  const std::size_t list_bytes = body.size();
  append(body, split.body);
  pair.patch = with_header(header, body);
  pair.head = sha256(ByteSpan(pair.patch).first(native::header_bytes_of(pair.patch) + list_bytes));
  return pair;
}

TEST(ExpectedHead, ProvesEachPartBeforeItIsDecoded) {
  const ListedPair pair = listed_pair();
  ApplyOptions options;
  options.expected_head_sha256 = pair.head;
  for (const Sink sink : kAllSinks) {
    const auto made = apply_patch(pair.source, pair.patch, sink, options);
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(sink == Sink::kCheck ? Bytes() : pair.target, *made));
  }
  for (std::size_t at = 0; at < pair.patch.size(); ++at) {
    Bytes bad = pair.patch;
    bad[at] ^= 0x10;
    const auto made = apply_patch(pair.source, bad, Sink::kSequential, options);
    ASSERT_FALSE(made) << at;
    const ErrorCode code = made.error().code;  // what tells where a part ends may be hit, or what tells the format
    ASSERT_TRUE(code == ErrorCode::kPatchDigest || code == ErrorCode::kPatchTruncated || at < 5) << at << to_string(made.error());
  }
}

TEST(ExpectedHead, TellsThatThePatchIsCutOrGoesOn) {
  const ListedPair pair = listed_pair();
  ApplyOptions options;
  options.expected_head_sha256 = pair.head;
  for (std::size_t size = 8; size < pair.patch.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchTruncated,
                 apply_patch(pair.source, ByteSpan(pair.patch).first(size), Sink::kSequential, options));
  }
  Bytes longer = pair.patch;
  longer.push_back(1);
  EXPECT_FAILS(ErrorCode::kPatchTrailingBytes, apply_patch(pair.source, longer, Sink::kSequential, options));
}

TEST(ExpectedHead, GoesTogetherWithTheDigestOfTheWhole) {
  const ListedPair pair = listed_pair();
  ApplyOptions options;
  options.expected_head_sha256 = pair.head;
  options.expected_patch_sha256 = sha256(pair.patch);
  EXPECT_OK(apply_patch(pair.source, pair.patch, Sink::kSequential, options));
  (*options.expected_patch_sha256)[0] ^= 1;
  EXPECT_FAILS(ErrorCode::kPatchDigest, apply_patch(pair.source, pair.patch, Sink::kSequential, options));
  options.expected_patch_sha256 = sha256(pair.patch);
  (*options.expected_head_sha256)[31] ^= 1;
  EXPECT_FAILS(ErrorCode::kPatchDigest, apply_patch(pair.source, pair.patch, Sink::kSequential, options));
}

TEST(ExpectedHead, PartsThatWaitCountAsMemory) {
  const SplitPatch split = split_patch(listed_pair().patch);
  native::Header header = split.header;
  header.group_bytes = std::uint64_t{1} << 40;
  const Bytes patch = with_header(header, split.body);
  const auto list_bytes = static_cast<std::size_t>(native::parse_record_head(split.body)->bytes());
  ApplyOptions options = careful().apply;
  EXPECT_OK(apply_patch(small_groups().source, patch, Sink::kSequential, options));
  options.expected_head_sha256 = sha256(ByteSpan(patch).first(native::header_bytes_of(patch) + list_bytes));
  EXPECT_FAILS(ErrorCode::kMemoryLimit, apply_patch(small_groups().source, patch, Sink::kSequential, options));
}

TEST(ExpectedHead, KnowsNoFormatWithoutAList) {
  ApplyOptions options;
  options.expected_head_sha256.emplace();
  const Bytes source = bytes_of("old");
  EXPECT_FAILS(ErrorCode::kNotAPatch, apply_patch(source, bytes_of("PK\3\4 is an archive"), Sink::kSequential, options));
  EXPECT_FAILS(ErrorCode::kPatchTruncated, apply_patch(source, {}, Sink::kSequential, options));
  CreateOptions create;
  create.format = PatchFormat::kBdt1;
  const auto patch = make_patch(source, bytes_of("new"), create);
  ASSERT_OK(patch);
  EXPECT_FAILS(ErrorCode::kPatchDigest, apply_patch(source, *patch, Sink::kSequential, options));
}

TEST(Push, DigestsAreCountedToo) {
  const Pair pair = small_groups();
  CreateOptions options;
  options.group_digests = true;
  const auto listed = make_patch(pair.source, pair.target, options);
  ASSERT_OK(listed);
  ASSERT_OK(push_patch(pair.source, *listed, 4));
  const SplitPatch split = split_patch(*listed);
  for (const int change : {-1, 1}) {
    std::vector<CraftedRecord> records = records_of(split.body);
    Bytes& list = records[0].body;
    list.resize(change < 0 ? list.size() - 32 : list.size() + 32);
    const auto list_bytes = native::seal_record(native::RecordTag::kDigests, list).size();
    const Bytes bad = with_header(split.header, joined(records));
    EXPECT_FAILS(ErrorCode::kPatchDigest, push_patch(pair.source, bad, 4));
    ApplyOptions expecting;
    expecting.expected_head_sha256 = sha256(ByteSpan(bad).first(native::header_bytes_of(bad) + list_bytes));
    EXPECT_FAILS(ErrorCode::kPatchDigest, apply_patch(pair.source, bad, Sink::kSequential, expecting));
  }
}

TEST(Push, KnowsNoFormatButOurs) {
  const Bytes source = bytes_of("old");
  EXPECT_FAILS(ErrorCode::kNotAPatch, push_patch(source, bytes_of("PK\3\4 is an archive"), 1));
  EXPECT_FAILS(ErrorCode::kUnsupportedVersion, push_patch(source, bytes_of("BDT\7\1 of tomorrow"), 2));
  EXPECT_FAILS(ErrorCode::kPatchTruncated, push_patch(source, bytes_of("BD"), 1));
  EXPECT_FAILS(ErrorCode::kNotAPatch, push_patch(source, bytes_of("hi"), 1));
}

TEST(PatchSha256, IsProvenForStreams) {
  const Pair pair = small_groups();
  ApplyOptions options;
  options.expected_patch_sha256 = sha256(pair.patch);
  for (const Sink sink : kAllSinks) EXPECT_OK(apply_patch(pair.source, pair.patch, sink, options));
  Bytes bad = pair.patch;
  bad.back() ^= 1;
  for (const Sink sink : kAllSinks) EXPECT_FAILS(ErrorCode::kPatchDigest, apply_patch(pair.source, bad, sink, options));
}

TEST(Sha256, KnownDigests) {
  EXPECT_EQ("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", to_hex(sha256({})));
  EXPECT_EQ("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", to_hex(sha256(bytes_of("abc"))));
  const Bytes bytes = random_bytes(1000, 4);
  Sha256Hasher hasher;
  for (std::size_t at = 0; at < bytes.size(); at += 37) {
    hasher.update(ByteSpan(bytes).subspan(at, std::min<std::size_t>(37, bytes.size() - at)));
  }
  EXPECT_EQ(sha256(bytes), hasher.finish());
  EXPECT_EQ(sha256({}), hasher.finish());
}

}  // namespace
}  // namespace bdelta::test::push_test
