// create keeps to its limit of memory: everything that C++ allocates is counted, of inputs three times as large as the
// limit. What the codecs allocate by themselves is not seen here; the large tests measure the whole process. Likewise apply
// keeps to what its patch declares and to its buffers.
#include <atomic>
#include <cstdlib>

#if defined(__linux__)
#include <malloc.h>
#endif

#include "support/craft.hpp"
#include "deflate/zlib_stream.hpp"
#include "format/native/layout.hpp"
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/kernel_modules.hpp"
#include "support/memory.hpp"
#include "support/program_pair.hpp"
#include "support/replace_new.hpp"
#include "support/tar.hpp"

namespace {

std::atomic<long long> g_live_bytes{0};
std::atomic<long long> g_peak_bytes{0};

long long usable_bytes(void* memory) {
#if defined(__linux__)
  return static_cast<long long>(malloc_usable_size(memory));
#else
  (void)memory;
  return 0;
#endif
}

}  // namespace

namespace bdelta::test {

void* allocate(std::size_t size) noexcept {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) return nullptr;
  const long long live = g_live_bytes += usable_bytes(memory);
  long long peak = g_peak_bytes.load();
  while (live > peak && !g_peak_bytes.compare_exchange_weak(peak, live)) {
  }
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr) g_live_bytes -= usable_bytes(memory);
  std::free(memory);
}

namespace {

constexpr long long kLimitBytes = 64ll << 20;
constexpr std::size_t kSourceBytes = 200'000'000;

class NullWriter final : public SequentialWriter {
 public:
  Status write(ByteSpan) override { return {}; }
  Status finish() override { return {}; }
};

class PeakMemory : public ::testing::TestWithParam<int> {};

void expect_kept(const Bytes& source, const Bytes& target, int level) {
  CreateOptions options = create_options(level, PatchFormat::kBdt2, 4);
  options.memory_limit_bytes = kLimitBytes;
  io::MemoryReader source_view(source);
  io::MemoryReader target_view(target);
  HiddenReader source_hidden(source);
  HiddenReader target_hidden(target);
  for (const bool views : {true, false}) {
    NullWriter writer;
    const long long before = g_live_bytes;
    g_peak_bytes = before;
    const auto report = views ? create(source_view, target_view, writer, options)
                              : create(source_hidden, target_hidden, writer, options);
    ASSERT_OK(report);
    EXPECT_LE(g_peak_bytes - before, kLimitBytes) << "views: " << views;
    EXPECT_LT(report->patch_bytes, target.size()) << "views: " << views;
  }
}

TEST_P(PeakMemory, StaysWithinTheLimit) {
  const Bytes source = random_bytes(kSourceBytes, 1);
  const Bytes target = edited(source, random_edits(40, source.size(), 500'000, 2));
  expect_kept(source, target, GetParam());
}

// Nothing matches: literals and compressors are as large as they get.
TEST_P(PeakMemory, StaysWithinTheLimitWhereNothingMatches) {
  const Bytes source = wordy_bytes(60'000'000, 3);
  const Bytes target = random_bytes(60'000'000, 4);
  CreateOptions options = create_options(GetParam(), PatchFormat::kBdt2, 4);
  options.memory_limit_bytes = kLimitBytes;
  io::MemoryReader source_reader(source);
  HiddenReader target_reader(target);
  NullWriter writer;
  const long long before = g_live_bytes;
  g_peak_bytes = before;
  ASSERT_OK(create(source_reader, target_reader, writer, options));
  EXPECT_LE(g_peak_bytes - before, kLimitBytes);
}

// Null if nothing stays packed for want of memory.
const LeftOut* unpacking_left_out(const Report& report) {
  const auto told = std::find_if(report.left_out.begin(), report.left_out.end(), [](const LeftOut& work) { return work.name == "unpacking"; });
  return told == report.left_out.end() ? nullptr : &*told;
}

// Few packed bytes that are many tokens, and few that are very many raw bytes.
TEST_P(PeakMemory, StaysWithinTheLimitWithArchives) {
  Bytes text = random_bytes(7 << 20, 5);
  for (std::uint8_t& letter : text) letter = letter < 128 ? 'a' : 'b';
  Bytes next = text;
  next[next.size() / 2] = 'c';
  const Bytes bomb = gzip_of(Bytes(std::size_t{100} << 20), 9);
  const Bytes large = random_bytes(12'000'000, 6);
  const std::pair<Bytes, Bytes> pairs[] = {
      {gzip_of(text, 1), gzip_of(next, 1)}, {bomb, gzip_of(next)}, {gzip_of(text), bomb}, {gzip_of(large, 1), gzip_of(large, 2)}};
  CreateOptions options = create_options(GetParam(), PatchFormat::kBdt2, 4);
  options.memory_limit_bytes = kLimitBytes;
  for (const auto& [source, target] : pairs) {
    io::MemoryReader source_reader(source), target_reader(target);
    NullWriter writer;
    const long long before = g_live_bytes;
    g_peak_bytes = before;
    const auto report = create(source_reader, target_reader, writer, options);
    ASSERT_OK(report);
    EXPECT_LE(g_peak_bytes - before, kLimitBytes);
    // What stays packed for want of memory is told, with a limit that is larger.
    const LeftOut* const told = unpacking_left_out(*report);
    EXPECT_EQ(&source != &pairs[0].first, told != nullptr);
    if (told) {
      EXPECT_LT(options.memory_limit_bytes, told->needed_bytes);
    }
  }
}

// Views have up to half of a limit. Those of views stand beside them meanwhile, and so do the tokens of a stream: here there is no
// room for the tokens of the second pair, nor for the stored blocks of the third.
TEST(CreatePeakMemory, StaysWithinALimitThatViewsHaveHalfOf) {
  constexpr std::size_t kTextBytes = 31 << 20;
  const auto next_of = [](const Bytes& text) { return edited(text, {{Edit::kOverwrite, 1'000'000, 2'000, 0, 1}}); };
  const Bytes text = periodic_bytes(kTextBytes, 5000, 9);
  Bytes letters = random_bytes(kTextBytes, 7);  // a token a byte
  for (std::uint8_t& letter : letters) letter = static_cast<std::uint8_t>('a' + letter % 26);
  const auto nested = [](const Bytes& inner) { return gzip_of(tar_of({{"inner.gz", 0, gzip_of(inner, 1)}, {"text", 0, inner}}), 1); };
  const Bytes half(letters.begin(), letters.begin() + kTextBytes / 2);
  const std::pair<Bytes, Bytes> pairs[] = {
      {gzip_of(text, 1), gzip_of(next_of(text), 1)}, {gzip_of(letters, 1), gzip_of(next_of(letters), 1)}, {nested(half), nested(next_of(half))}};
  CreateOptions options = create_options(3, PatchFormat::kBdt2, 4);
  options.memory_limit_bytes = std::uint64_t{128} << 20;
  for (const auto& [source, target] : pairs) {
    io::MemoryReader source_reader(source), target_reader(target);
    NullWriter writer;
    const long long before = g_live_bytes;
    g_peak_bytes = before;
    const auto report = create(source_reader, target_reader, writer, options);
    ASSERT_OK(report);
    EXPECT_LE(static_cast<std::uint64_t>(g_peak_bytes - before), options.memory_limit_bytes);
    EXPECT_EQ(&source != &pairs[0].first, unpacking_left_out(*report) != nullptr);
  }
}

// A text stands in its view alone: neither beside it, nor once more where the patch is proven.
TEST(CreatePeakMemory, HoldsTwoViews) {
  constexpr std::size_t kTextBytes = 40'000'000;
  const Bytes text = periodic_bytes(kTextBytes, 5000, 9);
  const Bytes next = edited(text, {{Edit::kOverwrite, 1'000'000, 2'000, 0, 1}});
  const Bytes source = gzip_of(text, 1), target = gzip_of(next, 1);
  const long long before = g_live_bytes;
  g_peak_bytes = before;
  const auto patch = make_patch(source, target, create_options(1));
  const long long taken = g_peak_bytes - before;
  ASSERT_OK(patch);
  ASSERT_TRUE(has_feature(*patch, native::kFeatureView));
  EXPECT_LE(taken, static_cast<long long>(kTextBytes) * 11 / 4);
}

// Prediction, words and several sets of covers, as where there is no limit.
TEST_P(PeakMemory, StaysWithinALimitThatIsAmple) {
  const ProgramPair pair = program_pair(3, 20'000);
  CreateOptions options = create_options(GetParam(), PatchFormat::kBdt2, 4);
  const auto free = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(free);
  options.memory_limit_bytes = std::uint64_t{1} << 30;
  options.files.mode = IoMode::kMmap;
  const auto estimate = estimate_memory(pair.old_version.size(), pair.new_version.size(), options);
  ASSERT_OK(estimate);
  const long long before = g_live_bytes;
  g_peak_bytes = before;
  const auto ample = make_patch(pair.old_version, pair.new_version, options);
  ASSERT_OK(ample);
  EXPECT_LE(static_cast<std::uint64_t>(g_peak_bytes - before), *estimate);
  EXPECT_TRUE(same_bytes(*free, *ample));
}

// Under limits between what sizes alone would need and too little for prediction.
void expect_kept_and_as_free(const Bytes& source, const Bytes& target, int level) {
  CreateOptions options = create_options(level, PatchFormat::kBdt2, 4);
  const auto free = make_patch(source, target, options);
  ASSERT_OK(free);
  options.files.mode = IoMode::kMmap;
  unsigned as_free = 0, others = 0;
  for (std::uint64_t limit = 64; limit <= 256; limit += 64) {
    options.memory_limit_bytes = limit << 20;
    const auto estimate = estimate_memory(source.size(), target.size(), options);
    ASSERT_OK(estimate);
    const long long before = g_live_bytes;
    g_peak_bytes = before;
    const auto limited = make_patch(source, target, options);
    ASSERT_OK(limited);
    EXPECT_LE(static_cast<std::uint64_t>(g_peak_bytes - before), *estimate) << limit;
    EXPECT_LE(*estimate, options.memory_limit_bytes);
    ++(same_bytes(*free, *limited) ? as_free : others);
  }
  EXPECT_LT(0u, as_free);
  if (level > 1) {
    EXPECT_LT(0u, others);
  }
}

TEST_P(PeakMemory, StaysWithinALimitThatIsAmpleForFilesThatHardlyDiffer) {
  ProgramPair programs = program_pair(3, 20'000);
  append_ballast(programs.old_version, programs.new_version);
  expect_kept_and_as_free(programs.old_version, programs.new_version, GetParam());
  ModuleShape shape;
  shape.module_count = 1000;
  ModulePair modules = module_pair(shape);
  append_ballast(modules.old_version, modules.new_version);
  expect_kept_and_as_free(modules.old_version, modules.new_version, GetParam());
}

// Windows as full as the format allows: as many copies as a window may have, each with as many runs of changes.
Bytes patch_of_full_windows(Bytes& source, Bytes& target) {
  constexpr std::size_t kWindowBytes = 8 << 20, kWindowOps = 65536, kRuns = 262144;
  constexpr std::size_t kCopyBytes = kWindowBytes / kWindowOps, kStep = kWindowBytes / kRuns;
  source = random_bytes(3 * kWindowBytes, 5);
  Covers covers;
  for (std::size_t pos = 0; pos < source.size(); pos += kCopyBytes) {
    const std::size_t from = source.size() - kCopyBytes - pos;
    covers.push_back({from, pos, kCopyBytes});
    target.insert(target.end(), source.begin() + static_cast<std::ptrdiff_t>(from),
                  source.begin() + static_cast<std::ptrdiff_t>(from + kCopyBytes));
  }
  for (std::size_t pos = 1; pos < target.size(); pos += kStep) target[pos] ^= 1;
  Craft craft;
  craft.window_bytes = kWindowBytes;
  craft.group_bytes = kWindowBytes;
  return craft_patch(source, target, covers, craft);
}

// Peak of applying, which may be no more than the patch declares with buffers, and OLD where prediction reads it.
void expect_buffers_kept(const Bytes& source, const Bytes& patch, bool fills_them) {
  const PatchInfo info = info_of(patch);
  for (const unsigned threads : {1u, 2u, 4u}) {
    HiddenReader source_reader(source);
    io::MemorySequentialReader patch_reader(patch);
    NullWriter writer;
    ApplyOptions options;
    options.threads = threads;
    options.memory_limit_bytes = info.decoder_memory_bytes;  // with more, more of OLD's view is held
    const long long before = g_live_bytes;
    g_peak_bytes = before;
    ASSERT_OK(apply(source_reader, patch_reader, writer, options));
    const auto taken = static_cast<std::uint64_t>(g_peak_bytes - before);
    const std::uint64_t buffer_bytes = apply_buffer_bytes(info, threads);
    EXPECT_LE(taken, info.decoder_memory_bytes + buffer_bytes + (info.predicted ? source.size() : 0)) << threads;
    if (fills_them && threads == 1) {
      EXPECT_GE(taken, buffer_bytes / 4) << "the figure is far too large";
    }
  }
}

// A part of OLD's view, and of the largest stream while it is unpacked; NEW's recipe, of joints and blocks of few bytes.
TEST(ApplyPeakMemory, OfViewsIsDeclared) {
  const Bytes text = periodic_bytes(90'000'000, 5000, 8);
  const Bytes next = edited(text, {{Edit::kOverwrite, 100, 20, 0, 1}});
  const auto of_one = make_patch(gzip_of(text, 1), gzip_of(next, 1), create_options(1));
  ASSERT_OK(of_one);
  ASSERT_TRUE(has_feature(*of_one, native::kFeatureView));
  EXPECT_LT(info_of(*of_one).decoder_memory_bytes, 80'000'000u);
  expect_buffers_kept(gzip_of(text, 1), *of_one, false);

  const ZlibSettings flushed{.level = 1, .flush = Z_SYNC_FLUSH, .step_bytes = 300};
  const auto archive_of = [&](const Bytes& content) {
    const Bytes part(content.begin(), content.begin() + 12'000'000);
    return zip_of({{.name = "part", .content = part, .packed = zlib_deflate(part, flushed)}});
  };
  const Bytes source = archive_of(text);
  const auto of_joints = make_patch(source, archive_of(next), create_options(1));
  ASSERT_OK(of_joints);
  ASSERT_TRUE(has_feature(*of_joints, native::kFeatureView));
  expect_buffers_kept(source, *of_joints, false);
}

// Of streams that are made by all threads: many that are collected, of all levels, and large ones of bytes that are tokens each.
TEST(ApplyPeakMemory, OfStreamsByAllThreadsIsTold) {
  const auto archive_of = [](bool next) {
    std::vector<ZipMember> members;
    for (unsigned i = 0; i < 24; ++i) {
      Bytes text = random_bytes(i % 12 == 5 ? 9'000'000 : 2'000'000, i);
      for (std::uint8_t& letter : text) letter = letter < 250 ? static_cast<std::uint8_t>(letter % 128) : 'a';
      if (next) text[text.size() / 2] ^= 1;
      members.push_back({.name = std::to_string(i), .content = std::move(text), .level = i % 12 == 5 ? 6 : static_cast<int>(1 + i % 9)});
    }
    return zip_of(members);
  };
  const Bytes source = archive_of(false);
  const auto patch = make_patch(source, archive_of(true), create_options(1));
  ASSERT_OK(patch);
  ASSERT_TRUE(has_feature(*patch, native::kFeatureView));
  expect_buffers_kept(source, *patch, false);
}

TEST(ApplyPeakMemory, StaysWithinWhatIsDeclaredAndBuffers) {
  {
    Bytes source, target;
    const Bytes patch = patch_of_full_windows(source, target);
    EXPECT_GE(info_of(patch).window_bytes, 8'000'000u);
    expect_buffers_kept(source, patch, true);
  }
  {
    const Bytes source = wordy_bytes(1'000'000, 6);
    const Bytes target = random_bytes(30'000'000, 7);  // nothing but literals
    const auto patch = make_patch(source, target, create_options(3));
    ASSERT_OK(patch);
    expect_buffers_kept(source, *patch, false);
  }
  const ProgramPair pair = program_pair(3, 20'000);
  for (const int level : {3, 9}) {
    const auto patch = make_patch(pair.old_version, pair.new_version, create_options(level));
    ASSERT_OK(patch);
    EXPECT_TRUE(info_of(*patch).predicted);
    expect_buffers_kept(pair.old_version, *patch, false);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, PeakMemory, ::testing::Values(1, 3, 6));

}  // namespace
}  // namespace bdelta::test
