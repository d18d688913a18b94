// What a patch may ask for, and what the original did with it. Memory is counted: what a patch
// declares must not be allocated before it is proven.
#include <malloc.h>

#include <atomic>
#include <cstdlib>

#include "base/memory_limit.hpp"
#include "base/varint.hpp"
#include "bdelta/push.hpp"
#include "exe/image_extents.hpp"
#include "exe/image_table.hpp"
#include "exe/program.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/memory_writer.hpp"
#include "support/program_pair.hpp"
#include "support/replace_new.hpp"

namespace {

std::atomic<std::size_t> g_now{0};
std::atomic<std::size_t> g_peak{0};
std::atomic<std::size_t> g_total{0};  // of all that was ever allocated

}  // namespace

namespace bdelta::test {

void* allocate(std::size_t size) noexcept {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  g_total += malloc_usable_size(memory);
  const std::size_t now = g_now += malloc_usable_size(memory);
  std::size_t peak = g_peak;
  while (now > peak && !g_peak.compare_exchange_weak(peak, now)) {
  }
  return memory;
}

void release(void* memory) noexcept {
  if (memory == nullptr) return;
  g_now -= malloc_usable_size(memory);
  std::free(memory);
}

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// The highest sum of C++ allocations during `work`, above what was there before.
template <class Work>
std::size_t peak_of(Work work) {
  const std::size_t before = g_now;
  g_peak = before;
  work();
  return g_peak - before;
}

Error error_of(ByteSpan source, ByteSpan patch, const ApplyOptions& options = {}) {
  const auto made = apply_patch(source, patch, Sink::kSequential, options);
  EXPECT_FALSE(static_cast<bool>(made)) << "made " << (made ? made->size() : 0) << " bytes";
  return made ? Error{} : made.error();
}

// Records of any length are proven in the memory of a piece, as is a list of any number of digests.
TEST(VerifyPatch, HoldsOnePieceAtATime) {
  native::Header header = header_of({}, Bytes(1));
  header.group_bytes = 16 * kMiB;
  Bytes group(16 * kMiB, 1);
  Bytes patch = native::encode_header(header);
  append(patch, native::seal_record(native::RecordTag::kDigests, Bytes(8 * kMiB)));
  append(patch, native::seal_record(static_cast<native::RecordTag>(5), Bytes(16 * kMiB)));
  append(patch, native::seal_record(native::RecordTag::kGroup, group));
  patch.push_back(0);
  io::MemorySequentialReader reader(patch);
  const std::size_t peak = peak_of([&] { EXPECT_FAILS(ErrorCode::kPatchDigest, verify_patch(reader)); });
  EXPECT_LT(peak, 3 * kMiB / 2);
}

// What waits counts against the limit of memory, so no second copy of it is made.
TEST(Push, ARecordThatIsPassedOverIsProvenWhereItIs) {
  const Bytes target(1);
  Bytes patch = native::encode_header(header_of({}, target));
  Bytes record = native::seal_record(static_cast<native::RecordTag>(5), Bytes(16 * kMiB));
  io::MemoryReader source({});
  Bytes made;
  MemoryWriter writer(made);
  for (const bool damaged : {false, true}) {
    record[record.size() / 2] ^= static_cast<std::uint8_t>(damaged);
    Status fed;
    const std::size_t peak = peak_of([&] {
      auto push = PushApply::open(source, static_cast<SequentialWriter&>(writer), {});
      ASSERT_OK(push);
      fed = (*push)->feed(patch);
      if (fed) fed = (*push)->feed(ByteSpan(record).first(1));
      if (fed) fed = (*push)->feed(ByteSpan(record).subspan(1));
    });
    EXPECT_LT(peak, 20 * kMiB);
    EXPECT_EQ(!damaged, static_cast<bool>(fed));
  }
}

// --- formats.md, section 4: what the original did ---

TEST(LikeTheOriginalDid, MatchCountOfAllOnes) {
  // The original wrote behind a buffer of no elements.
  const Bytes patch = bdt1_header(10, 10, 0xffffffff);
  std::size_t peak = peak_of([&] { EXPECT_EQ(ErrorCode::kMemoryLimit, error_of(Bytes(10), patch).code); });
  EXPECT_LT(peak, kMiB);
  ApplyOptions generous;
  generous.memory_limit_bytes = ~std::uint64_t{0};
  // 2^32 matches of 12 bytes are more than 32-bit addresses reach.
  const bool is_reached = reachable_limit(generous.memory_limit_bytes) == generous.memory_limit_bytes;
  const ErrorCode expected = is_reached ? ErrorCode::kPatchTruncated : ErrorCode::kMemoryLimit;
  peak = peak_of([&] { EXPECT_EQ(expected, error_of(Bytes(10), patch, generous).code); });
  EXPECT_LT(peak, kMiB);
}

TEST(LikeTheOriginalDid, MatchSumBeyondTheNewSize) {
  const Bytes old(100, 'x');
  EXPECT_EQ(ErrorCode::kPatchCorrupt, error_of(old, bdt1_patch(100, 10, {{0, 0, 11}}, {})).code);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, error_of(old, bdt1_patch(100, 10, {{0, 4, 4}, {0, 3, 0}}, Bytes(7))).code);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, error_of(old, bdt1_patch(100, 10, {{0, 0xffffffff, 0xffffffff}}, {})).code);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, error_of(old, bdt1_patch(100, 10, {{0, 0xfffffff8, 16}}, {})).code);
}

TEST(LikeTheOriginalDid, MadeFor999BytesAppliedTo10) {
  const Bytes old = random_bytes(999, 1);
  for (const PatchFormat format : {PatchFormat::kBdt1, PatchFormat::kBdt2}) {
    const auto patch = make_patch(old, Bytes(4, 'n'), create_options(1, format));
    ASSERT_OK(patch);
    EXPECT_EQ(ErrorCode::kWrongSourceSize, error_of(Bytes(10), *patch).code);
  }
}

TEST(LikeTheOriginalDid, AmplificationStopsAtTheOutputLimit) {
  // 1.2 MB that copy ten bytes a hundred thousand times.
  std::vector<Bdt1Match> matches(100'000, Bdt1Match{-10, 0, 10});
  matches[0].source_seek = 0;
  const Bytes old = bytes_of("0123456789");
  const Bytes patch = bdt1_patch(10, 1'000'000, matches, {});
  ApplyOptions options;
  options.output_limit_bytes = 999'999;
  EXPECT_EQ(ErrorCode::kOutputLimit, error_of(old, patch, options).code);
  options.output_limit_bytes = 1'000'000;
  const auto made = apply_patch(old, patch, Sink::kSequential, options);
  ASSERT_OK(made);
  EXPECT_EQ(1'000'000u, made->size()) << "it is a valid patch";
}

TEST(LikeTheOriginalDid, OutputThatCannotBeWritten) {
  const Bytes old = random_bytes(100, 2);
  const auto patch = make_patch(old, old, create_options(1));
  ASSERT_OK(patch);
  io::MemoryReader source(old);
  io::MemorySequentialReader reader(*patch);
  FailingWriter writer(0, ErrorCode::kWriteFailed);
  EXPECT_FAILS(ErrorCode::kWriteFailed, apply(source, reader, writer, {}));
}

// --- limits of version 2 ---

class Declared : public ::testing::Test {
 protected:
  Bytes old = random_bytes(1000, 3);
  native::Header header = header_of(old, old);

  Error error_with(ByteSpan body, const ApplyOptions& options = {}) const {
    return error_of(old, with_header(header, body), options);
  }
};

TEST_F(Declared, HugeTargetIsNotAllocated) {
  header.target_size = std::uint64_t{1} << 60;
  const std::size_t peak = peak_of([&] { EXPECT_EQ(ErrorCode::kPatchCorrupt, error_with(Bytes{0}).code); });
  EXPECT_LT(peak, 4 * kMiB);
  ApplyOptions options;
  options.output_limit_bytes = 1 << 30;
  EXPECT_EQ(ErrorCode::kOutputLimit, error_with(Bytes{0}, options).code);
}

TEST_F(Declared, HugePlainWindowIsNotAllocated) {
  header.target_size = std::uint64_t{1} << 60;
  header.group_bytes = 100;
  Bytes head = {0, 1};
  append_varint(head, header.target_size << 1);
  head.push_back(0);
  const std::size_t peak = peak_of([&] {
    EXPECT_EQ(ErrorCode::kOpOutOfRange, error_with(group_record(header.target_size, head, {})).code);
  });
  EXPECT_LT(peak, 4 * kMiB);
}

TEST_F(Declared, MemoryBeyondTheLimitIsRefusedBeforeItIsTaken) {
  header.decoder_memory_bytes = (std::uint64_t{256} << 20) + 1;
  EXPECT_EQ(ErrorCode::kMemoryLimit, error_with(Bytes{0}).code);
  header.decoder_memory_bytes = ~std::uint64_t{0};
  EXPECT_EQ(ErrorCode::kMemoryLimit, error_with(Bytes{0}).code);
}

TEST_F(Declared, MemoryBeyondAllAddressesIsRefusedWhateverTheLimit) {
  const std::uint64_t most_bytes = reachable_limit(~std::uint64_t{0});
  if (most_bytes == ~std::uint64_t{0}) GTEST_SKIP() << "64-bit addresses reach all that a patch can declare";
  ApplyOptions options;
  options.memory_limit_bytes = ~std::uint64_t{0};
  header.decoder_memory_bytes = most_bytes + 1;
  EXPECT_EQ(ErrorCode::kMemoryLimit, error_with(Bytes{0}, options).code);
}

TEST_F(Declared, HeadOfAGroupBeyondTheLimit) {
  header.group_bytes = ~std::uint64_t{0};
  Bytes body = {1};
  append_varint(body, 1000);
  append_varint(body, std::uint64_t{1} << 62);
  append_varint(body, std::uint64_t{1} << 61);
  const std::size_t peak = peak_of([&] { EXPECT_EQ(ErrorCode::kPatchCorrupt, error_with(body).code); });
  EXPECT_LT(peak, 4 * kMiB);
}

TEST_F(Declared, FrameBeyondTheLimit) {
  header.group_bytes = std::uint64_t{1} << 40;
  header.window_bytes = 1000;
  Bytes head = {0, 1};
  append_varint(head, 1000 << native::kWindowBits | native::kWindowCoded);
  append_le(head, std::uint32_t{0});
  append(head, Bytes{0, 0x40});
  append_varint(head, 1000);
  head.push_back(0);
  for (const std::uint64_t raw : {std::uint64_t{0}, (std::uint64_t{1} << 20) + 1, std::uint64_t{1} << 63}) {
    Bytes frames = {6};
    append_varint(frames, raw);
    EXPECT_EQ(ErrorCode::kPatchCorrupt, error_with(group_record(1000, head, frames)).code);
  }
}

TEST_F(Declared, FramesAheadOfTheirTurnTakeNoMemory) {
  // A window that needs stream 0 and one literal byte; before stream 0 stand many frames of literals that decode to
  // 1 MiB each out of a few bytes. FORMAT.md: a reader holds no more than one window and one frame more.
  auto encoder = make_encoder({CodecId::kZstd, 1, 0}, 64 * kMiB);
  ASSERT_OK(encoder);
  Bytes frames;
  for (int i = 0; i < 64; ++i) {
    Bytes coded;
    ASSERT_OK((*encoder)->encode(Bytes(kMiB), i == 63, coded));
    frames.push_back(kLiterals);
    append_varint(frames, coded.size());
    append_varint(frames, kMiB);
    append(frames, coded);
  }
  ASSERT_LT(frames.size(), 64u * 1024) << "the bomb is small";
  append(frames, Bytes{kLiteralLengths, 1, 1});
  header.target_size = 2;
  header.window_bytes = 2;
  header.group_bytes = 1 << 20;
  header.decoder_memory_bytes = 128 * kMiB;
  Bytes head = {0, 1, 2 << native::kWindowBits | native::kWindowCoded, 0, 0, 0, 0, 1, 0x47, 1, 1, 1, 1, 0, 0, 0};
  head.push_back(static_cast<std::uint8_t>(1 | (26 - kMinWindowLog) << 4));
  const std::size_t peak = peak_of([&] { (void)error_with(group_record(2, head, frames)); });
  EXPECT_LT(peak, 8 * kMiB);
}

TEST_F(Declared, CountsOfAPackedWindowStayBounded) {
  // The largest window with the most copies and runs, out of a code that has no bytes.
  header.target_size = kMaxWindowBytes;
  header.window_bytes = kMaxWindowBytes;
  header.group_bytes = 1000;
  header.decoder_memory_bytes = model_memory_bytes({kModelStreams, kMaxTableLog});
  Bytes head = {kMaxTableLog << 4 | 1, kModelStreams, 1};
  append_varint(head, kMaxWindowBytes << native::kWindowBits | native::kWindowCoded);
  append_le(head, std::uint32_t{0});
  append_varint(head, kMaxWindowCopies);
  append_varint(head, kMaxWindowRuns);
  const Bytes record = group_record(kMaxWindowBytes, head, {});
  const std::size_t peak = peak_of([&] { (void)error_with(record); });
  EXPECT_LT(peak, header.decoder_memory_bytes + 16 * kMiB);
  --header.decoder_memory_bytes;
  const std::size_t refused = peak_of([&] { EXPECT_EQ(ErrorCode::kPatchCorrupt, error_with(record).code); });
  EXPECT_LT(refused, 4 * kMiB) << "more than the header declares is not taken";
}

TEST_F(Declared, TablesOfWindowsStayNearTheirBytes) {
  // Two bytes of table a window: a full head of 4 MiB describes two million of them.
  constexpr std::uint64_t kWindows = 2'000'000;
  header.target_size = kWindows;
  header.group_bytes = 8 * kMiB;
  Bytes head = {0};
  append_varint(head, kWindows);
  for (std::uint64_t i = 0; i < kWindows; ++i) append(head, Bytes{2, 0});
  const Bytes record = group_record(kWindows, head, {});
  const Bytes patch = with_header(header, record);
  const std::size_t peak = peak_of([&] { (void)error_of(old, patch); });
  EXPECT_LT(peak, 64 * kMiB) << "apply.hpp promises 16 MiB and a few MiB a thread";
}

// A global record of all images of OLD and none of NEW, with labels as `labels` have them.
Bytes global_record(ByteSpan old, ByteSpan labels) {
  const std::vector<exe::Image> images = exe::find_images(old);
  Bytes raw;
  exe::append_image_extents(raw, images);
  exe::append_image_table(raw, exe::Images(images), exe::Images({}));
  Bytes record = {1};
  append_varint(record, 0x1ffffff);
  append_varint(record, raw.size());
  append_varint(record, labels.size());
  record.push_back(static_cast<std::uint8_t>(1 | (16 - kMinWindowLog) << 4));
  const auto encoder = make_encoder({CodecId::kZstd, 1, 0, 16}, raw.size() + labels.size());
  EXPECT_OK(encoder);
  append(raw, labels);
  for (std::size_t pos = 0; pos < raw.size(); pos += kMiB) {
    const std::size_t size = std::min(kMiB, raw.size() - pos);
    Bytes coded;
    EXPECT_OK((*encoder)->encode(ByteSpan(raw).subspan(pos, size), pos + size == raw.size(), coded));
    append_varint(record, coded.size());
    append_varint(record, size);
    append(record, coded);
  }
  return native::seal_record(native::RecordTag::kGlobal, record);
}

TEST(PredictionLimits, LabelsAreDeclaredAsTheyAreHeld) {
  // Each takes two bytes, which compress to next to nothing, and 28 in memory.
  constexpr std::size_t kLabels = std::size_t{2} << 20;
  const Bytes old = program_pair(11, 20).old_version;
  Bytes labels = {1};
  append_varint(labels, kLabels);
  labels.insert(labels.end(), kLabels, 1);  // addresses
  labels.insert(labels.end(), kLabels, 0);  // where they went
  const Bytes record = global_record(old, labels);
  ASSERT_LT(record.size(), 4096u) << "the bomb is small";
  native::Header header = header_of(old, {});
  header.required_features = native::kFeaturePrediction;
  header.decoder_memory_bytes = 8 * kMiB;
  Bytes body = record;
  body.push_back(0);
  const std::size_t peak = peak_of([&] {
    EXPECT_EQ(ErrorCode::kPatchCorrupt, error_of(old, with_header(header, body)).code);
  });
  EXPECT_LT(peak, 24 * kMiB) << "the labels would take 56 MiB";
  header.decoder_memory_bytes = 64 * kMiB;
  EXPECT_OK(apply_patch(old, with_header(header, body)));
}

TEST(ProgramLimits, ManySmallSectionsOfManyImagesAreNotCopiedAgainAndAgain) {
  Bytes file;
  for (int image = 0; image < 40; ++image) {
    std::string text = "~toy-image\n";
    for (int section = 0; section < 256; ++section) text += "code " + std::to_string(1000 + 2 * section) + " 1\n";
    append(file, bytes_of(text + "end\n"));
    file.resize(file.size() + 256);
  }
  const std::size_t before = g_total;
  WorkerPool pool(1);
  const exe::Program program(file, exe::find_images(file), pool);
  ASSERT_EQ(40u, program.images().all.size());
  ASSERT_EQ(256u, program.images().all[39].sections.size());
  EXPECT_LT(g_total - before, 64 * kMiB) << "a copy of everything for each few sections would be gigabytes";
}

TEST(Bdt1Limits, WindowsOfTinyMatchesStayBounded) {
  // Twelve bytes of table give two ops: a window of 4 MiB would hold four million of them.
  std::vector<Bdt1Match> matches(1'000'000, Bdt1Match{-1, 1, 1});
  matches[0].source_seek = 0;
  const Bytes patch = bdt1_patch(1, 2'000'000, matches, Bytes(1'000'000));
  const Bytes old = {7};
  Bytes made;
  made.reserve(3'000'000);
  io::MemoryReader source(old);
  io::MemorySequentialReader reader(patch);
  MemoryWriter writer(made);
  const std::size_t peak = peak_of([&] { EXPECT_OK(apply(source, reader, writer, {})); });
  EXPECT_EQ(2'000'000u, made.size());
  EXPECT_LT(peak, 48 * kMiB) << "the table takes 12 MiB";
}

// What applying a patch of so many empty matches takes at most, with no more allowed than their table has in the patch.
std::size_t peak_of_empty_matches(std::size_t count) {
  const Bytes patch = bdt1_patch(1, 1, std::vector<Bdt1Match>(count, Bdt1Match{0, 0, 0}), Bytes{5});
  const Bytes old = {7};
  Bytes made;
  made.reserve(1);
  io::MemoryReader source(old);
  io::MemorySequentialReader reader(patch);
  MemoryWriter writer(made);
  ApplyOptions options;
  options.memory_limit_bytes = count * 12;
  return peak_of([&] { EXPECT_OK(apply(source, reader, writer, options)); });
}

TEST(Bdt1Limits, TheTableTakesWhatItDeclaresWhileItGrows) {
  const std::size_t few = peak_of_empty_matches(1'000'000);
  EXPECT_LT(peak_of_empty_matches(2'000'000) - few, 12'500'000u);
}

}  // namespace
}  // namespace bdelta::test
