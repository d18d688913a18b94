// Covers to streams and back, validation, execution.
#include "apply/execute.hpp"
#include "base/varint.hpp"
#include "model/window_decoder.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test::model_test {
namespace {

// Decodes and executes a whole draft, as a reader and the executor would.
Bytes rebuild(ByteSpan source, const GroupDraft& draft, std::uint64_t target_pos, RandomReader& reader) {
  Bytes target;
  std::array<std::size_t, kStreamCount> taken{};
  std::int64_t diagonal = 0;
  ExecuteCaches caches(reader, nullptr);
  for (const WindowRecord& record : draft.windows) {
    StreamBytes streams;
    for (std::size_t i = 0; i < kStreamCount; ++i) {
      const auto from = draft.streams[i].begin() + static_cast<std::ptrdiff_t>(taken[i]);
      streams[i].assign(from, from + static_cast<std::ptrdiff_t>(record.sizes[i]));
      taken[i] += static_cast<std::size_t>(record.sizes[i]);
    }
    WindowDelta window;
    window.target_pos = target_pos + target.size();
    EXPECT_OK(decode_window(record, streams, diagonal, window));
    EXPECT_OK(validate_window(window, source.size()));
    Bytes out(static_cast<std::size_t>(window.target_length));
    EXPECT_OK(execute_window(window, nullptr, caches, out));
    if (window.has_checksum) {
      EXPECT_EQ(window.checksum, xxh3_32(out));
    }
    append(target, out);
  }
  for (std::size_t i = 0; i < kStreamCount; ++i) EXPECT_EQ(draft.streams[i].size(), taken[i]) << stream_name(i);
  return target;
}

TEST(Model, GroupsComeBackThroughAnyWindowSize) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    const Bytes source = wordy_bytes(static_cast<std::size_t>(random.between(1, 20'000)), random.next());
    const Bytes target = edited(source, random_edits(8, source.size(), 900, random.next()));
    const Covers covers = covers_of(source, target);
    for (const std::uint64_t window_bytes :
         {std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{1000}, kMaxWindowBytes}) {
      if (window_bytes == 1 && target.size() > 3000) continue;
      const GroupDraft draft = encode_group(source, target, covers, {{0, target.size(), false, 0}}, window_bytes);
      for (const WindowRecord& record : draft.windows) ASSERT_LE(record.target_length, window_bytes);
      io::MemoryReader with_view(source);
      HiddenReader without(source);
      ASSERT_TRUE(same_bytes(target, rebuild(source, draft, 0, with_view)));
      ASSERT_TRUE(same_bytes(target, rebuild(source, draft, 0, without)));
    }
  }
}

TEST(Model, PlainWindowsKeepTheDiagonalGoing) {
  const Bytes source = random_bytes(6000, 2);
  Bytes target(source.begin() + 1000, source.begin() + 3000);
  append(target, bytes_of("something else"));
  target.insert(target.end(), source.begin() + 500, source.begin() + 700);
  const Covers covers = {{1000, 0, 2000}, {500, 2014, 200}};
  const GroupDraft draft =
      encode_group(source, target, covers, {{0, 2000, true, 1000}, {2000, target.size() - 2000, false, 0}}, 4096);
  ASSERT_EQ(2u, draft.windows.size());
  EXPECT_TRUE(draft.windows[0].plain);
  io::MemoryReader reader(source);
  EXPECT_TRUE(same_bytes(target, rebuild(source, draft, 0, reader)));
}

TEST(Model, WindowsEndBeforeTheLimitOfCopies) {
  // Each copy is one byte long and from elsewhere.
  const Bytes source(300, 0);
  const Bytes target(kMaxWindowCopies + 1000, 0);
  Covers covers;
  for (std::uint64_t i = 0; i < target.size(); ++i) covers.push_back({i * 7 % 299, i, 1});
  const GroupDraft draft = encode_group(source, target, covers, {{0, target.size(), false, 0}}, kMaxWindowBytes);
  ASSERT_GE(draft.windows.size(), 2u);
  for (const WindowRecord& record : draft.windows) EXPECT_LE(record.copy_count, kMaxWindowCopies);
  io::MemoryReader reader(source);
  EXPECT_TRUE(same_bytes(target, rebuild(source, draft, 0, reader)));
}

TEST(Model, WindowsEndBeforeTheLimitOfRuns) {
  const Bytes source = random_bytes(2 * kMaxWindowRuns + 5000, 3);
  Bytes target = source;
  for (std::size_t i = 0; i < target.size(); i += 2) ++target[i];
  const GroupDraft draft =
      encode_group(source, target, {{0, 0, target.size()}}, {{0, target.size(), false, 0}}, kMaxWindowBytes);
  EXPECT_GE(draft.windows.size(), 2u);
  io::MemoryReader reader(source);
  EXPECT_TRUE(same_bytes(target, rebuild(source, draft, 0, reader)));
}

TEST(Model, SplitWhereTheGroupBegins) {
  const Bytes source = wordy_bytes(9000, 4);
  const Bytes target = edited(source, random_edits(5, 9000, 300, 4));
  const Covers covers = covers_of(source, target);
  const std::uint64_t half = target.size() / 2;
  const GroupDraft draft = encode_group(source, target, covers, {{half, target.size() - half, false, 0}}, 1024);
  io::MemoryReader reader(source);
  EXPECT_TRUE(same_bytes(ByteSpan(target).subspan(half), rebuild(source, draft, half, reader)));
}

// --- decode_window on streams that lie ---

struct Streams {
  WindowRecord record;
  StreamBytes streams;
};

// One copy of 5 at diagonal 0 behind 3 literals, then 2 more; one residual byte.
Streams honest() {
  Streams made;
  made.record.target_length = 10;
  made.record.copy_count = 1;
  made.streams[kLiteralLengths] = {3};
  made.streams[kCopyLengths] = {5};
  made.streams[kDiagonals] = {0};
  made.streams[kResidualGaps] = {4};
  made.streams[kResidualLengths] = {0};
  made.streams[kResidualValues] = {9};
  made.streams[kLiterals] = {1, 2, 3, 4, 5};
  return made;
}

Status decoded(Streams made, std::uint64_t source_size = 20) {
  std::int64_t diagonal = 0;
  WindowDelta window;
  if (Status status = decode_window(made.record, made.streams, diagonal, window); !status) return status;
  return validate_window(window, source_size);
}

template <class Change>
void expect_refused(ErrorCode code, Change change) {
  Streams made = honest();
  change(made);
  EXPECT_FAILS(code, decoded(std::move(made)));
}

TEST(DecodeWindow, TheHonestOnePasses) { EXPECT_OK(decoded(honest())); }

TEST(DecodeWindow, RefusesWhatDoesNotAddUp) {
  const ErrorCode corrupt = ErrorCode::kPatchCorrupt;
  expect_refused(corrupt, [](Streams& s) { s.streams[kLiteralLengths] = {11}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kCopyLengths] = {8}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kCopyLengths] = {0}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kCopyLengths] = {}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kCopyLengths] = {5, 1}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kDiagonals] = {0x80}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kResidualGaps] = {5}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kResidualLengths] = {1}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kResidualLengths] = {}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kResidualLengths] = {0, 0}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kResidualValues] = {9, 9}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kLiterals] = {1, 2, 3, 4}; });
  expect_refused(corrupt, [](Streams& s) { s.streams[kLiterals] = {1, 2, 3, 4, 5, 6}; });
  expect_refused(corrupt, [](Streams& s) { s.record.copy_count = 2; });
  expect_refused(corrupt, [](Streams& s) { s.record.copy_count = 0; });
  expect_refused(corrupt, [](Streams& s) { s.record.target_length = 11; });
}

TEST(DecodeWindow, RefusesCopiesOutsideTheSource) {
  expect_refused(ErrorCode::kOpOutOfRange, [](Streams& s) { s.streams[kDiagonals] = {7}; });   // -4: before the start
  expect_refused(ErrorCode::kOpOutOfRange, [](Streams& s) { s.streams[kDiagonals] = {26}; });  // +13: beyond the end
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, decoded(honest(), 7));
  EXPECT_OK(decoded(honest(), 8));
}

TEST(DecodeWindow, DiagonalsThatWrapAreOutOfRange) {
  expect_refused(ErrorCode::kOpOutOfRange, [](Streams& s) {
    s.streams[kDiagonals].clear();
    append_varint(s.streams[kDiagonals], ~std::uint64_t{0});
  });
  Streams made;
  made.record.plain = true;
  made.record.target_length = 5;
  made.record.diagonal_change = std::numeric_limits<std::int64_t>::min();
  std::int64_t diagonal = -1;
  WindowDelta window;
  EXPECT_OK(decode_window(made.record, made.streams, diagonal, window));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, validate_window(window, 100));
}

TEST(DecodeWindow, RefusesMoreResidualRunsThanTheFormatAllows) {
  // FORMAT.md: at most 262,144 residual runs in a window.
  Streams made;
  const std::uint64_t runs = kMaxWindowRuns + 1;
  made.record.target_length = runs;
  made.record.copy_count = 1;
  made.streams[kLiteralLengths] = {0};
  append_varint(made.streams[kCopyLengths], runs);
  made.streams[kDiagonals] = {0};
  made.streams[kResidualGaps].assign(static_cast<std::size_t>(runs), 0);
  made.streams[kResidualLengths].assign(static_cast<std::size_t>(runs), 0);
  made.streams[kResidualValues].assign(static_cast<std::size_t>(runs), 1);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded(made, runs));
}

TEST(ValidateWindow, SumsThatWrapAreRefused) {
  WindowDelta window;
  window.target_length = 4;
  window.ops = {{OpKind::kLiteral, ~std::uint64_t{0}, 0}, {OpKind::kLiteral, 5, 0}};
  window.literals.resize(4);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, validate_window(window, 10));
  window.ops = {{OpKind::kCopy, 4, ~std::uint64_t{0} - 1}};
  window.literals.clear();
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, validate_window(window, 10));
}

TEST(Execute, ResidualGoesOnAcrossCopies) {
  const Bytes source = {10, 20, 30, 40, 50, 60};
  WindowDelta window;
  window.target_length = 7;
  window.ops = {{OpKind::kCopy, 2, 4}, {OpKind::kLiteral, 1, 0}, {OpKind::kCopy, 4, 0}};
  window.literals = {7};
  window.residual_runs = {{1, 3}, {1, 1}};  // copied bytes 1, 2, 3 and 5
  window.residual_values = {1, 2, 3, 250};
  ASSERT_OK(validate_window(window, source.size()));
  io::MemoryReader reader(source);
  ExecuteCaches caches(reader, nullptr);
  Bytes out(7);
  EXPECT_OK(execute_window(window, nullptr, caches, out));
  EXPECT_EQ(Bytes({50, 61, 7, 12, 23, 30, 34}), out);
}

TEST(Execute, ReadErrorsComeThrough) {
  const Bytes source(100, 1);
  HiddenReader reader(source);
  reader.read_error = Error{ErrorCode::kReadFailed, "bad sector"};
  WindowDelta window;
  window.target_length = 10;
  window.ops = {{OpKind::kCopy, 10, 0}};
  ExecuteCaches caches(reader, nullptr);
  Bytes out(10);
  EXPECT_FAILS(ErrorCode::kReadFailed, execute_window(window, nullptr, caches, out));
}

TEST(SourceCache, GivesTheBytesOfTheSourceInAnyOrder) {
  const Bytes source = random_bytes(3'000'123, 5);
  HiddenReader reader(source);
  SourceCache cache(reader);
  EXPECT_TRUE(cache.view().empty());
  Random random(6);
  std::uint64_t near = 0;
  for (int i = 0; i < 6000; ++i) {
    near = random.below(10) == 0 ? random.below(source.size()) : (near + random.below(3000)) % source.size();
    const std::uint64_t longest = random.below(50) == 0 ? 200'000 : 700;
    const auto length = static_cast<std::size_t>(std::min(random.below(longest), source.size() - near));
    Bytes out(length);
    ASSERT_OK(cache.read(near, out));
    ASSERT_TRUE(same_bytes(ByteSpan(source).subspan(near, length), out));
  }
}

}  // namespace
}  // namespace bdelta::test::model_test
